import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { announcements, metrics } from '../../core/contract.ts';
import { groupSchema } from '../../core/policy/schema.ts';
import { acceptPolicy } from '../../functions/accept-policy/accept-policy.ts';
import { fullDocument, resolution, smallDocument } from '../policy/documents.ts';
import { createHouse, type House } from './house.ts';

const afterWriting = async (document: unknown, house = createHouse()): Promise<House> => {
  house.write('workers', document);
  await house.accept();
  return house;
};

describe('an accepted policy', () => {
  it('becomes version 1, in force at once, with the group ready for decisions', async () => {
    const house = await afterWriting(fullDocument);
    expect(house.inForce('workers')).toMatchObject({
      version: 1,
      document: fullDocument,
      resolution,
      resolved: { name: 'workers', policyVersion: 1 },
    });
    expect(house.versionsOf('workers').map(({ version }) => version)).toEqual([1]);
  });

  it('is listed with its Auto Scaling groups and alarms, so that signals find it', async () => {
    const house = await afterWriting(fullDocument);
    expect(house.registered()).toEqual([
      { group: 'workers', policyVersion: 1, asgs: ['workers-asg'], alarms: ['workers-cpu-high', 'workers-cpu-low', 'jobs-waiting', 'jobs-few'] },
    ]);
  });

  it('is reported as accepted: in the status, to react, on the bus and in a metric', async () => {
    const house = await afterWriting(smallDocument);
    expect(house.status('workers')).toMatchObject({ status: 'accepted', version: 1, problems: [], warnings: [], message: 'Version 1 is in force.' });
    expect(house.told).toEqual(['workers']);
    expect(house.announced).toEqual([{ detailType: announcements.policyAccepted, group: 'workers', detail: { version: 1, warnings: [] } }]);
    expect(house.counted).toEqual([metrics.policiesAccepted]);
  });

  it('may be text in YAML or JSON', async () => {
    for (const text of [stringify(fullDocument), JSON.stringify(fullDocument)]) {
      const house = await afterWriting(text);
      expect(house.inForce('workers')).toMatchObject({ version: 1, document: fullDocument });
    }
  });

  it('gets the next number when a field that acts has changed, and keeps the versions before', async () => {
    const house = await afterWriting(smallDocument);
    await afterWriting({ ...smallDocument, size: 4 }, house);
    expect(house.inForce('workers')).toMatchObject({ version: 2, resolved: { policyVersion: 2, size: { desired: 4 } } });
    expect(house.versionsOf('workers').map(({ version }) => version)).toEqual([1, 2]);
  });

  it('keeps its number when only its wording has changed, and is converged to again', async () => {
    const house = await afterWriting(smallDocument);
    await afterWriting(stringify({ swap: { maxSurge: 3 }, ...smallDocument }), house);
    expect(house.inForce('workers')?.version).toBe(1);
    expect(house.told).toEqual(['workers', 'workers']);
  });

  it('is sent as a change with the time of its write, also when its record is delivered again later', async () => {
    const house = createHouse();
    house.write('workers', smallDocument);
    const writtenAtMs = house.ports.clock.now();
    for (const _ of ['first', 'again']) {
      await house.accept('workers', [], writtenAtMs);
      house.wait(60_000);
    }
    expect(house.toldWritten).toEqual([writtenAtMs, writtenAtMs]);
    // The time of a record is rounded. It is no later than the time at which the item was read.
    const readAfterMs = house.ports.clock.now();
    await house.accept('workers', [], readAfterMs + 900);
    expect(house.toldWritten.at(-1)).toBe(readAfterMs + 1);
    // Where no record says that the policy item was written, nothing is known.
    await house.accept('workers', ['other']);
    expect(house.toldWritten.at(-1)).toBeUndefined();
  });

  it('gets the next number when AWS returns something else for its names', async () => {
    const house = await afterWriting(smallDocument);
    const moved = createHouse({ ...resolution, subnets: { ...resolution.subnets, 'subnet-a': 'eu-west-1d' } });
    await moved.ports.store.putInForce({ ...present(house.inForce('workers')) });
    await moved.ports.store.addVersion({ ...present(house.inForce('workers')) });
    await afterWriting(smallDocument, moved);
    expect(moved.inForce('workers')).toMatchObject({ version: 2, resolved: { pools: { 'spot-1a': { subnets: [{ zone: 'eu-west-1d' }] } } } });
  });

  it('warns that the owner of its Auto Scaling group suspends Launch, and not where Holdfast or an earlier holder of the group does', async () => {
    const closedHouse = () => createHouse({ ...resolution, closed: ['workers-asg', 'other-asg'] });
    const document = { ...smallDocument, asg: 'workers-asg' };
    const warningsOf = async (house: ReturnType<typeof createHouse>, of: object = document) =>
      (await afterWriting(of, house)).status('workers')?.warnings.map(({ path, found }) => [path, found.slice(0, 56)]);
    const own = { asg: 'workers-asg', processes: ['Launch', 'Terminate'], atMs: 1 };
    expect(await warningsOf(closedHouse())).toEqual([['asg', '"workers-asg" whose owner has suspended Launch: no insta']]);
    expect(await warningsOf(createHouse({ ...resolution, closed: ['other-asg'] }), document)).toEqual([]);
    expect(await warningsOf(closedHouse(), smallDocument)).toEqual([]);
    const ours = closedHouse();
    ours.suspend('workers', own);
    expect(await warningsOf(ours)).toEqual([]);
    const resumed = closedHouse();
    resumed.suspend('workers', { ...own, resumedAtMs: 1 });
    expect(await warningsOf(resumed)).toHaveLength(1);
    const inherited = closedHouse();
    inherited.suspend('jobs', own);
    await inherited.ports.store.claim({ asg: 'workers-asg', group: 'jobs', atMs: 0, before: [], released: true }, undefined);
    expect(await warningsOf(inherited)).toEqual([]);
  });

  it('lists in its status the fields that do nothing', async () => {
    const house = await afterWriting({ ...smallDocument, scaling: [{ alarm: 'x', adjust: 1 }] });
    expect(house.status('workers')).toMatchObject({
      status: 'accepted',
      warnings: [{ path: 'scaling' }],
      message: 'Version 1 is in force. scaling: expected a size with min below max, found alarms on a fixed size, which they cannot change.',
    });
  });
});

describe('what is beside a policy', () => {
  it('gets a warning when it is an attribute of the same item', async () => {
    const house = createHouse();
    house.writeBeside('workers', ['author']);
    await afterWriting(smallDocument, house);
    expect(house.status('workers')).toMatchObject({
      status: 'accepted',
      warnings: [
        {
          path: 'author',
          message: 'author: expected no attribute other than policy, found the attribute "author", which is not read.',
        },
      ],
    });
  });

  it('is named as the likely policy when the attribute is misspelt', async () => {
    const house = createHouse();
    house.writeBeside('workers', ['polcy']);
    await afterWriting(undefined, house);
    expect(house.status('workers')).toMatchObject({ status: 'rejected', problems: [{ found: 'no attribute policy in the item', nearest: 'polcy' }] });
  });

  it('is refused when the item has nothing else, under a misspelt sort key', async () => {
    const house = createHouse();
    await house.accept('workers', ['Policy']);
    expect(house.status('workers')).toMatchObject({
      status: 'rejected',
      problems: [{ path: 'item', found: '"Policy"', nearest: 'policy' }],
    });
    expect(house.registered()).toEqual([]);
  });

  it('does not stop the policy in force, and does not keep a group that was deleted', async () => {
    const house = await afterWriting(smallDocument);
    await house.accept('workers', ['notes']);
    expect(house.status('workers')).toMatchObject({ status: 'accepted', version: 1, warnings: [{ path: 'item', found: '"notes"' }] });
    house.remove('workers');
    await house.accept('workers', ['notes']);
    expect(house.inForce('workers')).toBeUndefined();
    expect(house.status('workers')).toMatchObject({ status: 'let-go' });
  });
});

describe('the digest in a status', () => {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

  it('is that of the text, accepted or rejected', async () => {
    for (const text of [stringify(smallDocument), 'size: [']) {
      const house = await afterWriting(text);
      expect(house.status('workers')?.digest).toBe(sha256(text));
    }
  });

  it('is that of the JSON of a map with its keys in order', async () => {
    const house = await afterWriting({ size: -1, group: 'workers' });
    expect(house.status('workers')?.digest).toBe(sha256('{"group":"workers","size":-1}'));
  });

  it('is absent when nothing was written', async () => {
    const house = await afterWriting(smallDocument);
    house.remove('workers');
    await house.accept();
    expect(house.status('workers')?.digest).toBeUndefined();
  });
});

describe('a rejected policy', () => {
  it('has its first three reasons in one line', async () => {
    const house = await afterWriting({ ...smallDocument, size: -1, a: 1, b: 1, c: 1, d: 1 });
    expect(house.status('workers')?.message).toMatch(/^Rejected for 5 reasons\. a: .* b: .* c: .* 2 more: see problems\. No version is in force/);
  });

  it('leaves the last accepted version in force and lists every reason', async () => {
    const house = await afterWriting(smallDocument);
    await afterWriting({ ...smallDocument, size: -1, rollout: {} }, house);
    expect(house.inForce('workers')).toMatchObject({ version: 1, resolved: { size: { desired: 3 } } });
    expect(house.status('workers')).toMatchObject({
      status: 'rejected',
      version: 1,
      message:
        `Rejected for 2 reasons. rollout is not supported yet: leave it out. Supported here: ${Object.keys(groupSchema.shape).join(', ')}. ` +
        'size: expected a whole number from 0 to 10000, found -1. Version 1 stays in force. Correct the item and write it again.',
      problems: [{ path: 'rollout' }, { path: 'size', found: '-1' }],
    });
  });

  it('is sent to the bus and counted, and react gets no message', async () => {
    const house = await afterWriting({ ...smallDocument, size: -1 });
    expect(house.announced).toEqual([
      { detailType: announcements.policyRejected, group: 'workers', detail: { problems: [expect.stringContaining('found -1')] } },
    ]);
    expect(house.counted).toEqual([metrics.policiesRejected]);
    expect(house.told).toEqual([]);
    expect(house.registered()).toEqual([]);
  });

  it('names in its event the version that stays in force', async () => {
    const house = await afterWriting(smallDocument);
    house.write('workers', { ...smallDocument, size: -1 });
    await house.accept();
    expect(house.announced.at(-1)).toEqual({
      detailType: announcements.policyRejected,
      group: 'workers',
      detail: { problems: [expect.stringContaining('found -1')], inForce: 1 },
    });
  });

  it('reports that no version is in force if none was', async () => {
    const house = await afterWriting('size: [');
    expect(house.status('workers')).toMatchObject({ status: 'rejected', message: expect.stringContaining('No version is in force') });
    expect(house.status('workers')?.version).toBeUndefined();
  });

  it('causes no call to AWS while the document itself is wrong', async () => {
    const house = await afterWriting({ ...smallDocument, size: -1 });
    expect(house.asked).toEqual([]);
  });

  it.each([
    [
      'names a subnet that EC2 does not know',
      { ...smallDocument, defaults: {}, pools: { 'spot-1a': { ...smallDocument.pools['spot-1a'], subnets: ['subnet-q'] } } },
      'pools.spot-1a.subnets[0]',
    ],
    ['is for another group than its key says', { ...smallDocument, group: 'others' }, 'group'],
    ['is no document at all', 7, ''],
    ['is missing from its item', undefined, ''],
  ])('is one that %s', async (_, document, path) => {
    const house = await afterWriting(document);
    expect(house.status('workers')).toMatchObject({ status: 'rejected', problems: [{ path }] });
  });

  it('is one that names an Auto Scaling group of another group', async () => {
    const house = await afterWriting({ ...smallDocument, asg: 'workers-asg' });
    house.write('others', { ...smallDocument, group: 'others', asg: 'workers-asg' });
    await house.accept('others');
    expect(house.status('others')).toMatchObject({
      status: 'rejected',
      problems: [{ path: 'asg', found: '"workers-asg", which group workers holds' }],
    });
    expect(house.inForce('others')).toBeUndefined();
  });

  it('keeps its status and event small however much is wrong', async () => {
    const house = await afterWriting({ ...smallDocument, ...Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`x${n}`, 1])) });
    expect(house.status('workers')).toMatchObject({ message: expect.stringContaining('5000 reasons') });
    expect(house.status('workers')?.problems).toHaveLength(50);
  });

  it('does not prevent the next one from being accepted', async () => {
    const house = await afterWriting({ ...smallDocument, size: -1 });
    await afterWriting(smallDocument, house);
    expect(house.status('workers')).toMatchObject({ status: 'accepted', version: 1, problems: [] });
  });
});

describe('a deleted policy', () => {
  it('lets the group go: no version is in force, it is listed for a week without its names, and one event is sent', async () => {
    const house = await afterWriting(smallDocument);
    house.remove('workers');
    await house.accept();
    await house.accept();
    expect(house.inForce('workers')).toBeUndefined();
    const weekMs = 7 * 24 * 3_600_000;
    expect(house.registered()).toEqual([{ group: 'workers', policyVersion: 0, asgs: [], alarms: [], letGoUntilMs: expect.any(Number) }]);
    expect(house.registered()[0]?.letGoUntilMs).toBeGreaterThan(house.ports.clock.now() + weekMs - 1_000);
    expect(house.status('workers')).toMatchObject({ status: 'let-go' });
    expect(house.announced.filter(({ detailType }) => detailType === announcements.groupLetGo)).toHaveLength(1);
  });

  it('comes back under a new number, which its later versions name: a state item of before lacks the time without a policy', async () => {
    const house = await afterWriting(smallDocument);
    expect(house.inForce('workers')?.resolved.backWith).toBeUndefined();
    house.remove('workers');
    await house.accept();
    await afterWriting(smallDocument, house);
    const backAtMs = house.inForce('workers')?.acceptedAtMs;
    expect(house.inForce('workers')?.resolved).toMatchObject({ policyVersion: 2, backWith: 2, backAtMs });
    // The same text is the same version, and an edit keeps what it says.
    await afterWriting(smallDocument, house);
    expect(house.inForce('workers')?.version).toBe(2);
    await afterWriting({ ...smallDocument, size: 5 }, house);
    expect(house.inForce('workers')?.resolved).toMatchObject({ policyVersion: 3, backWith: 2, backAtMs });
  });

  it('keeps as former ones the Auto Scaling groups that it named: EC2 warns of their members once', async () => {
    const house = await afterWriting({ ...smallDocument, asg: 'workers-asg' });
    house.remove('workers');
    await house.accept();
    await house.accept();
    expect(house.registered()).toMatchObject([{ asgs: [], former: ['workers-asg'] }]);
  });

  it('is no holder of those any more when its policy is written again, and keeps them over an edit, even if its state is lost', async () => {
    const formerOf = async (isLetGo: boolean, remembered?: readonly string[]) => {
      const house = await afterWriting({ ...smallDocument, asg: 'workers-asg' });
      if (remembered !== undefined) house.hold('workers', remembered);
      if (isLetGo) {
        house.remove('workers');
        await house.accept();
      }
      await afterWriting({ ...smallDocument, size: 4 }, house);
      // Another version keeps what the one before had kept.
      await afterWriting({ ...smallDocument, size: 5 }, house);
      return house.registered()[0]?.former;
    };
    expect(await formerOf(false)).toEqual(['workers-asg']);
    expect(await formerOf(true)).toBeUndefined();
    expect(await formerOf(false, ['other-asg'])).toEqual(['other-asg']);
    // Its state is there, and shows that all of them are empty and put back.
    expect(await formerOf(false, [])).toBeUndefined();
  });

  it('keeps those that a restored older state does not know, over an edit, at its end, and against other groups', async () => {
    const through = (asg: string, group = 'workers') => ({ group, size: 2, capacity: asg, pools: { [asg]: { asg } } });
    const restored = async () => {
      const house = await afterWriting({ ...smallDocument, asg: 'workers-asg' });
      await afterWriting(through('od-1b-asg'), house);
      house.hold('workers', ['workers-asg'], 1);
      return house;
    };
    const edited = await restored();
    await afterWriting(smallDocument, edited);
    expect(edited.registered()[0]?.former).toEqual(['workers-asg', 'od-1b-asg']);
    // Its state is still the old one, so the group may have members in both.
    edited.wait(600_000);
    edited.write('api', through('od-1b-asg', 'api'));
    await edited.accept('api');
    expect(edited.status('api')).toMatchObject({
      status: 'rejected',
      problems: [{ found: '"od-1b-asg", which still has members of group workers' }],
    });
    edited.remove('workers');
    await edited.accept();
    expect(edited.registered()[0]?.former).toEqual(['workers-asg', 'od-1b-asg']);

    const followed = await restored();
    followed.hold('workers', ['od-1b-asg']);
    await afterWriting(smallDocument, followed);
    expect(followed.registered()[0]?.former).toEqual(['od-1b-asg']);
  });

  it('is not reported as let go while a version is still in force', async () => {
    const house = await afterWriting(smallDocument);
    house.remove('workers');
    house.callsMade();
    const calls = await house.accept().then(() => house.callsMade());
    for (let call = 1; call <= calls; call += 1) {
      const interrupted = await afterWriting(smallDocument);
      interrupted.remove('workers');
      interrupted.dieAt({ call, when: 'after' });
      await expect(interrupted.accept()).rejects.toThrow('killed');
      const said = interrupted.status('workers')?.status === 'let-go';
      if (said) expect(interrupted.inForce('workers')).toBeUndefined();
    }
  });

  it('that is written again gets the next number', async () => {
    const house = await afterWriting(smallDocument);
    house.remove('workers');
    await house.accept();
    await afterWriting({ ...smallDocument, size: 9 }, house);
    expect(house.inForce('workers')?.version).toBe(2);
  });
});

describe('trouble', () => {
  const ends: readonly (readonly [string, (house: House) => void])[] = [
    ['accepting', (house) => house.write('workers', { ...smallDocument, size: 5 })],
    ['rejecting', (house) => house.write('workers', 'nonsense')],
    ['letting go', (house) => house.remove('workers')],
  ];

  it.each(ends)('a run killed at any call while %s has, when repeated, the result of a run that was not killed', async (_, change) => {
    const undisturbed = await afterWriting(smallDocument);
    change(undisturbed);
    undisturbed.callsMade();
    await undisturbed.accept();
    const calls = undisturbed.callsMade();
    for (const when of ['before', 'after'] as const) {
      for (let call = 1; call <= calls; call += 1) {
        const house = await afterWriting(smallDocument);
        change(house);
        house.dieAt({ call, when });
        await expect(house.accept()).rejects.toThrow('killed');
        house.dieAt(undefined);
        await house.accept();
        expect(endOf(house)).toEqual(endOf(undisturbed));
        expect(new Set(house.announced.map(({ detailType }) => detailType))).toEqual(
          new Set(undisturbed.announced.map(({ detailType }) => detailType)),
        );
        expect(new Set(house.told)).toEqual(new Set(undisturbed.told));
      }
    }
  });

  it('a version that an interrupted run stored for another document is passed over, never overwritten', async () => {
    const house = await afterWriting(smallDocument);
    house.write('workers', { ...smallDocument, size: 5 });
    house.dieAt({ call: 6, when: 'after' });
    await expect(house.accept()).rejects.toThrow('killed');
    house.dieAt(undefined);
    expect(house.versionsOf('workers').map(({ version }) => version)).toEqual([1, 2]);
    await afterWriting({ ...smallDocument, size: 6 }, house);
    expect(house.inForce('workers')).toMatchObject({ version: 3, resolved: { size: { desired: 6 } } });
  });

  const wasTold = (house: House) =>
    house.announced.map(({ detailType, detail }) => (detailType === announcements.policyAccepted ? detail.version : detailType));

  /** Version 2 comes into force, and its run dies before it is told. */
  const untold = async (): Promise<House> => {
    const house = await afterWriting(smallDocument);
    house.write('workers', { ...smallDocument, size: 5 });
    const announcer = { announce: () => Promise.reject(new Error('killed')) };
    await expect(acceptPolicy('workers', { ...house.ports, announcer })).rejects.toThrow('killed');
    expect(house.inForce('workers')).toMatchObject({ version: 2, untold: [{ version: 2, warnings: [] }] });
    return house;
  };

  it.each([
    ['edit', (house: House) => house.write('workers', { ...smallDocument, size: 6 }), 3],
    ['faulty edit', (house: House) => house.write('workers', 'nonsense'), announcements.policyRejected],
    ['deletion', (house: House) => house.remove('workers'), announcements.groupLetGo],
  ])('a version that came into force without an event gets its event before the events of the next %s', async (_, change, last) => {
    const house = await untold();
    change(house);
    await house.accept();
    expect(wasTold(house)).toEqual([1, 2, last]);
    expect(house.inForce('workers')?.untold).toBeUndefined();
  });

  it('sends late events with their warnings, before any step that may fail', async () => {
    const house = await afterWriting(smallDocument);
    house.write('workers', { ...smallDocument, scaling: [{ alarm: 'x', adjust: 1 }] });
    const announcer = { announce: () => Promise.reject(new Error('killed')) };
    await expect(acceptPolicy('workers', { ...house.ports, announcer })).rejects.toThrow('killed');
    const resolver = { lookUp: () => Promise.reject(new Error('EC2 does not answer')) };
    await expect(acceptPolicy('workers', { ...house.ports, resolver })).rejects.toThrow('EC2');
    expect(house.announced.at(-1)?.detail).toEqual({ version: 2, warnings: [expect.stringContaining('scaling: expected')] });
  });

  it('an environment sends a late event once, also while the table cannot note that it was sent', async () => {
    const house = await untold();
    const store = { ...house.ports.store, noteTold: () => Promise.reject(new Error('throttled')) };
    const resolver = { lookUp: () => Promise.reject(new Error('EC2 does not answer')) };
    for (const _ of ['first', 'second']) await expect(acceptPolicy('workers', { ...house.ports, store, resolver })).rejects.toThrow('EC2');
    expect(wasTold(house)).toEqual([1, 2]);
    await expect(acceptPolicy('workers', { ...house.ports, resolver })).rejects.toThrow('EC2');
    expect(wasTold(house)).toEqual([1, 2]);
    expect(house.inForce('workers')?.untold).toBeUndefined();
  });

  it('a policy comes into force although the bus takes nothing, and the bus receives each version afterwards', async () => {
    const house = await untold();
    house.write('workers', { ...smallDocument, size: 6 });
    const announcer = { announce: () => Promise.reject(new Error('no bus')) };
    await expect(acceptPolicy('workers', { ...house.ports, announcer })).rejects.toThrow('no bus');
    expect(house.inForce('workers')).toMatchObject({ version: 3, untold: [{ version: 2 }, { version: 3 }] });
    await house.accept();
    expect(new Set(wasTold(house))).toEqual(new Set([1, 2, 3]));
  });

  describe('a write whose report could not be sent', () => {
    /** The queue and the bus accept no message while the write is handled. */
    const unsent = async (document: unknown, house = createHouse()) => {
      house.write('workers', document);
      const failing = { tell: () => Promise.reject(new Error('no queue')) };
      const announcer = { announce: () => Promise.reject(new Error('no bus')) };
      const writtenAtMs = house.ports.clock.now();
      const attempt = acceptPolicy('workers', { ...house.ports, changes: failing, announcer }, { others: [], writtenAtMs });
      await expect(attempt).rejects.toThrow(/no queue|no bus/);
      return { house, writtenAtMs };
    };

    it('is reported at the next delivery without being looked up again', async () => {
      const { house, writtenAtMs } = await unsent(smallDocument);
      expect(await house.accept('workers', [], writtenAtMs)).toEqual({ kind: 'accepted', group: 'workers', version: 1 });
      expect(house.asked).toHaveLength(1);
      expect(house.told).toEqual(['workers']);
      expect(house.toldWritten).toEqual([writtenAtMs]);
      expect(wasTold(house)).toContain(1);
      expect(house.counted).toEqual([metrics.policiesAccepted]);
      // It is reported once. Another delivery of the record is handled like any other.
      await house.accept('workers', [], writtenAtMs);
      expect(house.asked).toHaveLength(2);
    });

    it('is looked up again if the policy was written since, or if the time of the write is not known', async () => {
      for (const later of [1_000, undefined]) {
        const { house, writtenAtMs } = await unsent(smallDocument);
        await house.accept('workers', [], later && writtenAtMs + later);
        expect(house.asked).toHaveLength(2);
      }
      const { house, writtenAtMs } = await unsent(smallDocument);
      house.write('workers', { ...smallDocument, size: 5 });
      await house.accept('workers', [], writtenAtMs);
      expect(house.inForce('workers')?.version).toBe(2);
    });

    it('is handled anew if another version came into force since', async () => {
      const { house, writtenAtMs } = await unsent('nonsense', await afterWriting(smallDocument));
      house.write('workers', { ...smallDocument, size: 5 });
      await house.accept();
      house.write('workers', 'nonsense');
      expect(await house.accept('workers', [], writtenAtMs)).toMatchObject({ kind: 'rejected', inForce: 2 });
      expect(house.announced.at(-1)).toMatchObject({ detailType: announcements.policyRejected, detail: { inForce: 2 } });
    });

    it('is reported as rejected', async () => {
      const { house, writtenAtMs } = await unsent({ ...smallDocument, asg: undefined, pools: {} });
      expect(await house.accept('workers', [], writtenAtMs)).toMatchObject({ kind: 'rejected' });
      expect(house.announced).toMatchObject([{ detailType: announcements.policyRejected }]);
      expect(house.counted).toEqual([metrics.policiesRejected]);
    });
  });

  describe('a write that the table does not store now', () => {
    const unstored = async (document: object = smallDocument) => {
      const house = createHouse();
      house.write('workers', document);
      const writtenAtMs = house.ports.clock.now();
      house.dieAt({ call: 6, when: 'before' });
      await expect(house.accept('workers', [], writtenAtMs)).rejects.toThrow('killed');
      expect([house.asked.length, house.inForce('workers')]).toEqual([1, undefined]);
      return { house, writtenAtMs };
    };

    it('is tried again without new look-ups', async () => {
      const { house, writtenAtMs } = await unstored();
      house.wait(599_000);
      expect(await house.accept('workers', [], writtenAtMs)).toMatchObject({ kind: 'accepted', version: 1 });
      expect(house.asked).toHaveLength(1);
    });

    it('is looked up anew after ten minutes', async () => {
      const { house, writtenAtMs } = await unstored();
      house.wait(600_000);
      await house.accept('workers', [], writtenAtMs);
      expect(house.asked).toHaveLength(2);
    });

    it('is looked up anew if the policy was written since, or if the time of the write is not known', async () => {
      for (const later of [1_000, undefined]) {
        const { house, writtenAtMs } = await unstored();
        await house.accept('workers', [], later && writtenAtMs + later);
        expect(house.asked).toHaveLength(2);
      }
      const { house, writtenAtMs } = await unstored();
      house.write('workers', { ...smallDocument, size: 5 });
      await house.accept('workers', [], writtenAtMs);
      expect(house.asked).toHaveLength(2);
    });

    it('is judged anew by who holds its Auto Scaling groups', async () => {
      const { house, writtenAtMs } = await unstored(fullDocument);
      house.write('api', { ...fullDocument, group: 'api' });
      expect(await house.accept('api')).toMatchObject({ kind: 'accepted' });
      expect(await house.accept('workers', [], writtenAtMs)).toMatchObject({ kind: 'rejected' });
      expect(house.asked).toHaveLength(2);
    });
  });

  it('a lost race is thrown, so that the record is delivered again', async () => {
    const house = createHouse();
    house.write('workers', smallDocument);
    const ports = { ...house.ports, store: { ...house.ports.store, addVersion: async () => 'conflict' as const } };
    await expect(acceptPolicy('workers', ports)).rejects.toThrow('at the same time');
  });
});

const endOf = (house: House) => {
  const { atMs: _at, ...status } = present(house.status('workers'));
  const inForce = house.inForce('workers');
  return {
    status,
    version: inForce?.version,
    resolved: inForce?.resolved,
    registered: house.registered().map(({ letGoUntilMs, ...entry }) => ({ ...entry, isLetGo: letGoUntilMs !== undefined })),
    versions: house.versionsOf('workers').length,
  };
};

const present = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('absent');
  return value;
};
