import { describe, expect, it } from 'vitest';
import { emptyDraft } from '../../../core/decide/draft.ts';
import { waitingSwaps } from '../../../core/decide/waiting-swaps.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { View } from '../../../core/view/view.ts';
import { members } from '../members.ts';
import { group, nowMs, onDemandB, spotA, spotB, state, swapOf } from '../views.ts';
import { proposed, situationOf } from './situations.ts';

const waits = (instance: string, rest: Partial<Swap> = {}): Swap => {
  const { deadlineMs: _deadline, drain: _drain, ...swap } = swapOf(instance, { reason: 'rebalance', state: 'waiting', ...rest });
  return swap;
};
const drains = (rest: Partial<View>) => proposed(waitingSwaps, rest).drains;
const sixteen = [...members(spotA, 8), ...members(spotB, 8)];

describe('waiting swaps begin', () => {
  it('in the order in which they were claimed, those of one moment by their ids', () => {
    const swaps = [
      waits('spot-b#2'),
      waits('spot-b#1'),
      waits('spot-a#8', { claimedAtMs: nowMs - 1 }),
      waits('spot-a#1', { claimedAtMs: nowMs + 1 }),
    ];
    expect(drains({ members: sixteen, swaps })).toEqual(['spot-a#8', 'spot-b#1', 'spot-b#2', 'spot-a#1']);
    expect(drains({ members: sixteen, swaps: [...swaps].reverse() })).toEqual(['spot-a#8', 'spot-b#1', 'spot-b#2', 'spot-a#1']);
    expect(drains({ members: sixteen.slice(3), swaps })).toEqual(['spot-a#8', 'spot-b#1', 'spot-b#2']);
  });

  it('for advice only as far as the budget for advice goes', () => {
    const bounded = group({ rebalance: { act: true, atMostPerHour: 1 } });
    const swaps = [waits('spot-a#1'), waits('spot-a#2', { reason: 'maintenance' }), waits('spot-a#3')];
    expect(drains({ group: bounded, members: sixteen, swaps })).toEqual(['spot-a#1', 'spot-a#2']);
  });
});

describe('with drain-first, waiting swaps begin', () => {
  const drainFirst = group({
    swap: { order: 'drain-first', maxSurge: 3 },
    pools: { 'spot-a': spotA, 'spot-b': { ...spotB, cap: 6 }, 'od-b': { ...onDemandB, cap: 0 } },
  });
  const refused = { kind: 'refused' as const, code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs + 600_000, streak: 1 };
  const three = ['spot-a#1', 'spot-a#2', 'spot-a#3'].map((instance) => waits(instance));
  const eleven = [...members(spotA, 6), ...members(spotB, 5)];
  const look = { group: drainFirst, members: eleven, swaps: three, state: state({ memory: { 'm7g.large/a/spot': refused } }) };

  it('as many as serve above the size, and as many more as the tree can replace', () => {
    expect(drains(look)).toEqual(['spot-a#1', 'spot-a#2']);
  });

  it('only the surplus while so many instances ended at boot that no replacement may be launched', () => {
    const memory = { 'm7g.large/a/spot': refused };
    const begunAfter = (count: number, agoMs = 1_000) => drains({ ...look, state: state({ memory, deaths: [{ atMs: nowMs - agoMs, count }] }) });
    expect([begunAfter(9), begunAfter(10), begunAfter(10, 600_000)]).toEqual([['spot-a#1', 'spot-a#2'], ['spot-a#1'], ['spot-a#1', 'spot-a#2']]);
  });

  it('only the surplus also where several would share such a bound, because one of them is drained first', () => {
    const roomy = group({ swap: { order: 'drain-first', maxSurge: 3 }, pools: { 'spot-a': spotA, 'spot-b': spotB, 'od-b': onDemandB } });
    const begunAfter = (count: number) => drains({ ...look, group: roomy, state: state({ deaths: [{ atMs: nowMs, count }] }) });
    expect([begunAfter(9), begunAfter(15)]).toEqual([['spot-a#1', 'spot-a#2', 'spot-a#3'], ['spot-a#1']]);
  });

  it('only the surplus while launches were denied for a cause that may be common to all pools', () => {
    const roomy = group({ swap: { order: 'drain-first', maxSurge: 3 }, pools: { 'spot-a': spotA, 'spot-b': spotB, 'od-b': onDemandB } });
    const denial = { code: 'UnauthorizedOperation', message: '', atMs: nowMs - 90_000, untilMs: nowMs - 30_000 };
    const begunAfter = (denied: typeof denial & { readonly isItsOwn?: true }) =>
      drains({ ...look, group: roomy, state: state({ denials: { 'spot-a': denied } }) });
    expect(begunAfter(denial)).toEqual(['spot-a#1']);
    expect(begunAfter({ ...denial, isItsOwn: true })).toEqual(['spot-a#1', 'spot-a#2', 'spot-a#3']);
  });

  it('those that never served and that only a spare is missing without, where the tree gives nothing', () => {
    const full = group({
      swap: { order: 'drain-first', maxSurge: 2 },
      spare: 1,
      pools: { 'spot-a': { ...spotA, cap: 0 }, 'spot-b': { ...spotB, cap: 0 }, 'od-b': { ...onDemandB, cap: 0 } },
    });
    const begun = (serving: number, idle: number) => {
      const never = members(spotB, idle, { serving: false, launchedAtMs: nowMs - 900_000 });
      const unserved = Object.fromEntries(never.map(({ instance }) => [instance, { why: 'target-health' as const, sinceMs: nowMs - 600_000 }]));
      return drains({
        group: full,
        members: [...members(spotA, serving), ...never],
        swaps: never.map(({ instance }) => waits(instance, { reason: 'never-served' })),
        state: state({ desired: 5, unserved }),
      });
    };
    expect([begun(5, 1), begun(4, 2), begun(5, 2)]).toEqual([['spot-b#1'], ['spot-b#1'], ['spot-b#1', 'spot-b#2']]);
    // Without this one, the group is short.
    expect([begun(4, 1), begun(3, 2)]).toEqual([[], []]);
  });

  it('and no later rule counts them as serving', () => {
    const situation = situationOf(look);
    waitingSwaps.propose(situation, emptyDraft);
    expect(situation.arbiter.releasable.left()).toBe(-1);
  });
});

describe('with spares, waiting swaps begin', () => {
  const spared = group({ spare: 4, swap: { order: 'launch-first', maxSurge: 2 } });
  const three = ['spot-a#1', 'spot-a#2', 'spot-a#3'].map((instance) => waits(instance));
  const begun = (...others: readonly Swap[]) =>
    drains({ group: spared, members: sixteen, state: state({ desired: 10 }), swaps: [...others, ...three] });

  it('as many as the surge, less those that leave already', () => {
    expect(begun()).toEqual(['spot-a#1', 'spot-a#2']);
    expect(begun(waits('spot-b#1', { state: 'leaving' }))).toEqual(['spot-a#1']);
    expect(begun(waits('spot-b#1', { state: 'draining' }))).toEqual(['spot-a#1']);
    expect(begun(waits('spot-b#1', { state: 'draining' }), waits('spot-b#2', { state: 'leaving' }))).toEqual([]);
    expect(begun(...[1, 2, 3].map((n) => waits(`spot-b#${n}`, { state: 'leaving' })))).toEqual([]);
  });

  it('without counting swaps that are drained, that leave by a deadline, or that are not replaced', () => {
    expect(begun(waits('spot-b#1', { state: 'drained' }))).toEqual(['spot-a#1', 'spot-a#2']);
    expect(begun(swapOf('spot-b#1', { state: 'leaving', reason: 'rebalance' }))).toEqual(['spot-a#1', 'spot-a#2']);
    expect(begun(waits('spot-b#1', { state: 'leaving', reason: 'interruption' }))).toEqual(['spot-a#1', 'spot-a#2']);
    expect(begun(waits('spot-b#1', { state: 'leaving', reason: 'scale-in' }))).toEqual(['spot-a#1', 'spot-a#2']);
  });

  it('also behind a member that has to serve on', () => {
    const drainFirst = group({ spare: 4, swap: { order: 'drain-first', maxSurge: 1 } });
    const never = members(spotB, 1, { serving: false, launchedAtMs: nowMs - 900_000 });
    const unserved = { 'spot-b#1': { why: 'target-health' as const, sinceMs: nowMs - 600_000 } };
    const swaps = [waits('spot-a#1', { claimedAtMs: nowMs - 1 }), waits('spot-b#1', { reason: 'never-served' })];
    const begun = (serving: number) =>
      drains({ group: drainFirst, members: [...members(spotA, serving), ...never], state: state({ desired: 3, unserved }), swaps });
    expect([begun(2), begun(4)]).toEqual([['spot-b#1'], ['spot-a#1']]);
  });
});
