import { describe, expect, test } from 'vitest';
import type { Cause } from '../../core/decision/decision-record.ts';
import type { Group } from '../../core/group/group.ts';
import { mayLackSwaps } from '../../core/group-state/restored.ts';
import type { Announcement } from '../../core/ports/surroundings.ts';
import type { LeavingFact } from '../../core/swap/claim.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { GroupState } from '../../core/view/view.ts';
import { letGo } from '../../functions/react/let-go/let-go.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { group, nowMs, reservation, state } from '../core/views.ts';
import { factsOf } from './facts.ts';

/** Lets a group with this state go, and gives what was written and told. */
const letGoOf = async (stored: GroupState, causes: readonly Cause[] = [{ code: 'policy-change' }], ended: readonly string[] = []) => {
  const written: GroupState[] = [];
  const told: Announcement[] = [];
  const ports = {
    store: {
      swaps: async () => [],
      state: async () => stored,
      putState: async (_: string, next: GroupState) => {
        written.push(next);
        return 'done';
      },
    },
    believed: (_: string, known: GroupState) => known,
    announcer: { announce: async (events: readonly Announcement[]) => void told.push(...events) },
    clock: { now: () => nowMs },
    telemetry: { logger: { warn: () => {} } },
  } as unknown as ReactPorts;
  await letGo(factsOf({ causes, ended }), ports);
  return { written, told };
};

/** What is claimed when a signal reports this about a member of a group that was let go. */
const claimedOf = async (
  reason: LeavingFact['reason'],
  last: Group | undefined = group(),
  stored: { readonly state?: GroupState } = { state: state() },
) => {
  const claimed: Swap[] = [];
  const told: Announcement[] = [];
  const counted: (readonly [string, number])[] = [];
  const ports = {
    store: {
      swaps: async () => [],
      state: async () => stored.state,
      lastGroup: async () => last,
      claim: async (swap: Swap) => {
        claimed.push(swap);
        return { kind: 'claimed' };
      },
      putState: async () => 'done',
    },
    believed: (_: string, known: GroupState) => known,
    announcer: { announce: async (events: readonly Announcement[]) => void told.push(...events) },
    clock: { now: () => nowMs },
    random: () => 0.5,
    telemetry: { logger: { warn: () => {} }, count: (metric: string, by: number) => void counted.push([metric, by]) },
  } as unknown as ReactPorts;
  await letGo(factsOf({ leaving: [{ instance: 'i-1', reason, atMs: nowMs, deadlineMs: nowMs + 120_000 }] }), ports);
  return { claimed, told, counted };
};

describe('a group that is let go', () => {
  test('remembers which members EC2 takes, for a policy that comes back', async () => {
    const { claimed, told, counted } = await claimedOf('interruption');
    expect(counted).toEqual([['Interruptions', 1]]);
    expect(claimed).toMatchObject([{ group: 'web', instance: 'i-1', state: 'leaving', deadlineMs: nowMs + 120_000 }]);
    expect(told).toMatchObject([{ detailType: 'Holdfast Swap Started', group: 'web', detail: { instances: ['i-1'] } }]);
    expect((await claimedOf('rebalance')).claimed).toEqual([]);
    expect((await claimedOf('interruption', group({ mode: 'observe' }))).claimed).toEqual([]);
  });

  test('remembers them also if its state item was lost, because EC2 warns only once', async () => {
    const { claimed, told } = await claimedOf('interruption', group(), {});
    expect(claimed).toMatchObject([{ group: 'web', instance: 'i-1', state: 'leaving', deadlineMs: nowMs + 120_000 }]);
    expect(told).toMatchObject([{ detailType: 'Holdfast Swap Started', group: 'web', detail: { instances: ['i-1'] } }]);
  });

  const settled = state({ version: 7, policySize: '' });

  test.each([
    ['was lost', undefined, 'ended-before-drain'],
    ['does not say yet that the group was let go', state(), 'ended-before-drain'],
    ['says that the group was let go', settled, 'let-go'],
  ])('closes the swap of a member that has ended where its state item %s', async (_, stored, code) => {
    const changed: unknown[] = [];
    const left = { group: 'web', instance: 'i-1', reason: 'interruption', state: 'leaving', claimedAtMs: nowMs - 5_000 };
    const ports = {
      store: {
        state: async () => stored,
        putState: async () => 'done',
        swaps: async () => [left],
        lastGroup: async () => group(),
        advance: async (swap: Swap, change: { readonly to: string }) => {
          changed.push([swap.instance, change]);
          return 'done';
        },
      },
      believed: (_: string, known: GroupState) => known,
      owners: { ownersOf: async () => new Map([['i-1', { state: 'terminated' }]]) },
      clock: { now: () => nowMs },
      random: () => 0.5,
      telemetry: { logger: { warn: () => {} } },
    } as unknown as ReactPorts;
    await letGo(factsOf({ causes: [{ code: 'tick' }] }), ports);
    expect(changed).toMatchObject([['i-1', { from: ['leaving'], set: { shortfall: { code } } }]]);
  });

  test('has its state item written even where nothing changes, so that a decision under the policy of before loses its write', async () => {
    expect((await letGoOf(settled)).written).toEqual([{ ...settled, version: 8 }]);
    expect((await letGoOf(settled, [{ code: 'tick' }])).written).toEqual([]);
  });

  test('remembers which members ended, for a policy that comes back while describes still show these as alive', async () => {
    const endedOf = async (...[known, ended]: [GroupState['ended'], readonly string[]]) =>
      (await letGoOf({ ...settled, ...(known && { ended: known }) }, [{ code: 'policy-change' }], ended)).written.map((one) => one.ended);
    expect(await endedOf(undefined, ['i-1'])).toEqual([{ 'i-1': nowMs }]);
    expect(await endedOf({ 'i-1': nowMs - 179_999, 'i-2': nowMs - 180_000 }, ['i-1', 'i-3'])).toEqual([{ 'i-1': nowMs - 179_999, 'i-3': nowMs }]);
    expect(await endedOf({ 'i-2': nowMs - 180_000 }, [])).toEqual([undefined]);
    const many = Array.from({ length: 1_001 }, (_, index) => `i-${index}`);
    expect((await endedOf({ 'i-old': nowMs - 1 }, many)).map((one = {}) => Object.keys(one).length)).toEqual([1_000]);
  });

  test('may lack swaps if a later look than that of the deletion finds that it was not let go: an older item may have been restored', async () => {
    const tick = await letGoOf(state(), [{ code: 'tick' }]);
    expect(tick.written.map((one) => mayLackSwaps(one, nowMs))).toEqual([true]);
    const deletion = await letGoOf(state(), [{ code: 'tick' }, { code: 'policy-change' }]);
    expect(deletion.written.map((one) => mayLackSwaps(one, nowMs))).toEqual([false]);
  });

  test('drops the list of new members, because their ends now prove nothing about their boots', async () => {
    const { written } = await letGoOf(state({ newcomers: { 'i-1': { pool: 'spot-a', atMs: 1 } } }));
    expect(written).toHaveLength(1);
    expect(written[0]).not.toHaveProperty('newcomers');
  });

  test('names what was launched for it and may not have joined, once', async () => {
    const reservations = [
      reservation({ id: 'r-1', instances: ['i-1', 'i-2'] }),
      reservation({ id: 'r-2' }),
      reservation({ id: 'r-3', forgetAtMs: 0, instances: ['i-3'] }),
    ];
    const { told } = await letGoOf(state({ reservations }));
    expect(told).toEqual([{ detailType: 'Holdfast Group Let Go', group: 'web', detail: { launched: ['i-1', 'i-2'], unanswered: ['r-2'] } }]);
    expect((await letGoOf({ ...settled, reservations })).told).toEqual([]);
    expect((await letGoOf(state())).told).toEqual([]);
    expect((await letGoOf(state({ reservations: [reservation({ id: 'r-4', instances: [] })] }))).told).toEqual([]);
  });
});

test('a hook that AWS does not complete now comes again, and the group is let go all the same', async () => {
  const written: GroupState[] = [];
  const trouble = new Error('Try later.');
  const ports = {
    store: {
      swaps: async () => [],
      state: async () => state({ reservations: [] }),
      putState: async (_: string, next: GroupState) => {
        written.push(next);
        return 'done';
      },
    },
    believed: (_: string, known: GroupState) => known,
    lifecycle: { complete: () => Promise.reject(trouble) },
    clock: { now: () => nowMs },
    telemetry: { logger: { warn: () => {} } },
  } as unknown as ReactPorts;
  const hook = { asg: 'web-asg', hook: 'drain', token: 't', expiresAtMs: nowMs + 60_000 };
  const leaving: LeavingFact[] = [{ instance: 'i-1', reason: 'hook', atMs: nowMs, hook }];
  await expect(letGo(factsOf({ leaving, causes: [{ code: 'policy-change' }] }), ports)).rejects.toThrow(trouble);
  expect(written).toHaveLength(1);
});
