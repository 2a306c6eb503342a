import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDocumentClient } from '../../aws/calls/clients.ts';
import { inParallel } from '../../aws/calls/in-parallel.ts';
import { createAsgClaims } from '../../aws/state/asg-claims.ts';
import { createStateStore } from '../../aws/state-store.ts';
import { items, registryPartition } from '../../core/contract.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { LifecycleHook, Swap } from '../../core/swap/swap.ts';
import type { GroupState } from '../../core/view/view.ts';
import { group as anyGroup, state as anyState } from '../core/views.ts';
import { awsError } from './fake-aws.ts';
import { startTables } from './tables.ts';
import { throwUnreadable } from './unreadable.ts';

let tables: Awaited<ReturnType<typeof startTables>>;
let store: StateStore;
const nowMs = Date.UTC(2026, 10, 20, 12);
let clockMs = nowMs;

const storeOver = (client = tables.client, writer = 'environment'): StateStore =>
  createStateStore({ client, groupsTable: 'groups', stateTable: 'state', writer, now: () => clockMs, tell: throwUnreadable });

beforeAll(async () => {
  tables = await startTables();
  store = storeOver();
});
afterAll(() => tables.stop());

const swap = (group: string, instance: string, more: Partial<Swap> = {}): Swap => ({
  group,
  instance,
  reason: 'interruption',
  state: 'leaving',
  pool: 'spot-a',
  offering: 'm7g.large/eu-west-1a/spot',
  claimedAtMs: nowMs,
  decision: 'd1',
  drain: 'drain-1',
  ...more,
});

const state = (version: number, more: Partial<GroupState> = {}): GroupState => anyState({ version, desired: 3, policySize: '3', ...more });

const itemOf = async (group: string, item: string) => (await tables.client.send(new GetCommand({ TableName: 'state', Key: { group, item } }))).Item;

describe('the state item and the swaps', () => {
  test('are one read, whatever else the partition has, and however many pages that is', async () => {
    await store.putState('both', state(1));
    await store.putRequest('both', 'r-1', {
      api: 'CreateFleet',
      calls: [],
      placement: { pool: 'a', count: 1, offerings: [] },
      market: 'spot',
      zones: {},
    });
    await store.claim(swap('both', 'i-both'));
    await store.retire({ ...swap('both', 'i-before'), state: 'gone' });
    await tables.client.send(new PutCommand({ TableName: 'state', Item: { group: 'both', item: 'swarm', other: true } }));
    const found = await store.stateAndSwaps('both');
    expect(found).toEqual({ state: await store.state('both'), swaps: await store.swaps('both') });
    expect([found.state?.version, found.swaps.length]).toEqual([1, 1]);
    const shortfall = { code: 'drain-broke', error: 'x'.repeat(2_000) } as const;
    await inParallel(Array.from({ length: 700 }), 8, (_, index) => store.claim(swap('both', `i-both-${index}`, { shortfall })));
    expect((await store.stateAndSwaps('both')).swaps).toHaveLength(701);
  });

  test('are read where one of them is missing', async () => {
    expect(await store.stateAndSwaps('neither')).toEqual({ state: undefined, swaps: [] });
    await store.claim(swap('swap-alone', 'i-alone'));
    expect(await store.stateAndSwaps('swap-alone')).toMatchObject({ state: undefined, swaps: [{ instance: 'i-alone' }] });
    await store.putState('state-alone', state(1));
    expect(await store.stateAndSwaps('state-alone')).toMatchObject({ state: { version: 1 }, swaps: [] });
  });
});

describe('a launch request', () => {
  test('is stored without change, also if it is large', async () => {
    const overrides = Array.from({ length: 6_000 }, (_, index) => ({ InstanceType: `m${index}.large`, SubnetId: 'subnet-a', Priority: index }));
    const request = {
      api: 'CreateFleet' as const,
      calls: [JSON.stringify({ z: 1, ClientToken: 't', LaunchTemplateConfigs: [{ Overrides: overrides }], a: 2 })],
      placement: { pool: 'spot', count: 3, offerings: [] },
      market: 'spot' as const,
      zones: { 'subnet-a': 'z-a' },
    };
    await store.putRequest('asked', 'r-1', request);
    expect(await store.request('asked', 'r-1')).toEqual(request);
    expect(await store.request('asked', 'r-2')).toBeUndefined();
    expect(await itemOf('asked', items.request('r-1'))).toMatchObject({ api: 'CreateFleet', expiresAt: clockMs / 1000 + 24 * 3600 });
    expect(JSON.stringify(await itemOf('asked', items.request('r-1'))).length).toBeLessThan(100_000);
  });
});

describe('a group state item', () => {
  test('is written once per version, and the loser of a race gets a conflict', async () => {
    expect(await store.state('race')).toBeUndefined();
    expect(await store.putState('race', state(1))).toBe('done');
    expect(await store.putState('race', state(1, { desired: 9 }))).toBe('conflict');
    const both = await Promise.all([store.putState('race', state(2, { desired: 4 })), store.putState('race', state(2, { desired: 5 }))]);
    expect(both.toSorted()).toEqual(['conflict', 'done']);
    expect(await store.putState('race', state(4))).toBe('conflict');
    expect((await store.state('race'))?.version).toBe(2);
  });

  test('that is stored already is a repeat after a lost response, not a lost race', async () => {
    expect(await store.putState('repeat', state(1, { wakeAtMs: 7 }))).toBe('done');
    expect(await store.putState('repeat', state(1, { wakeAtMs: 7 }))).toBe('done');
  });

  test('is written by one of two environments that write the same, and the other one gets a conflict', async () => {
    const stores = ['a', 'b'].map((writer) => storeOver(tables.client, writer));
    const twice = await Promise.all(stores.map((one) => one.putState('same', state(1))));
    expect(twice.toSorted()).toEqual(['conflict', 'done']);
    const again = await Promise.all(stores.map((one) => one.putState('same', state(1))));
    expect(again).toEqual(twice);
  });

  test('counts as done when it was carried out and no attempt got a response', async () => {
    const lost = awsError('ECONNRESET', 'the connection was reset');
    const storeWithout = (carriesOut: boolean, error: Error): StateStore => {
      const send = async (command: never) => {
        if (!((command as object) instanceof PutCommand)) return tables.client.send(command);
        if (carriesOut) await tables.client.send(command);
        throw error;
      };
      return storeOver(Object.assign(Object.create(tables.client) as typeof tables.client, { send }));
    };
    expect(await storeWithout(true, lost).putState('no-response', state(1))).toBe('done');
    await expect(storeWithout(false, lost).putState('no-response', state(2))).rejects.toThrow('the connection was reset');
    await expect(storeWithout(true, awsError('AccessDeniedException', 'denied')).putState('no-response', state(2))).rejects.toThrow('denied');
  });

  /** Others read the item and write the next version of it, this many times. */
  const othersWrite = async (name: string, times: number): Promise<void> => {
    for (let time = 0; time < times; time++) {
      const read = await store.state(name);
      expect(read && (await store.putState(name, { ...read, version: read.version + 1 }))).toBe('done');
    }
  };

  test('that others have written on top of since is no lost race either', async () => {
    const own = state(1, { desired: 4 });
    expect(await store.putState('overwritten', own)).toBe('done');
    await othersWrite('overwritten', 8);
    expect(await store.putState('overwritten', own)).toBe('done');
    expect(await store.putState('overwritten', state(1, { desired: 5 }))).toBe('conflict');
    expect((await store.state('overwritten'))?.version).toBe(9);
  });

  test('keeps marks of its latest writes only', async () => {
    const own = state(1, { desired: 4 });
    expect(await store.putState('long-lived', own)).toBe('done');
    await othersWrite('long-lived', 40);
    expect((await store.state('long-lived'))?.marks).toHaveLength(16);
    expect(await store.putState('long-lived', own)).toBe('conflict');
  });

  test('holds a launch of a thousand in full', async () => {
    const instances = Array.from({ length: 1000 }, (_, index) => `i-${String(index).padStart(17, '0')}`);
    const reservation = {
      id: 'r1',
      token: 't1',
      placement: { pool: 'spot-a', count: 1000, offerings: [{ instanceType: 'm7g.large', zone: 'eu-west-1a', market: 'spot' as const }] },
      decision: 'd1',
      replaces: instances,
      atMs: nowMs,
      leaseUntilMs: nowMs,
      instances,
      forgetAtMs: nowMs,
    };
    const full = state(1, {
      reservations: [reservation],
      memory: {
        'm7g.large/eu-west-1a/spot': { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs, streak: 1 },
      },
      prices: { atMs: nowMs, usdPerHour: { 'm7g.large/eu-west-1a/spot': 0.0312 } },
    });
    expect(await store.putState('storm', full)).toBe('done');
    expect(await store.state('storm')).toMatchObject(full);
  });
});

describe('a swap', () => {
  test('is claimed by the first writer; the others get what is stored', async () => {
    const claims = await inParallel(
      Array.from({ length: 10 }, (_, index) => swap('claims', 'i-1', { decision: `d${index}` })),
      10,
      (one) => store.claim(one),
    );
    expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    const winner = claims.findIndex(({ kind }) => kind === 'claimed');
    for (const claim of claims) if (claim.kind === 'exists') expect(claim.swap.decision).toBe(`d${winner}`);
  });

  test('claimed again by the same decision is still claimed, because the first response was lost', async () => {
    expect((await store.claim(swap('again', 'i-2'))).kind).toBe('claimed');
    expect((await store.claim(swap('again', 'i-2'))).kind).toBe('claimed');
  });

  test('moves forward only, from the states named, under its drain', async () => {
    await store.claim(swap('forward', 'i-3'));
    const key = { group: 'forward', instance: 'i-3' };
    const draining = { from: ['leaving'] as const, set: { state: 'draining' as const, drainStartedAtMs: nowMs + 1 } };
    expect(await store.advance(key, { ...draining, drain: 'drain-0' })).toBe('conflict');
    expect(await store.advance(key, { ...draining, drain: 'drain-1' })).toBe('done');
    expect(await store.advance(key, { from: ['waiting'], set: { deadlineMs: 1 } })).toBe('conflict');
    expect(await store.advance(key, { from: ['draining'], set: { state: 'leaving' } })).toBe('conflict');
    expect(await store.advance({ group: 'forward', instance: 'i-none' }, draining)).toBe('conflict');
    expect((await store.swaps('forward'))[0]).toEqual(swap('forward', 'i-3', { state: 'draining', drainStartedAtMs: nowMs + 1 }));
  });

  test('advanced twice with the same change is advanced once', async () => {
    await store.claim(swap('twice', 'i-4'));
    const change = { from: ['leaving'] as const, drain: 'drain-1', set: { state: 'draining' as const, drainStartedAtMs: nowMs } };
    expect(await store.advance({ group: 'twice', instance: 'i-4' }, change)).toBe('done');
    expect(await store.advance({ group: 'twice', instance: 'i-4' }, change)).toBe('done');
    expect(await store.advance({ group: 'twice', instance: 'i-4' }, { ...change, set: { ...change.set, drainStartedAtMs: nowMs + 5 } })).toBe(
      'conflict',
    );
  });

  test('fields that no longer apply are removed, once', async () => {
    const key = { group: 'cleared', instance: 'i-14' };
    await store.claim(swap('cleared', 'i-14', { releaseAskedAtMs: nowMs, shortfall: { code: 'let-go' } }));
    const change = { from: ['leaving'] as const, set: {}, clear: ['releaseAskedAtMs'] as const };
    expect(await store.advance(key, change)).toBe('done');
    expect(await store.advance(key, change)).toBe('done');
    expect((await store.swaps('cleared'))[0]).toEqual(swap('cleared', 'i-14', { shortfall: { code: 'let-go' } }));
    expect(await store.advance(key, { from: ['leaving'], set: { state: 'drained', drainedAtMs: nowMs }, clear: ['shortfall'] })).toBe('done');
    expect((await store.swaps('cleared'))[0]).toEqual(swap('cleared', 'i-14', { state: 'drained', drainedAtMs: nowMs }));
    expect(await store.advance(key, { from: ['drained'], set: {} })).toBe('conflict');
  });

  test('given to another drain twice is given once; a writer of another drain is refused, also where the change is there already', async () => {
    const key = { group: 'given', instance: 'i-15' };
    await store.claim(swap(key.group, key.instance, { deadlineMs: 7 }));
    const given = { from: ['leaving'] as const, drain: 'drain-1', set: { drain: 'drain-2', drainOrderedAtMs: nowMs } };
    expect(await store.advance(key, given)).toBe('done');
    expect(await store.advance(key, given)).toBe('done');
    expect(await store.advance(key, { from: ['leaving'], drain: 'drain-1', set: { deadlineMs: 7 } })).toBe('conflict');
    expect(await store.advance(key, { from: ['draining'], drain: 'drain-2', set: { deadlineMs: 7 } })).toBe('done');
    expect(await store.swapOf('i-15')).toMatchObject({ drain: 'drain-2', deadlineMs: 7, state: 'leaving' });
  });

  test('may be given to another drain, with a hook, and loses nothing', async () => {
    await store.claim(swap('hooked', 'i-5', { state: 'waiting', drain: 'old' }));
    const hooks = [{ asg: 'a', hook: 'h', token: 't', expiresAtMs: 9 }];
    const change = { from: ['waiting', 'leaving'] as const, set: { state: 'leaving' as const, drain: 'new', hooks, deadlineMs: undefined } };
    expect(await store.advance({ group: 'hooked', instance: 'i-5' }, change)).toBe('done');
    expect(await store.swapOf('i-5')).toEqual(swap('hooked', 'i-5', { state: 'leaving', drain: 'new', hooks }));
  });

  test('refuses a list of hooks from a writer that has not seen the stored one', async () => {
    const [first, second] = ['h-1', 'h-2'].map((hook) => ({ asg: 'a', hook, token: hook, expiresAtMs: 9 }));
    if (first === undefined || second === undefined) throw new Error('two hooks');
    const key = { group: 'two-hooks', instance: 'i-9' };
    await store.claim(swap(key.group, key.instance));
    const added = { from: ['leaving'] as const, set: { hooks: [first] }, hooksSeen: [] };
    expect(await store.advance(key, added)).toBe('done');
    expect(await store.advance(key, { ...added, set: { hooks: [second] } })).toBe('conflict');
    expect(await store.advance(key, { ...added, set: { hooks: [first, second] }, hooksSeen: [first] })).toBe('done');
    expect((await store.swapOf('i-9'))?.hooks).toEqual([first, second]);
  });

  test('refuses a list of hooks from a writer that has not seen what a heartbeat changed in them', async () => {
    const [first, second] = ['h-1', 'h-2'].map((hook) => ({ asg: 'a', hook, token: hook, expiresAtMs: 9 }));
    if (first === undefined || second === undefined) throw new Error('two hooks');
    const key = { group: 'beaten', instance: 'i-beaten' };
    await store.claim(swap(key.group, key.instance, { hooks: [first] }));
    const change = (set: Pick<Swap, 'hooks'>, ...hooksSeen: readonly LifecycleHook[]) => store.advance(key, { from: ['leaving'], set, hooksSeen });
    for (const news of [
      { timeoutMs: 60_000 },
      { timeoutMs: 60_000, expiresAtMs: 60_009 },
      { timeoutMs: 60_000, expiresAtMs: 60_009, overAtMs: 99 },
    ]) {
      const before = (await store.swapOf(key.instance))?.hooks ?? [];
      const after = [{ ...first, ...news }];
      expect(await change({ hooks: after }, ...before)).toBe('done');
      expect(await change({ hooks: [...before, second] }, ...before)).toBe('conflict');
      expect((await store.swapOf(key.instance))?.hooks).toEqual(after);
    }
  });

  test('is not closed by a writer that read it before its end was requested from its Auto Scaling group', async () => {
    const key = { group: 'asked', instance: 'i-10' };
    const gone = { from: ['leaving'] as const, set: { state: 'gone' as const, goneAtMs: 9 }, unasked: true as const };
    await store.claim(swap(key.group, key.instance));
    await store.advance(key, { from: ['leaving'], set: { releaseAskedAtMs: 8 } });
    expect(await store.advance(key, gone)).toBe('conflict');
    await store.advance(key, { from: ['leaving'], set: {}, clear: ['releaseAskedAtMs'] });
    expect(await store.advance(key, gone)).toBe('done');
  });

  test('that is gone is listed for its drain for as long as it is stored', async () => {
    await store.claim(swap('long', 'i-long', { state: 'gone', goneAtMs: nowMs, drain: 'd-long' }));
    clockMs = nowMs + 48 * 3_600_000;
    expect((await store.stateAndSwaps('long', 'd-long')).swaps).toMatchObject([{ instance: 'i-long' }]);
    expect((await store.stateAndSwaps('long', 'd-other')).swaps).toEqual([]);
    clockMs = nowMs;
  });

  test('that is gone expires after seven days and is listed for one hour more', async () => {
    await store.claim(swap('ended', 'i-6'));
    await store.advance({ group: 'ended', instance: 'i-6' }, { from: ['leaving'], set: { state: 'gone', goneAtMs: nowMs } });
    expect((await itemOf('ended', items.swap('i-6')))?.expiresAt).toBe(nowMs / 1000 + 7 * 24 * 3600);
    expect(await store.swaps('ended')).toHaveLength(1);
    clockMs = nowMs + 3_600_001;
    expect(await store.swaps('ended')).toHaveLength(0);
    expect((await store.stateAndSwaps('ended')).swaps).toHaveLength(0);
    clockMs = nowMs;
    expect((await store.swapOf('i-6'))?.state).toBe('gone');
  });

  test('that is gone is listed until an hour after its target groups were busy', async () => {
    const busyUntilMs = nowMs + 3_500_000;
    await store.claim(swap('busy', 'i-busy', { state: 'gone', goneAtMs: nowMs, busyUntilMs }));
    for (const [atMs, count] of [
      [nowMs + 3_600_001, 1],
      [busyUntilMs + 3_600_001, 0],
    ] as const) {
      clockMs = atMs;
      expect(await store.swaps('busy')).toHaveLength(count);
      expect((await store.stateAndSwaps('busy')).swaps).toHaveLength(count);
    }
    clockMs = nowMs;
  });

  test('that is retired leaves the active ones and is still found', async () => {
    const gone = swap('retired', 'i-7', { state: 'gone', goneAtMs: nowMs });
    await store.claim(gone);
    expect([await store.retire(gone), await store.retire(gone)]).toEqual(['done', 'done']);
    expect(await store.swaps('retired')).toEqual([]);
    expect(await store.swapOf('i-7')).toEqual(gone);
    expect((await itemOf('retired', items.past('i-7')))?.expiresAt).toBe(nowMs / 1000 + 7 * 24 * 3600);
  });

  test('is read as it is now, also when it is history, and never by the index, which lags behind', async () => {
    const stuck = { from: ['leaving'] as const, set: { state: 'draining' as const } };
    const send = (command: { readonly input: object }) =>
      'IndexName' in command.input ? Promise.resolve({ Items: [] }) : tables.client.send(command as never);
    const lagging = storeOver(new Proxy(tables.client, { get: (client, name) => (name === 'send' ? send : Reflect.get(client, name)) }));
    const key = { group: 'now', instance: 'i-now' };
    expect(await lagging.swapNow(key)).toBeUndefined();
    await lagging.claim(swap(key.group, key.instance));
    await lagging.advance(key, stuck);
    expect(await lagging.swapNow(key)).toMatchObject({ state: 'draining' });
    await lagging.retire(swap(key.group, key.instance, { state: 'draining' }));
    expect(await lagging.swapNow(key)).toMatchObject({ state: 'withdrawn' });
    expect(await lagging.swapOf('i-now')).toBeUndefined();
  });

  test('that is retired is found by its drain, if its instance is gone or was out of service', async () => {
    const gone = swap('history', 'i-20', { state: 'gone', goneAtMs: nowMs, drain: 'd-1' });
    const spared = swap('history', 'i-24', { state: 'drained', drainedAtMs: nowMs, drain: 'd-1' });
    const cutShort = swap('history', 'i-25', { state: 'draining', drainStartedAtMs: nowMs, drain: 'd-1' });
    const others = [
      swap('history', 'i-21', { state: 'gone', goneAtMs: nowMs, drain: 'd-2' }),
      swap('history', 'i-22', { state: 'waiting', drain: 'd-1' }),
    ];
    for (const one of [gone, spared, cutShort, ...others]) {
      await store.claim(one);
      await store.retire(one);
    }
    await store.claim(swap('history', 'i-23', { state: 'gone', goneAtMs: nowMs, drain: 'd-1' }));
    const back = [spared, cutShort].map((one) => ({ ...one, state: 'withdrawn' }));
    expect(await store.historyOf('history', 'd-1')).toMatchObject([gone, ...back]);
  });

  test('that is retired while its instance stays is withdrawn, and may be claimed anew', async () => {
    const waiting = swap('withdrawn', 'i-12', { state: 'waiting' });
    await store.claim(waiting);
    await store.retire(waiting);
    expect(await store.swaps('withdrawn')).toEqual([]);
    expect(await store.swapOf('i-12')).toEqual({ ...waiting, state: 'withdrawn', withdrawnAtMs: nowMs });
    expect(await store.claim(waiting)).toEqual({ kind: 'claimed' });
  });

  test('that went on before it is retired is not withdrawn', async () => {
    const waiting = swap('went-on', 'i-13', { state: 'waiting' });
    await store.claim(waiting);
    await store.advance(waiting, { from: ['waiting'], set: { state: 'leaving', drain: 'went-on-1' } });
    await store.retire(waiting);
    expect(await store.swaps('went-on')).toMatchObject([{ state: 'leaving' }]);
    expect(await itemOf('went-on', items.past('i-13'))).toBeUndefined();
  });

  test.each([
    ['a first warning', undefined, 'drained'],
    ['a warning after the deadline of the one before', nowMs - 300_000, 'draining'],
  ] as const)('that has %s since it was read is not withdrawn', async (_, deadlineMs, state) => {
    const group = `warned-${state}`;
    const read = swap(group, `i-${state}`, { state, ...(deadlineMs !== undefined && { deadlineMs }) });
    const againMs = nowMs + 120_000;
    await store.claim(read);
    await store.advance(read, { from: [state], set: { deadlineMs: againMs } });
    expect(await store.retire(read)).toBe('conflict');
    expect(await store.swaps(group)).toMatchObject([{ state, deadlineMs: againMs }]);
    expect(await itemOf(group, items.past(`i-${state}`))).toBeUndefined();
    expect(await store.retire({ ...read, deadlineMs: againMs })).toBe('done');
    expect(await store.swaps(group)).toEqual([]);
  });

  test('that is retired and claimed anew before it is deleted stays withdrawn, beside the new one', async () => {
    const waiting = swap('reclaimed', 'i-14', { state: 'waiting' });
    await store.claim({ ...waiting, state: 'leaving', decision: 'a later one' });
    await store.retire(waiting);
    expect(await store.swaps('reclaimed')).toMatchObject([{ state: 'leaving', decision: 'a later one' }]);
    expect(await itemOf('reclaimed', items.past('i-14'))).toMatchObject({ state: 'withdrawn', decision: waiting.decision });
  });

  test('that is claimed anew is not retired with its predecessor', async () => {
    await store.claim(swap('reborn', 'i-8'));
    await store.retire(swap('reborn', 'i-8', { state: 'gone', goneAtMs: nowMs }));
    expect(await store.swaps('reborn')).toHaveLength(1);
  });

  test('is found among a thousand, over every page of more than a megabyte', async () => {
    const shortfall = { code: 'drain-broke', error: 'x'.repeat(2_000) } as const;
    const all = Array.from({ length: 1_000 }, (_, index) => swap('storm-swaps', `i-${index}`, { shortfall }));
    await inParallel(all, 32, (one) => store.claim(one));
    expect(await store.swaps('storm-swaps')).toHaveLength(1_000);
    expect((await store.swapOf('i-777'))?.group).toBe('storm-swaps');
    expect(await store.swapOf('i-unknown')).toBeUndefined();
  });
});

test('the registry lists every group with what routes signals to it, even one that is called like another item', async () => {
  const entry = { policyVersion: 2, asgs: ['asg-1'], alarms: ['cpu'] };
  for (const group of ['policy', 'workers']) {
    await tables.client.send(new PutCommand({ TableName: 'groups', Item: { ...entry, group: registryPartition, item: items.entry(group) } }));
  }
  expect(await store.registry()).toEqual(['policy', 'workers'].map((group) => ({ group, ...entry })));
});

test('an item that a user writes into the registry’s partition is not an entry', async () => {
  await tables.client.send(new PutCommand({ TableName: 'groups', Item: { group: registryPartition, item: items.policy, policy: 'anything' } }));
  expect((await store.registry()).map(({ group }) => group)).not.toContain('');
  expect((await store.registry()).every(({ asgs }) => Array.isArray(asgs))).toBe(true);
});

test('a group in force is what the groups table accepted', async () => {
  const resolved = anyGroup({ name: 'workers', policyVersion: 3 });
  await tables.client.send(new PutCommand({ TableName: 'groups', Item: { group: 'workers', item: items.accepted, version: 3, resolved } }));
  expect(await store.group('workers')).toEqual(resolved);
  expect(await store.group('nobody')).toBeUndefined();
});

test('the results of dry runs are noted beside the status of the version that they are about, and of no other', async () => {
  const check = { code: 'no-dry-run', pools: ['a'], message: 'It cannot be tried.' } as const;
  await tables.client.send(new PutCommand({ TableName: 'groups', Item: { group: 'checked', item: items.status, version: 3, status: 'accepted' } }));
  await store.putChecks('checked', 2, [check], nowMs);
  const noted = async () =>
    (await tables.client.send(new GetCommand({ TableName: 'groups', Key: { group: 'checked', item: items.status }, ConsistentRead: true }))).Item;
  expect(await noted()).not.toHaveProperty('checks');
  await store.putChecks('checked', 3, [check], nowMs);
  expect(await noted()).toMatchObject({ status: 'accepted', version: 3, checks: [check], checkedAt: new Date(nowMs).toISOString() });
});

test('an error other than a lost race is thrown', async () => {
  const broken = createDocumentClient({ ...tables.config, maxAttempts: 1, endpoint: 'http://127.0.0.1:1' });
  const unreachable = storeOver(broken);
  await expect(unreachable.putState('x', state(1))).rejects.toThrow();
  await expect(unreachable.claim(swap('x', 'i-9'))).rejects.toThrow();
  const claim = { asg: 'web-asg', group: 'web', atMs: 1, before: [] };
  const readable = { send: async (command: object) => (command instanceof PutCommand ? Promise.reject(awsError('ThrottlingException')) : {}) };
  await expect(createAsgClaims(readable as typeof broken, 'groups').claim(claim, undefined)).rejects.toThrow('ThrottlingException');
  await expect(unreachable.putChecks('x', 1, [], nowMs)).rejects.toThrow();
  await expect(unreachable.advance(swap('x', 'i-9'), { from: ['leaving'], set: { deadlineMs: 1 } })).rejects.toThrow();
  broken.destroy();
});
