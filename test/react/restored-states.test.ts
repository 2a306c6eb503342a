import { describe, expect, test } from 'vitest';
import { followLook } from '../../core/group-state/look.ts';
import { asNew, lastOf, writesOf } from '../../core/group-state/restored.ts';
import { initialState } from '../../core/group-state/state.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { GroupState, Member } from '../../core/view/view.ts';
import { factsOfLost } from '../../functions/react/look/lost-warnings.ts';
import { noticingRestored } from '../../functions/react/look/restored-states.ts';
import { awsError } from '../aws/fake-aws.ts';
import { member, members } from '../core/members.ts';
import { group, nowMs, spotA, state } from '../core/views.ts';
import { swap } from '../drain/fleet.ts';
import { silent } from './facts.ts';

/** An environment, and the table behind it. */
const environment = (stored: GroupState | undefined) => {
  const table = { stored };
  const store: Partial<StateStore> = {
    state: async () => table.stored,
    putState: async (_, next) => {
      if ((table.stored?.version ?? 0) !== next.version - 1) return 'conflict';
      table.stored = next;
      return 'done';
    },
  };
  const { store: noticing, believed } = noticingRestored(store as StateStore, silent, () => nowMs);
  const look = async (): Promise<GroupState | undefined> => {
    const found = await noticing.state('web');
    return found && believed('web', found);
  };
  return { table, look, putState: noticing.putState };
};

const policy = group();
const older: GroupState = state({
  version: 5,
  desired: 5,
  policySize: JSON.stringify(policy.size),
  lastReservation: 'a',
  alarmStates: { busy: { atMs: nowMs - 600_000, isOn: true } },
  scheduled: { schedule: '[]', atMs: nowMs - 600_000 },
});

describe('a state item with fewer writes than this environment has seen', () => {
  test('was restored: its alarms, schedule and reservations are out of date and have no effect', async () => {
    const { table, look, putState } = environment(older);
    expect(await look()).toBe(older);
    await putState('web', { ...older, version: 6 });
    table.stored = older;
    const { alarmStates: _a, scheduled: _s, lastReservation: _l, ...left } = older;
    expect(await look()).toEqual({ ...left, policyVersion: 0, renewedAtMs: nowMs });
  });

  test('counts on from the writes that were seen, so it is noticed once', async () => {
    const { table, look, putState } = environment(older);
    await look();
    table.stored = { ...older, version: 3 };
    const restored = await look();
    expect(restored && writesOf(restored)).toBe(nowMs + 3);
    if (restored !== undefined) await putState('web', { ...restored, version: 4 });
    expect(await look()).toBe(table.stored);
    expect(table.stored).toMatchObject({ version: 4, renewedAtMs: nowMs });
  });

  test('is not reported after a write that failed', async () => {
    const { look, putState } = environment(older);
    expect(await putState('web', { ...older, version: 9 })).toBe('conflict');
    expect(await look()).toBe(older);
  });

  test('is the lost item and not the one that was written after it, whether the environment saw that one or not', async () => {
    const fresh = { ...asNew(initialState(policy), nowMs), version: 1 };
    for (const isSeen of [true, false]) {
      const { table, look, putState } = environment({ ...older, version: 9 });
      await look();
      table.stored = undefined;
      expect(await look()).toBeUndefined();
      if (isSeen) {
        await putState('web', fresh);
        expect(await look()).toBe(fresh);
      }
      table.stored = { ...older, version: 8 };
      expect((await look())?.renewedAtMs).toBe(nowMs);
    }
    // A table may be emptied again.
    const { table, look } = environment(fresh);
    await look();
    table.stored = { ...asNew(initialState(policy), nowMs + 60_000), version: 1 };
    expect(await look()).toBe(table.stored);
  });

  test('of a group that had no policy then does not make it one that comes back: the present members stay', async () => {
    const { table, look } = environment({ ...older, version: 8 });
    await look();
    table.stored = { ...older, policySize: '' };
    const stored = await look();
    if (stored === undefined) throw new Error('The table has the item.');
    const there = members(spotA, 12).map((member) => ({ ...member, reservation: 'b' }));
    const holdings = { members: there, asgs: [], aside: [], ended: [], stopped: [] };
    const found = { group: policy, stored, known: stored, inherited: { raised: [] }, swaps: [], holdings, alarms: [], nowMs };
    expect(followLook(found).state.desired).toBe(12);
    const comesBack = { ...stored, policySize: '' };
    expect(followLook({ ...found, stored: comesBack, known: comesBack }).state.desired).toBe(policy.size.desired);
  });
});

describe('a function that has written a later state than the table holds', () => {
  const known = { ...older, version: 6 };
  test('writes its own over it, and counts on from its writes', () => {
    const now = lastOf(known, older, nowMs);
    expect(now).toEqual({ ...known, version: 5, renewedAtMs: nowMs });
    expect(writesOf(now)).toBeGreaterThan(writesOf(known));
    const renewed = { ...known, renewedAtMs: 2 * nowMs };
    expect(writesOf(lastOf(renewed, older, nowMs))).toBe(writesOf(renewed));
  });
  test('writes it anew where there is none, and leaves a later one as it is', () => {
    expect(lastOf(known, undefined, nowMs)).toEqual({ ...known, version: 0, renewedAtMs: nowMs });
    for (const version of [6, 9]) expect(lastOf(known, { ...older, version }, nowMs)).toEqual({ ...older, version });
  });
});

describe('an environment', () => {
  /** An environment over a table of versions by group, with the warnings that it logs. */
  const open = () => {
    const versions = new Map<string, number>();
    const logged: unknown[] = [];
    const stateOf = (name: string) => (versions.has(name) ? state({ version: versions.get(name) ?? 0 }) : undefined);
    const store: Partial<StateStore> = {
      state: async (name) => stateOf(name),
      stateAndSwaps: async (name) => ({ state: stateOf(name), swaps: [] }),
    };
    const warn = (text: string, more: object) => void logged.push({ text, ...more });
    const logger = { ...silent.logger, warn } as unknown as typeof silent.logger;
    const { store: noticing, believed } = noticingRestored(store as StateStore, { logger }, () => nowMs);
    const isRestored = (name: string) => {
      const stored = stateOf(name);
      return stored !== undefined && believed(name, stored) !== stored;
    };
    return { versions, logged, noticing, isRestored };
  };

  test('logs a restored item once for each number of writes that it finds', async () => {
    const { versions, logged, noticing, isRestored } = open();
    versions.set('web', 9);
    await noticing.stateAndSwaps('web');
    for (const version of [4, 4, 5, 9]) {
      versions.set('web', version);
      isRestored('web');
    }
    const text = 'The state of a group is older than one that was read before: it was restored.';
    expect(logged).toEqual([
      { text, group: 'web', writes: 4, seen: 9 },
      { text, group: 'web', writes: 5, seen: 9 },
    ]);
  });

  test('notices a restore by the items that it read beside their swaps', async () => {
    const { versions, noticing, isRestored } = open();
    versions.set('web', 9);
    expect(await noticing.stateAndSwaps('web')).toMatchObject({ state: { version: 9 }, swaps: [] });
    versions.set('web', 8);
    expect(isRestored('web')).toBe(true);
  });

  test('remembers ten thousand groups, those read last', async () => {
    const { versions, noticing, isRestored } = open();
    const names = Array.from({ length: 10_000 }, (_, index) => `web-${index}`);
    for (const name of names) {
      versions.set(name, 9);
      await noticing.state(name);
    }
    await noticing.state('web-0');
    versions.set('one-more', 9);
    await noticing.state('one-more');
    for (const name of ['web-0', 'web-1', 'web-2']) versions.set(name, 3);
    expect(['web-0', 'web-1', 'web-2'].map(isRestored)).toEqual([true, false, true]);
  });
});

describe('warnings that a table has lost', () => {
  const deadlineMs = nowMs + 100_000;
  const warned = swap('i-1', { deadlineMs, warnedAtMs: nowMs - 20_000, claimedAtMs: nowMs - 18_000 });

  /** An environment over a table with a state item, swaps and their history. */
  const open = (version: number, swaps: readonly Swap[]) => {
    const table: { stored: GroupState | undefined; swaps: readonly Swap[]; past: readonly Swap[] } = {
      ...{ stored: { ...older, version }, swaps, past: [] },
    };
    const store: Partial<StateStore> = {
      stateAndSwaps: async () => ({ state: table.stored, swaps: table.swaps }),
      swapNow: async ({ instance }) => [...table.swaps, ...table.past].find((one) => one.instance === instance),
      claim: async (one) => {
        table.swaps = [...table.swaps, one];
        return { kind: 'claimed' };
      },
    };
    const noticing = noticingRestored(store as StateStore, silent, () => nowMs).store;
    return { table, store, noticing, lost: async () => (await noticing.stateAndSwaps('web')).lost?.map(({ instance }) => instance) };
  };

  test('are found in a table that is older or empty, also if its state item does not show that', async () => {
    const restored: readonly (GroupState | undefined)[] = [{ ...older, version: 8 }, undefined, { ...older, version: 9 }];
    for (const stored of restored) {
      const { table, lost } = open(9, [warned, swap('i-2', { reason: 'rebalance' }), swap('i-3', { deadlineMs, state: 'gone' })]);
      expect(await lost()).toBeUndefined();
      Object.assign(table, { stored, swaps: [] });
      expect(await lost()).toEqual(['i-1']);
    }
  });

  test('are those that this environment claimed since its last read, too', async () => {
    const { table, noticing, lost } = open(9, []);
    await lost();
    await noticing.claim(warned);
    table.swaps = [];
    expect(await lost()).toEqual(['i-1']);
  });

  test('are not those that another environment had claimed before', async () => {
    const { noticing, store, lost } = open(9, []);
    await lost();
    store.claim = async (swap) => ({ kind: 'exists', swap });
    await noticing.claim(warned);
    expect(await lost()).toBeUndefined();
  });

  test('stay lost until they are claimed again', async () => {
    const { table, noticing, lost } = open(9, [warned]);
    await lost();
    table.swaps = [];
    await lost();
    expect(await lost()).toEqual(['i-1']);
    await noticing.claim(warned);
    expect(await lost()).toBeUndefined();
  });

  test('are none while their swaps are history', async () => {
    const { table, lost } = open(9, [warned]);
    await lost();
    Object.assign(table, { swaps: [], past: [{ ...warned, state: 'gone' }] });
    expect(await lost()).toBeUndefined();
    // The history may expire. What it showed is not looked up again.
    table.past = [];
    expect(await lost()).toBeUndefined();
  });

  test('are looked for again with the next look, if the history cannot be read now', async () => {
    const { table, store, lost } = open(9, [warned]);
    await lost();
    table.swaps = [];
    const { swapNow } = store;
    store.swapNow = () => Promise.reject(awsError('ThrottlingException'));
    expect(await lost()).toBeUndefined();
    Object.assign(store, { swapNow });
    expect(await lost()).toEqual(['i-1']);
  });

  test('become facts until their deadline, and teach nothing about their offering', () => {
    expect(factsOfLost([warned], [], nowMs)).toEqual([
      {
        instance: 'i-1',
        reason: 'interruption',
        atMs: nowMs - 20_000,
        heardAtMs: nowMs - 18_000,
        drainWantedAtMs: nowMs - 18_000,
        deadlineMs,
      },
    ]);
    expect(factsOfLost([warned], [], deadlineMs)).toEqual([]);
  });

  test('become facts after their deadline where the member runs on and does no work, so that it is put back', () => {
    const found = (rest: Partial<Member>) =>
      factsOfLost([warned], [member('i-1', spotA, { serving: false, ...rest }), member('i-2', spotA)], deadlineMs + 200_000);
    expect(found({})).toMatchObject([{ instance: 'i-1', deadlineMs }]);
    expect(found({ serving: true })).toEqual([]);
    expect(found({ mayServe: true })).toEqual([]);
    // EC2 stopped it, and it was started again.
    expect(found({ launchedAtMs: deadlineMs + 1 })).toEqual([]);
  });
});
