import { describe, expect, it } from 'vitest';
import { planPlacements } from '../../../core/placement/plan-placements.ts';
import { byPool, holds, input, nowMs, pool, refused, spread, tiered, weighted } from './tree-builders.ts';

const reserved = pool('reserved', { market: 'on-demand', instanceTypes: ['m5.large'], cap: 2 });
const spot = pool('spot', { zones: ['zone-a'] });
const onDemand = pool('od', { market: 'on-demand' });
const tree = tiered('reserved', 'spot', 'od');
const pools = [reserved, spot, onDemand];

describe('tiered', () => {
  it('gives to the first eligible child', () => {
    expect(byPool(planPlacements(input(tree, pools)))).toEqual({ reserved: 1 });
  });

  it('fills a tier to its cap, then goes on to the next', () => {
    expect(byPool(planPlacements(input(tree, pools, { count: 5 })))).toEqual({ reserved: 2, spot: 3 });
  });

  it('passes over a tier that is refused', () => {
    expect(byPool(planPlacements(input(tree, pools, { count: 5, memory: refused(spot) })))).toEqual({ reserved: 2, od: 3 });
  });

  it('goes back to the first tier for new instances as soon as it is eligible again', () => {
    const held = [holds(onDemand, 4)];
    expect(byPool(planPlacements(input(tiered('spot', 'od'), pools, { count: 2, held })))).toEqual({ spot: 2 });
  });

  it('keeps the reason why each earlier tier was passed', () => {
    const plan = planPlacements(input(tree, pools, { held: [holds(reserved, 2)], memory: refused(spot) }));
    expect(plan.reasons).toEqual([{ pool: 'od', count: 1, turns: [{ kind: 'tiered', tier: 3, of: 3 }] }]);
    expect(plan.rejected).toEqual([
      { path: 'tiered[0]', pool: 'reserved', code: 'at-cap', held: 2, cap: 2 },
      {
        path: 'tiered[1]',
        pool: 'spot',
        code: 'refused',
        offering: 'm7g.large/zone-a/spot',
        awsCode: 'InsufficientInstanceCapacity',
        untilMs: nowMs + 60_000,
      },
    ]);
  });

  it('reports nothing of later tiers that were never tried', () => {
    const plan = planPlacements(input(tree, pools, { memory: refused(onDemand) }));
    expect(plan.rejected).toEqual([]);
  });

  it('does not report a tier as passed that only became full with the last instance', () => {
    expect(planPlacements(input(tree, pools, { count: 2 })).rejected).toEqual([]);
  });

  it('stops at nothing: a nested selector without an eligible child is passed like a pool', () => {
    const nested = tiered(spread('zone', 'spot'), weighted(['od', 1]));
    const plan = planPlacements(input(nested, pools, { count: 3, memory: refused(spot) }));
    expect(byPool(plan)).toEqual({ od: 3 });
    expect(plan.reasons[0]?.turns).toEqual([
      { kind: 'tiered', tier: 2, of: 2 },
      { kind: 'weighted', name: 'od', belowShare: 1 },
    ]);
    expect(plan.rejected.map(({ path }) => path)).toEqual(['tiered[0].spread[0]']);
  });

  it('leaves instances unplaced and names every obstacle when no tier can give', () => {
    const plan = planPlacements(input(tree, pools, { count: 3, held: [holds(reserved, 2)], memory: refused(spot, onDemand) }));
    expect(plan.placements).toEqual([]);
    expect(plan.unplaced).toBe(3);
    expect(plan.rejected.map(({ pool: name }) => name)).toEqual(['reserved', 'spot', 'od']);
  });
});
