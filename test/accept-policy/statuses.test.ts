import { describe, expect, test } from 'vitest';
import { groupsDue, lookUpAgain } from '../../functions/accept-policy/look-up-again.ts';
import { readDocument } from '../../functions/accept-policy/read-document.ts';
import { asgsOf, registryEntryOf } from '../../functions/accept-policy/registry-entry.ts';
import { group } from '../core/views.ts';
import { resolution, smallDocument } from '../policy/documents.ts';
import { silent } from '../react/facts.ts';
import { createHouse, type House } from './house.ts';

const pool = smallDocument.pools['spot-1a'];
const write = async (house: House, name: string, document: unknown) => {
  house.write(name, document);
  await house.accept(name);
  return house.status(name);
};

describe('the status of a policy', () => {
  test('has the first three problems in its message, and all of them beside it', async () => {
    const wrong = { ...smallDocument, size: -1, mode: 'x', spare: -1, tags: { 'aws:x': 'y' } };
    const status = await write(createHouse(), 'workers', wrong);
    const [first, second, third, fourth] = status?.problems.map(({ message }) => message) ?? [];
    expect(fourth).toBeDefined();
    expect(status?.problems).toHaveLength(4);
    expect(status?.message).toBe(
      `Rejected for 4 reasons. ${first} ${second} ${third} 1 more: see problems. ` +
        'No version is in force: the group is not acted on. Correct the item and write it again.',
    );
  });

  test('names the version that stays in force when a later write is rejected', async () => {
    const house = createHouse();
    await write(house, 'workers', smallDocument);
    const status = await write(house, 'workers', { ...smallDocument, mode: 'x' });
    expect(status).toMatchObject({ status: 'rejected', version: 1 });
    expect(status?.message).toMatch(/^Rejected for 1 reason\. mode: .* Version 1 stays in force\. Correct the item and write it again\.$/);
  });

  test('counts the warnings that its message leaves out', async () => {
    const pools = Object.fromEntries(['spot-1a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, pool]));
    const status = await write(createHouse(), 'workers', { ...smallDocument, pools });
    expect(status?.warnings).toHaveLength(5);
    expect(status?.message).toMatch(/^Version 1 is in force\. pools\.b: .* pools\.c: .* pools\.d: .* 2 more: see warnings\.$/);
  });

  test('of a deleted policy states that the instances stay, and how to take them back', async () => {
    const house = createHouse();
    await write(house, 'workers', smallDocument);
    house.remove('workers');
    await house.accept();
    expect(house.status('workers')?.message).toBe(
      'The policy item was deleted, so the group is let go. Its instances keep running, unchanged. Write the policy again to take them back.',
    );
  });

  test('names the group that holds an Auto Scaling group that is taken', async () => {
    const house = createHouse();
    await write(house, 'web', { ...smallDocument, group: 'web', asg: 'workers-asg' });
    const status = await write(house, 'api', { ...smallDocument, group: 'api', asg: 'workers-asg' });
    expect(status?.problems.map(({ message }) => message)).toEqual([
      'asg: expected an Auto Scaling group that no other group holds, found "workers-asg", which group web holds.',
    ]);
    // Its own holder may write it again.
    expect(await write(house, 'web', { ...smallDocument, group: 'web', asg: 'workers-asg', size: 5 })).toMatchObject({
      status: 'accepted',
      version: 2,
    });
  });

  test('states that the name in the document is not the key of its item', async () => {
    const status = await write(createHouse(), 'workers', { ...smallDocument, group: 'web' });
    expect(status?.problems.map(({ message }) => message)).toEqual(['group: expected "workers", the partition key of the item, found "web".']);
  });

  test('states what a document may be', () => {
    const told = (attribute: unknown) => {
      const reading = readDocument(attribute);
      return reading.kind === 'unreadable' ? reading.problems.map(({ message }) => message) : [];
    };
    expect(told(7)).toEqual(['the policy: expected a map, or text in YAML or JSON, found 7.']);
    expect(told('a: *x')).toEqual([expect.stringMatching(/^the policy: expected YAML or JSON, found text that is not YAML \(/)]);
    expect(told('a: 1\n---\nb: 2')).toEqual([
      'the policy: expected one document: one group in an item, and nothing after --- or ..., found a second document at line 2, column 1.',
    ]);
    expect(told(undefined)).toEqual(['the policy: expected the group document under the attribute policy, found no attribute policy in the item.']);
    expect(told('x'.repeat(100_001))).toEqual(['the policy: expected at most 100000 characters, found text of 100001 characters.']);
    expect(told('x'.repeat(100_000))).toEqual([]);
  });
});

describe('versions', () => {
  test('are numbered anew after a policy was deleted and written again, never twice the same', async () => {
    const house = createHouse();
    await write(house, 'workers', smallDocument);
    house.remove('workers');
    await house.accept();
    await write(house, 'workers', { ...smallDocument, size: 4 });
    expect(house.inForce('workers')).toMatchObject({ version: 2, resolved: { policyVersion: 2 } });
    expect(house.versionsOf('workers').map(({ version }) => version)).toEqual([1, 2]);
  });

  test('that an interrupted run stored come into force with the next one, and only if their contents are the same', async () => {
    const inForceAfter = async (next: object) => {
      const house = createHouse();
      await write(house, 'workers', smallDocument);
      house.write('workers', { ...smallDocument, size: 4 });
      for (let call = 1; house.versionsOf('workers').length < 2; call += 1) {
        house.dieAt({ call, when: 'after' });
        await house.accept().catch(() => undefined);
      }
      house.dieAt(undefined);
      await write(house, 'workers', { ...smallDocument, ...next });
      return [house.inForce('workers')?.version, house.versionsOf('workers').length];
    };
    expect([await inForceAfter({ size: 4 }), await inForceAfter({ size: 5 })]).toEqual([
      [2, 2],
      [3, 3],
    ]);
  });

  test('that repeat the contents of an earlier version, after another one, are new versions', async () => {
    const house = createHouse();
    await write(house, 'workers', smallDocument);
    await write(house, 'workers', { ...smallDocument, size: 4 });
    await write(house, 'workers', smallDocument);
    expect(house.inForce('workers')?.version).toBe(3);
  });
});

describe('the entry of a group in the registry', () => {
  const scaling = [{ alarm: 'high', adjust: { kind: 'instances', by: 1 }, cooldownMs: 0 }] as const;

  test('has the Auto Scaling groups that it names, and apart from them those that it still holds', () => {
    const attached = group({ holding: { kind: 'attach', asg: 'web-asg' }, scaling });
    expect(registryEntryOf(attached, ['old-asg', 'web-asg'])).toStrictEqual({
      group: 'web',
      policyVersion: 1,
      asgs: ['web-asg'],
      former: ['old-asg'],
      alarms: ['high'],
    });
    expect(registryEntryOf(attached, ['web-asg'])).not.toHaveProperty('former');
    expect(registryEntryOf(group())).toStrictEqual({ group: 'web', policyVersion: 1, asgs: [], alarms: [] });
  });

  test('comes from the places where a policy names them', () => {
    const named = { asg: 'web-asg', pools: { a: { asg: 'in-a' }, b: {} } } as Parameters<typeof asgsOf>[0];
    expect(asgsOf(named)).toEqual([
      { path: ['asg'], asg: 'web-asg' },
      { path: ['pools', 'a', 'asg'], asg: 'in-a' },
    ]);
    expect(asgsOf({ pools: {} } as Parameters<typeof asgsOf>[0])).toEqual([]);
  });
});

describe('the daily look at what policies name', () => {
  test('logs how many reasons speak against a version in force, and how many groups it left out', async () => {
    const house = createHouse();
    await write(house, 'workers', { ...smallDocument, pools: { 'spot-1a': { ...pool, launchTemplate: 'web:2' } } });
    const atMs = Array.from({ length: 96 }, (_, index) => index * 900_000).find((ms) => groupsDue(['workers'], ms).length > 0) ?? 0;
    const logs: unknown[] = [];
    const telemetry = { logger: { ...silent.logger, warn: (...said: unknown[]) => void logs.push(said) } } as unknown as typeof silent;
    const gone = { ...resolution, images: { versions: { 'web:2': { isGone: true } }, architectures: {} } } as const;
    await lookUpAgain(atMs, { ...house.ports, resolver: { lookUp: async () => gone } }, telemetry);
    await lookUpAgain(atMs, house.ports, telemetry);
    expect(logs).toEqual([['A policy in force would be refused now. Its status says why.', { group: 'workers', reasons: 1 }]]);
    logs.length = 0;
    let reads = 0;
    const clock = { now: () => (reads++ === 0 ? 0 : 15_001) };
    await lookUpAgain(atMs, { ...house.ports, clock }, telemetry);
    expect(logs).toEqual([['There was no time to look up every policy again. The others are looked up tomorrow.', { left: 1 }]]);
  });
});
