import { describe, expect, it } from 'vitest';
import { arbiterFor, budgetOf } from '../../../core/decide/arbiter.ts';
import { decide, decideBy, rules } from '../../../core/decide/decide.ts';
import { takeFrom } from '../../../core/decide/releasable.ts';
import { takeHeadcount } from '../../../core/view/headcount.ts';
import type { View } from '../../../core/view/view.ts';
import { members } from '../members.ts';
import { group, nowMs, onDemandB, spotA, spotB, state, swapOf, view } from '../views.ts';

const arbiterOf = (rest: Partial<View>) => {
  const look = view(rest);
  return arbiterFor(look, takeHeadcount(look));
};
const waiting = (instance: string, claimedAtMs = nowMs) => {
  const { deadlineMs: _deadline, drain: _drain, ...swap } = swapOf(instance, { reason: 'rebalance', state: 'waiting', claimedAtMs });
  return swap;
};
const twelve = [...members(spotA, 6), ...members(spotB, 6)];

describe('a budget', () => {
  it('gives what is left, first come, first served', () => {
    const budget = budgetOf(3);
    expect([budget.take(2), budget.take(2), budget.take(1), budget.left()]).toEqual([2, 1, 0, 0]);
  });
  it('gives nothing for less than nothing, and does not grow by it', () => {
    const budget = budgetOf(3);
    expect([budget.take(-2), budget.left()]).toEqual([0, 3]);
  });
});

describe('the arbiter', () => {
  it('grants a surge with launch-first alone', () => {
    expect(arbiterOf({}).surge.left()).toBe(2);
    expect(arbiterOf({ group: group({ swap: { order: 'drain-first', maxSurge: 2 } }) }).surge.left()).toBe(0);
  });
  it('grants the same for members that never served, and with drain-first one launch in all to find out whether launches are denied', () => {
    const denials = Object.fromEntries(
      ['spot-a', 'spot-b', 'od-b'].map((pool) => [pool, { code: 'x', message: '', atMs: nowMs, untilMs: nowMs + 1 }]),
    );
    const of = (order: 'launch-first' | 'drain-first') => arbiterOf({ group: group({ swap: { order, maxSurge: 3 } }), state: state({ denials }) });
    expect([of('launch-first').surge.left(), of('launch-first').surgeForUnserved.left()]).toEqual([3, 3]);
    const { surge, surgeForUnserved } = of('drain-first');
    expect([surge.left(), surgeForUnserved.take(2), surge.left()]).toEqual([1, 1, 0]);
  });
  it('grants moves on demand what swaps leave of the surge', () => {
    const of = (swaps: View['swaps'], order: 'launch-first' | 'drain-first' = 'launch-first') =>
      arbiterOf({ group: group({ swap: { order, maxSurge: 5 } }), swaps }).toOnDemand.left();
    const leaving = { ...waiting('spot-a#2'), state: 'draining' as const };
    expect([of([]), of([waiting('spot-a#1')]), of([waiting('spot-a#1'), waiting('spot-a#3')])]).toEqual([5, 4, 3]);
    expect(of([waiting('spot-a#1'), leaving], 'drain-first')).toBe(3);
  });
  it('grants returns within the surge and the budget of the policy', () => {
    const returning = { afterMs: 60_000, everyMs: 600_000, atMost: { kind: 'count' as const, by: 3 }, timezone: 'UTC' };
    const of = (maxSurge: number, moved = 0) => {
      const moves = [{ reservation: 'r-1', atMs: nowMs - 1_000, leaving: [], count: moved }];
      const returns = { moves, losses: [] };
      return arbiterOf({ group: group({ returning, swap: { order: 'launch-first', maxSurge } }), state: state({ returns }) }).returns.left();
    };
    expect([of(2), of(3), of(9), of(9, 1), of(9, 4)]).toEqual([2, 3, 3, 2, 0]);
  });
  it('grants moves only as far as one missing member might get launches, while instances ended before they served', () => {
    const returning = { afterMs: 60_000, everyMs: 600_000, atMost: { kind: 'count' as const, by: 3 }, timezone: 'UTC' };
    const of = (count: number, agoMs = 1_000) => {
      const deaths = [{ atMs: nowMs - agoMs, count }];
      const { toOnDemand, returns } = arbiterOf({
        group: group({ returning, swap: { order: 'launch-first', maxSurge: 5 } }),
        state: state({ deaths }),
      });
      return `${toOnDemand.left()} ${returns.left()}`;
    };
    expect([of(1), of(8), of(10), of(30), of(30, 600_000)]).toEqual(['5 3', '2 2', '0 0', '0 0', '5 3']);
  });
  it('leaves to waiting swaps the members that they claim', () => {
    expect(
      arbiterOf({ swaps: [waiting('spot-a#1')] })
        .unclaimed()
        .map(({ instance }) => instance),
    ).not.toContain('spot-a#1');
    expect(arbiterOf({ swaps: [waiting('spot-a#1')] }).unclaimed()).toHaveLength(9);
  });
  it('grants launches within the limit of the policy, unless EC2 throttles them', () => {
    expect(arbiterOf({}).launches.take(50_000)).toBe(30);
    expect(arbiterOf({ mayLaunch: 7 }).launches.take(50_000)).toBe(7);
    expect(arbiterOf({ state: state({ throttle: { untilMs: nowMs + 1, streak: 1 } }) }).launches.take(1)).toBe(0);
  });
  it('grants missing members no more launches than may die for them, and counts those of the size for the spares', () => {
    const { forMissing } = arbiterOf({ state: state({ deaths: [{ atMs: nowMs, count: 18 }] }) });
    expect(forMissing(1).left()).toBe(0);
    expect(forMissing(2).take(3)).toBe(2);
    expect([forMissing(2).left(), forMissing(3).left()]).toEqual([0, 1]);
    expect(arbiterOf({}).forMissing(50).take(50)).toBe(50);
  });
  it('grants no return', () => {
    expect(arbiterOf({}).returns.take(1)).toBe(0);
  });
  it('grants removals what serves beyond the desired size and beyond what waiting swaps need', () => {
    const { releasable } = arbiterOf({ members: twelve, swaps: [waiting('spot-a#1')] });
    const account = releasable.forRemovals();
    expect(['spot-b#1', 'spot-b#2'].map((instance) => takeFrom([account], instance))).toEqual([true, false]);
  });
  it('grants removals the same before and after a swap begins', () => {
    const arbiter = arbiterOf({ members: twelve, swaps: [waiting('spot-a#1')] });
    arbiter.leave(['spot-a#1']);
    expect(arbiter.releasable.left()).toBe(1);
    const account = arbiter.releasable.forRemovals();
    expect(['spot-b#1', 'spot-b#2'].map((instance) => takeFrom([account], instance))).toEqual([true, false]);
  });
  it('grants nothing twice: a member that leaves by an earlier grant is spent', () => {
    const arbiter = arbiterOf({ members: twelve });
    arbiter.leave(['spot-a#1', 'spot-a#2']);
    expect(arbiter.releasable.forRemovals().allows('spot-b#1')).toBe(false);
    expect(arbiter.releasable.forSwaps(0).allows('spot-b#1')).toBe(false);
    expect(arbiter.unclaimed()).toHaveLength(10);
  });
  it('spends nothing when an account is only tried', () => {
    const { releasable } = arbiterOf({ members: twelve });
    for (const account of [releasable.forRemovals(), releasable.forRemovals()]) {
      expect(['spot-a#1', 'spot-a#2', 'spot-a#3'].map((instance) => takeFrom([account], instance))).toEqual([true, true, false]);
    }
  });
  it('needs every account to allow a member, and charges none when one does not', () => {
    const asg = { name: 'web-asg', min: 2, max: 20, desired: 2, held: 2, holds: ['spot-a#1', 'spot-a#2'], suspended: [] };
    const arbiter = arbiterOf({ members: twelve, asgs: [asg] });
    const [spare, room] = [arbiter.releasable.forRemovals(), arbiter.aboveMinimum()];
    expect(room.total).toBe(10);
    expect(['spot-a#1', 'spot-a#2', 'spot-b#1', 'spot-b#2', 'spot-b#3'].map((one) => takeFrom([spare, room], one))).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
  });
  it('grants swaps of members that may serve only what others serve beyond the desired size', () => {
    const mayServe = members(onDemandB, 2, { serving: false, mayServe: true });
    const swaps = mayServe.map(({ instance }) => waiting(instance));
    const account = arbiterOf({ members: [...members(spotA, 5), ...members(spotB, 6), ...mayServe], swaps }).releasable.forSwaps(0);
    expect(mayServe.map(({ instance }) => takeFrom([account], instance))).toEqual([true, false]);
  });
});

describe('the rules of a decision', () => {
  it('have a name each', () => {
    expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
  });
  it('let swaps begin and a surplus leave out of one number of serving members', () => {
    const { drains, removals } = decide(view({ members: [...twelve, ...members(onDemandB, 1)], swaps: [waiting('spot-a#1'), waiting('spot-a#2')] }));
    expect(drains).toEqual(['spot-a#1', 'spot-a#2']);
    expect(removals).toHaveLength(1);
  });
  it('may include another rule, which reads the proposals of the others and adds to them', () => {
    const more = {
      name: 'one more launch while the surge allows',
      propose: ({ arbiter }: Parameters<(typeof rules)[number]['propose']>[0]) => ({
        placements: arbiter.surge.take(1) === 1 ? [{ pool: 'spot-a', count: 1, offerings: [] }] : [],
        wakeAtMs: nowMs + 5_000,
      }),
    };
    const short = view({ members: members(spotA, 5), state: state({ desired: 6 }) });
    const pools = (look: View) => decideBy([...rules, more], look).placements.map(({ pool }) => pool);
    expect(pools(short)).toEqual(['spot-b', 'spot-a']);
    expect(decideBy([...rules, more], short).wakeAtMs).toBe(nowMs + 5_000);
    expect(pools({ ...short, swaps: [waiting('spot-a#1'), waiting('spot-a#2')] })).not.toContain('spot-a');
  });
});
