import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPolicyStore } from '../../aws/policy/policy-store.ts';
import { readGroup } from '../../aws/state/group-schema.ts';
import { readState } from '../../aws/state/state-schema.ts';
import { readSwap } from '../../aws/state/swap-schema.ts';
import { readVersion } from '../../aws/state/version-schema.ts';
import { createStateStore } from '../../aws/state-store.ts';
import { items, registryPartition } from '../../core/contract.ts';
import type { Unreadable } from '../../core/decision/decision-record.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { GroupState } from '../../core/view/view.ts';
import { group as anyGroup, state as anyState, reservation } from '../core/views.ts';
import { firstVersion } from './samples/first-version.ts';
import { startTables } from './tables.ts';

const nowMs = Date.UTC(2026, 10, 20, 12);
let tables: Awaited<ReturnType<typeof startTables>>;
let store: StateStore;
const told: Unreadable[] = [];
const tell = (found: Unreadable): void => void told.push(found);

beforeAll(async () => {
  tables = await startTables();
  store = createStateStore({ client: tables.client, groupsTable: 'groups', stateTable: 'state', now: () => nowMs, tell });
});
beforeEach(() => void told.splice(0));
afterAll(() => tables.stop());

const put = (item: Readonly<Record<string, unknown>>) => tables.client.send(new PutCommand({ TableName: 'state', Item: item }));

describe('items of the first version', () => {
  test.each(firstVersion.states.map((item, index) => [index, item] as const))('group state %i is read in full, and as it is', (_index, item) => {
    expect(readState(item.state, item.version)).toEqual({ state: item.state, lost: [] });
  });

  test.each(firstVersion.swaps.map((item) => [item.instance, item] as const))('the swap of %s is read in full', (_instance, item) => {
    const { shortfall, hook, item: _item, expiresAt: _expires, ...fields } = item as typeof item & { readonly hook?: unknown };
    expect(readSwap(item)).toEqual({
      value: {
        ...fields,
        ...(hook !== undefined && { hooks: [hook] }),
        ...(shortfall !== undefined && { shortfall: { code: 'prose', text: shortfall } }),
      },
      lost: [],
    });
  });

  const accepted = firstVersion.groups.filter(({ item }) => item === items.accepted);
  test.each(accepted.map((item, index) => [index, item] as const))('policy version %i is read in full', (_index, item) => {
    expect(readVersion(item.group, item)).toEqual({ kind: 'read', version: item });
    expect(readGroup(item.group, item.item, item.resolved)).toBe(item.resolved);
  });

  test('the registry is read in full', async () => {
    const [entry] = firstVersion.groups.filter(({ item }) => item.startsWith(items.entryPrefix));
    const { item, group: _partition, ...fields } = entry ?? { item: '', group: '' };
    await tables.client.send(new PutCommand({ TableName: 'groups', Item: { ...fields, group: registryPartition, item } }));
    expect(await store.registry()).toEqual([{ ...fields, group: item.slice(items.entryPrefix.length) }]);
    expect(told).toEqual([]);
  });

  test('are read through the store, and go on', async () => {
    const [stored] = firstVersion.states;
    await put({ ...stored, group: 'old' });
    const state = await store.state('old');
    expect(state).toEqual(stored?.state);
    expect(state && (await store.putState('old', { ...state, version: state.version + 1 }))).toBe('done');
    expect(told).toEqual([]);
  });

  test('say by another name when the item was lost or restored', () => {
    const renewedAtMs = (state: object) => readState(state, 1).state.renewedAtMs;
    expect(renewedAtMs({ undone: 5 })).toBe(5);
    expect(renewedAtMs({ undone: 5, renewedAtMs: 9 })).toBe(9);
    expect(renewedAtMs({})).toBeUndefined();
  });
});

describe('a group state that cannot be read in full', () => {
  const whole: GroupState = anyState({ version: 7, desired: 3, policySize: '3', lastReservation: 'r-9', reservations: [reservation()] });
  const read = (damage: object) => readState({ ...whole, ...damage }, 7);

  test('loses what was learned, and nothing else', () => {
    const { state, lost } = read({ memory: { 'm7g.large/a/spot': { kind: 'sulks' } }, prices: 'cheap', wakeAtMs: null });
    expect(state).toEqual({ ...whole, memory: {}, prices: { atMs: 0, usdPerHour: {} }, wakeAtMs: 0 });
    expect(lost.map((problem) => problem.split(':')[0])).toEqual(['memory.m7g.large/a/spot', 'prices', 'wakeAtMs']);
  });

  test('loses single reservations and raised maxima, not all of them', () => {
    const raised = { asg: 'web-asg', fromMax: 2, toMax: 4 };
    const { state, lost } = read({ reservations: [{ id: 'broken' }, ...whole.reservations], raised: [raised, { asg: 'api-asg' }] });
    expect(state.reservations).toEqual(whole.reservations);
    expect(state.raised).toEqual([raised]);
    expect(lost.length).toBeGreaterThan(1);
  });

  test('whose size is lost takes the size of the policy, or the present number of members', () => {
    for (const damage of [{ desired: 'three' }, { policySize: 3 }]) {
      const { state } = read(damage);
      expect(state.policySize).toBe('');
      expect(state.lastReservation).toBeUndefined();
    }
  });

  test('that is empty still has every field, and its guard', () => {
    for (const damaged of [undefined, 'gone', [], {}]) {
      const { state, lost } = readState(damaged, 7);
      expect(state).toMatchObject({ version: 7, policySize: '', reservations: [], memory: {}, raised: [] });
      expect(lost.length).toBeGreaterThan(5);
    }
  });

  test('is reported, and can be overwritten', async () => {
    await put({ group: 'damaged', item: items.state, version: 7, state: { ...whole, desired: 'three' } });
    const state = await store.state('damaged');
    expect(told).toEqual([{ group: 'damaged', item: 'state', problems: [expect.stringMatching(/^desired: /)] }]);
    expect(state && (await store.putState('damaged', { ...state, version: 8, desired: 3 }))).toBe('done');
    expect((await store.state('damaged'))?.desired).toBe(3);
    expect(told).toHaveLength(1);
  });

  test('reads new members with and without what EC2 granted, and loses those with a broken note of it', () => {
    const [before, now] = [
      { pool: 'spot', atMs: 1 },
      { pool: 'spot', offering: 'm7g.large/a/spot', atMs: 1 },
    ];
    const { state, lost } = read({ newcomers: { 'i-1': before, 'i-2': now, 'i-3': { ...now, offering: 'sulks' } } });
    expect(state.newcomers).toEqual({ 'i-1': before, 'i-2': now });
    expect(lost).toEqual([expect.stringContaining('newcomers.i-3')]);
  });

  test('keeps fields of a later version, in their order', () => {
    const later = { ...whole, invented: { later: true } };
    expect(JSON.stringify(readState(later, 7).state)).toBe(JSON.stringify(later));
  });
});

describe('what is in force and cannot be read', () => {
  const inForce = (item: Readonly<Record<string, unknown>>) => tables.client.send(new PutCommand({ TableName: 'groups', Item: item }));

  test('a group is not decided: it is an error that names the field', async () => {
    const resolved = { ...anyGroup(), capacity: { kind: 'tiered', children: [{ kind: 'lottery' }] } };
    await inForce({ group: 'web', item: items.accepted, version: 1, resolved });
    await expect(store.group('web')).rejects.toThrow(
      'Item accepted of group web could not be read: capacity: children: 0: kind: expected pool, tiered, spread, weighted, cheapest, found lottery.',
    );
  });

  test('a group with a damaged entry in the registry still gets ticks, and is reported', async () => {
    await inForce({ group: registryPartition, item: items.entry('hurt'), policyVersion: 1, asgs: ['web-asg', 7], alarms: 'none' });
    const entry = (await store.registry()).find(({ group }) => group === 'hurt');
    expect(entry).toEqual({ group: 'hurt', policyVersion: 1, asgs: ['web-asg'], alarms: [] });
    expect(told).toEqual([
      { group: registryPartition, item: items.entry('hurt'), problems: ['asgs.1: expected text, found 7', 'alarms: expected a list'] },
    ]);
  });

  test('a policy version counts as none in force, so that the next write of the policy heals it', async () => {
    const policies = createPolicyStore({ client: tables.client, groupsTable: 'groups', stateTable: 'state', tell });
    await inForce({ group: 'old', item: items.accepted, version: 'first' });
    expect(await policies.accepted('old')).toBeUndefined();
    expect(told).toMatchObject([{ group: 'old', item: 'accepted', problems: [expect.stringMatching(/^version: /)] }]);
    await inForce({ group: 'old', item: items.version(1), version: 'first' });
    await expect(policies.latest('old')).rejects.toThrow('could not be read');
  });
});

describe('a swap that cannot be read', () => {
  const swap: Swap = {
    group: 'broken',
    instance: 'i-1',
    reason: 'interruption',
    state: 'leaving',
    pool: 'spot-a',
    offering: 'm7g.large/eu-west-1a/spot',
    claimedAtMs: nowMs,
    decision: 'd1',
    drain: 'drain-1',
  };
  const key = { group: 'broken', item: items.swap('i-1') };

  test('does not count as a claim, is reported, and is replaced by a claim', async () => {
    await put({ ...swap, ...key, state: 'exploded' });
    expect(await store.swaps('broken')).toEqual([]);
    expect(told).toEqual([{ ...key, problems: [expect.stringMatching(/^state: /)] }]);
    const claims = await Promise.all(['d2', 'd3'].map((decision) => store.claim({ ...swap, decision, drain: decision })));
    expect(claims.map(({ kind }) => kind).toSorted()).toEqual(['claimed', 'exists']);
    expect(await store.swaps('broken')).toHaveLength(1);
  });

  test('of an earlier version had one hook at most', () => {
    const hook = { asg: 'web-asg', hook: 'drain', token: 't', expiresAtMs: 1 };
    const { value, lost } = readSwap({ ...swap, ...key, hook });
    expect({ value, lost }).toEqual({ value: { ...swap, hooks: [hook] }, lost: [] });
    expect(readSwap({ ...swap, ...key, hook, hooks: [hook, { ...hook, token: 't-2' }] }).value?.hooks).toHaveLength(2);
  });

  test('in one part is kept without that part', () => {
    const { value, lost } = readSwap({ ...swap, ...key, hook: { asg: 'web-asg' }, drainedAtMs: 'later', pool: 7 });
    expect(value).toEqual({ ...swap, hooks: [], pool: 'unknown' });
    expect(lost.map((problem) => problem.split(':')[0]).toSorted()).toEqual(expect.arrayContaining(['drainedAtMs', 'hooks.0', 'pool']));
  });
});
