import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import type { Group } from '../../../core/group/group.ts';
import { bind } from '../../../core/group-state/binding.ts';
import { catchUp } from '../../../core/group-state/state.ts';
import { keptAmong, sparesWanted } from '../../../core/placement/spare.ts';
import { noReturns } from '../../../core/returning/memory.ts';
import type { AsgView, Member, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { refusedOfferings } from '../selector/tree-builders.ts';
import { group, nowMs, onDemandB, spotA, spotB, state, swapOf, view } from '../views.ts';

const minute = 60_000;
const returning = { afterMs: 10 * minute, everyMs: 5 * minute, atMost: { kind: 'share', percent: 50 }, timezone: 'UTC' } as const;
const spared = (spare: number, rest: Partial<Group> = {}): Group => group({ spare, size: { min: 0, max: 20, desired: 4 }, returning, ...rest });
const look = (list: readonly Member[], rest: Partial<View> = {}): View =>
  view({ group: spared(1), state: state({ desired: 4 }), members: list, ...rest });
const noSpot = refusedOfferings('m7g.large/a/spot', 'm7g.large/b/spot');
const placed = (shown: View) => decide(shown).placements.map(({ pool, count }) => ({ pool, count }));
const removed = (shown: View) => decide(shown).removals.map(({ instance, reason }) => ({ instance, reason }));

describe('a group with a spare', () => {
  it('keeps one member more than its size, on spot', () => {
    const { placements, reasons, spares, unplaced } = decide(look([...members(spotA, 2), ...members(spotB, 2)]));
    expect(placements).toMatchObject([{ pool: 'spot-a', count: 1 }]);
    expect(reasons).toMatchObject([{ pool: 'spot-a', count: 1, spare: true }]);
    expect([spares, unplaced]).toEqual([{ placed: 1, missing: 0 }, 0]);
    expect(decide(look([...members(spotA, 3), ...members(spotB, 2)]))).toMatchObject({ placements: [], removals: [] });
  });

  it('does not replace a member on demand while it has its size without it', () => {
    const five = [...members(spotA, 3), ...members(spotB, 2)];
    const swaps = [swapOf('spot-a#1')];
    expect(placed(look(five, { swaps }))).toEqual([{ pool: 'spot-a', count: 1 }]);
    expect(placed(look(five, { swaps, state: state({ desired: 4, memory: noSpot }) }))).toEqual([]);
  });

  it('replaces by the whole tree what it misses of its size', () => {
    const five = [...members(spotA, 3), ...members(spotB, 2)];
    const swaps = [swapOf('spot-a#1'), swapOf('spot-a#2')];
    expect(placed(look(five, { swaps }))).toEqual([{ pool: 'spot-a', count: 2 }]);
    expect(placed(look(five, { swaps, state: state({ desired: 4, memory: noSpot }) }))).toEqual([{ pool: 'od-b', count: 1 }]);
  });

  it('remarks once that spot gives no spare, and is at rest then', () => {
    const four = look([...members(spotA, 2), ...members(spotB, 2)], { state: state({ desired: 4, memory: noSpot }) });
    const decision = decide(four);
    expect(decision).toMatchObject({ unplaced: 0, spares: { placed: 0, missing: 1 }, remarks: [{ code: 'spares-missing', count: 1, of: 1 }] });
    const bound = bind(decision, four, { decision: 'd', round: 0, leaseMs: minute }).state;
    expect(bound.sparesMissing).toBe(1);
    expect(decide({ ...four, state: bound }).remarks).toEqual([]);
    expect(decide({ ...four, state: bound }).wakeAtMs).toBeUndefined();
  });

  it('requests no spares while members of its size cannot be placed', () => {
    const nothing = refusedOfferings('m7g.large/a/spot', 'm7g.large/b/spot', 'm7g.large/b/on-demand');
    const three = look([...members(spotA, 2), ...members(spotB, 1)], { state: state({ desired: 4, memory: nothing }) });
    expect(decide(three)).toMatchObject({ unplaced: 1, spares: { placed: 0, missing: 1 }, remarks: [] });
  });

  it('lets no more die for spares than for other members', () => {
    const deaths = [{ atMs: nowMs - minute, count: 10 }];
    expect(placed(look([...members(spotA, 2), ...members(spotB, 2)], { state: state({ desired: 4, deaths }) }))).toEqual([]);
  });

  it('launches no more spares than the account allows now', () => {
    const three = look([...members(spotA, 2), ...members(spotB, 2)], { group: spared(3), mayLaunch: 2 });
    expect(placed(three).reduce((sum, { count }) => sum + count, 0)).toBe(2);
  });

  it('lets a member at risk go as soon as its spare serves, at most so many at once as swap.maxSurge says', () => {
    const advised = (instance: string) => {
      const { deadlineMs: _none, ...swap } = swapOf(instance, { reason: 'rebalance', state: 'waiting' });
      return swap;
    };
    const waiting = [advised('spot-a#1'), advised('spot-a#2')];
    const shown = look([...members(spotA, 3), ...members(spotB, 3)], {
      group: spared(2, { swap: { order: 'launch-first', maxSurge: 1 } }),
      swaps: waiting,
    });
    expect(decide(shown).drains).toEqual(['spot-a#1']);
    const drain = { ...advised('spot-a#1'), state: 'draining' } as const;
    expect(decide({ ...shown, swaps: [drain, advised('spot-a#2')] }).drains).toEqual([]);
  });
});

describe('a group that is too large', () => {
  it('keeps its spare on spot', () => {
    expect(removed(look([...members(spotA, 3), ...members(spotB, 3)]))).toHaveLength(1);
  });

  it('keeps no member on demand for a spare', () => {
    expect(removed(look(members(onDemandB, 6)))).toHaveLength(2);
    const mixed = look([...members(onDemandB, 5), ...members(spotA, 1)]);
    expect(removed(mixed)).toEqual([{ instance: expect.stringContaining('od-b'), reason: 'scale-in' }]);
  });

  it('counts the replacement of a move that is under way as no spare', () => {
    const moves = [{ reservation: 'r', atMs: nowMs - minute, leaving: ['od-b#1', 'od-b#2'], count: 2 }];
    const list = [...members(onDemandB, 4), ...members(spotA, 2, { reservation: 'r' })];
    const moving = look(list, { state: state({ desired: 4, returns: { ...noReturns, moves } }) });
    expect(keptAmong(moving, list)).toBe(4);
    expect(removed(moving)).toEqual(['od-b#1', 'od-b#2'].map((instance) => ({ instance, reason: 'return' })));
  });

  it('keeps a member on spot that moved on spot, where another one was lost since: the replacement takes that place (16201024)', () => {
    const moves = [{ reservation: 'r', atMs: nowMs - minute, leaving: ['spot-a#1'], count: 1 }];
    const came = member('came', spotB, { reservation: 'r' });
    const moved = (there: number) => look([...members(spotA, there), came], { state: state({ desired: 4, returns: { ...noReturns, moves } }) });
    expect(removed(moved(5))).toEqual([{ instance: 'spot-a#1', reason: 'return' }]);
    expect(removed(moved(4))).toEqual([]);
  });

  it('keeps a member on spot that moved on demand, while a spare is missing', () => {
    const moves = [{ reservation: 'r', atMs: nowMs - minute, leaving: ['spot-a#1', 'spot-a#2'], count: 2 }];
    const list = [...members(spotA, 4), ...members(onDemandB, 2, { reservation: 'r' })];
    const moved = (spare: number) => look(list, { group: spared(spare), state: state({ desired: 4, returns: { ...noReturns, moves } }) });
    expect([0, 1, 2, 3].map((spare) => keptAmong(moved(spare), list))).toEqual([4, 5, 6, 6]);
    expect(removed(moved(1))).toEqual([{ instance: 'spot-a#1', reason: 'return' }]);
    expect(removed(moved(2))).toEqual([]);
  });

  it('is as large as its policy says after its state was restored, spares not counted', () => {
    const list = members(spotA, 6, { reservation: 'r-2' });
    const restored = state({ desired: 4, lastReservation: 'r-1' });
    expect(catchUp(restored, spared(1), { members: list, swaps: [], comesBack: false }).desired).toBe(5);
    expect(catchUp(restored, spared(0), { members: list, swaps: [], comesBack: false }).desired).toBe(6);
  });
});

describe('a spare in an earlier tier', () => {
  const mixed = [...members(spotA, 4), member('i-od', onDemandB)];
  const full = state({ desired: 4, memory: noSpot });
  const late: View['nowMs'] = nowMs + 30 * minute;

  it('takes the place of a member on demand where spot gives no more', () => {
    const decision = decide(look(mixed, { state: full }));
    expect(decision.placements).toEqual([]);
    expect(decision.removals).toEqual([{ instance: 'i-od', reason: 'return', why: { code: 'stand-in', pool: 'spot-a' } }]);
  });

  it('takes no place on spot, and none below cheapest: a spare would be bought there again', () => {
    const prices = { atMs: nowMs, usdPerHour: { 'm7g.large/a/spot': 0.03, 'm7g.large/b/spot': 0.06 } } as const;
    const among = (pools: readonly string[]) => ({ kind: 'cheapest', children: pools.map((pool) => ({ kind: 'pool', pool }) as const) }) as const;
    const quiet = (list: readonly Member[], pools: readonly string[], more: Partial<Group> = {}) =>
      expect(decide(look(list, { state: { ...full, prices }, group: spared(1, { capacity: among(pools), ...more }) }))).toMatchObject({
        placements: [],
        removals: [],
      });
    quiet([...members(spotB, 4), member('i-cheap', spotA)], ['spot-a', 'spot-b']);
    quiet(mixed, ['spot-a', 'od-b'], { onDemandPrices: { 'm7g.large': 0.1 } });
  });

  it('counts for the budget of moves', () => {
    const shown = look(mixed, { state: full });
    const bound = bind(decide(shown), shown, { decision: 'd', round: 0, leaseMs: minute }).state;
    expect(bound.returns?.moves).toEqual([{ reservation: 'd', atMs: nowMs, leaving: [], count: 1 }]);
    const spent = { ...noReturns, moves: [{ reservation: 'd', atMs: nowMs - minute, leaving: [], count: 2 }] };
    expect(decide(look(mixed, { state: { ...full, returns: spent } })).removals).toEqual([]);
  });

  it('is launched beside it first where spot may give one more', () => {
    const open = decide(look(mixed, { state: state({ desired: 4 }), nowMs: late }));
    expect(open.moves).toMatchObject([{ instances: ['i-od'], why: { code: 'earlier-tier' } }]);
    expect(open.removals).toEqual([]);
  });

  it('takes no place while members come up, where moves are off, or where the tree wants both', () => {
    const booting = [...members(spotA, 3), member('i-new', spotA, { serving: false }), member('i-od', onDemandB)];
    expect(removed(look(booting, { state: full }))).toEqual([]);
    const { returning: _off, ...still } = spared(1);
    expect(removed(look(mixed, { state: full, group: still }))).toEqual([]);
    const weights = [
      { use: { kind: 'pool', pool: 'spot-a' }, weight: 80 },
      { use: { kind: 'pool', pool: 'od-b' }, weight: 20 },
    ] as const;
    expect(removed(look(mixed, { state: full, group: spared(1, { capacity: { kind: 'weighted', children: weights } }) }))).toEqual([]);
  });

  it('takes no place that the group owes on demand', () => {
    expect(removed(look(mixed, { state: full, group: spared(1, { onDemand: { floor: 1, percent: 0 } }) }))).toEqual([]);
  });

  it('leaves members where they are while the group has no more than its size', () => {
    expect(removed(look([...members(spotA, 3), member('i-od', onDemandB)], { state: full }))).toEqual([]);
  });
});

describe('an Auto Scaling group that members are attached to', () => {
  const asg = (max: number): AsgView => ({ name: 'workers', min: 0, max, desired: 4, held: 4, holds: [], suspended: [] });
  const attached = (max: number, raised: View['state']['raised'] = []) =>
    look([], { group: spared(2, { holding: { kind: 'attach', asg: 'workers' } }), asgs: [asg(max)], state: state({ desired: 4, raised }) });

  it('has spares as far as the maximum of its owner goes', () => {
    expect([4, 5, 9].map((max) => sparesWanted(attached(max)))).toEqual([0, 1, 2]);
    expect(sparesWanted(attached(9, [{ asg: 'workers', fromMax: 5, toMax: 9 }]))).toBe(1);
  });
});
