import { describe, expect, it } from 'vitest';
import { planPlacements } from '../../../core/placement/plan-placements.ts';
import { rememberRefusals } from '../../../core/pool-memory/refusals.ts';
import { advised, byPool, holds, input, interrupted, nowMs, pool, refused, refusedOfferings, spread, tiered, use } from './tree-builders.ts';

describe('a pool is eligible', () => {
  it('while it is under its cap, launches in flight counted', () => {
    const capped = pool('spot', { cap: 3 });
    const plan = planPlacements(input(use('spot'), [capped], { count: 5, held: [holds(capped, 1)] }));
    expect(byPool(plan)).toEqual({ spot: 2 });
    expect(plan.unplaced).toBe(3);
    expect(plan.rejected).toEqual([{ path: 'pool', pool: 'spot', code: 'at-cap', held: 3, cap: 3 }]);
  });

  it('while its Auto Scaling group is not gone', () => {
    const pools = [pool('spot', { asg: 'spot-asg' }), pool('od', { market: 'on-demand', asg: 'od-asg' })];
    const without = (...goneAsgs: readonly string[]) => planPlacements(input(tiered('spot', 'od'), pools, { goneAsgs }));
    expect([byPool(without('od-asg')), byPool(without('spot-asg'))]).toEqual([{ spot: 1 }, { od: 1 }]);
    expect(without('spot-asg').rejected).toEqual([
      { path: 'tiered[0]', pool: 'spot', code: 'asg-gone', offering: 'm7g.large/zone-a/spot', asg: 'spot-asg' },
    ]);
    expect(without('spot-asg', 'od-asg').unplaced).toBe(1);
  });

  it('with a cap of zero never', () => {
    expect(planPlacements(input(use('spot'), [pool('spot', { cap: 0 })])).unplaced).toBe(1);
  });

  it('under one cap however often the tree names it', () => {
    const capped = pool('spot', { cap: 3, zones: ['zone-a', 'zone-b'] });
    const tree = tiered('spot', spread('zone', 'spot'));
    expect(byPool(planPlacements(input(tree, [capped], { count: 9 })))).toEqual({ spot: 3 });
  });

  it('while its price is within its limit, at the limit included', () => {
    const limited = pool('spot', { maxPriceUsdPerHour: 0.05 });
    const od = pool('od', { market: 'on-demand' });
    const at = (price: number) => byPool(planPlacements(input(tiered('spot', 'od'), [limited, od], { prices: { 'm7g.large/zone-a/spot': price } })));
    expect(at(0.05)).toEqual({ spot: 1 });
    expect(at(0.051)).toEqual({ od: 1 });
    const plan = planPlacements(input(tiered('spot', 'od'), [limited, od], { prices: { 'm7g.large/zone-a/spot': 0.051 } }));
    expect(plan.rejected).toEqual([
      {
        path: 'tiered[0]',
        pool: 'spot',
        code: 'over-price',
        offering: 'm7g.large/zone-a/spot',
        priceUsdPerHour: 0.051,
        limitUsdPerHour: 0.05,
      },
    ]);
  });

  it('when its price is unknown: a limit that cannot be checked excludes no pool', () => {
    expect(byPool(planPlacements(input(use('spot'), [pool('spot', { maxPriceUsdPerHour: 0.01 })])))).toEqual({ spot: 1 });
  });

  it('as long as one of its offerings is not resting, and then offers only those, in order of preference', () => {
    const mixed = pool('spot', { instanceTypes: ['m7g.large', 'm6g.large', 'c7g.large'], maxPriceUsdPerHour: 0.05 });
    const plan = planPlacements(
      input(use('spot'), [mixed], { memory: refusedOfferings('m7g.large/zone-a/spot'), prices: { 'c7g.large/zone-a/spot': 0.04 } }),
    );
    expect(plan.placements[0]?.offerings.map(({ instanceType }) => instanceType)).toEqual(['m6g.large', 'c7g.large']);
    expect(plan.rejected[0]).toMatchObject({
      path: 'pool',
      pool: 'spot',
      code: 'refused',
      offering: 'm7g.large/zone-a/spot',
      untilMs: nowMs + 60_000,
    });
  });

  it('again once its rest is over', () => {
    const spot = pool('spot');
    const at = (ms: number) => planPlacements(input(use('spot'), [spot], { memory: refused(spot), nowMs: ms })).unplaced;
    expect(at(nowMs + 59_999)).toBe(1);
    expect(at(nowMs + 60_000)).toBe(0);
  });

  it('not when it has no offering at all', () => {
    const plan = planPlacements(input(use('spot'), [pool('spot', { instanceTypes: [] })]));
    expect(plan.unplaced).toBe(1);
    expect(plan.rejected).toEqual([{ path: 'pool', pool: 'spot', code: 'no-offering' }]);
  });
});

describe('an offering that was interrupted a moment ago', () => {
  const a = pool('spot-a', { zones: ['zone-a'] });
  const b = pool('spot-b', { zones: ['zone-b'] });
  const od = pool('od', { market: 'on-demand' });

  it('is passed over while anything better in its tier is eligible', () => {
    expect(byPool(planPlacements(input(spread('zone', 'spot-a', 'spot-b'), [a, b], { count: 4, memory: interrupted(a) })))).toEqual({ 'spot-b': 4 });
    const tree = tiered(spread('zone', 'spot-a', 'spot-b'), 'od');
    const plan = planPlacements(input(tree, [a, { ...b, cap: 2 }, od], { count: 4, memory: interrupted(a) }));
    expect(byPool(plan)).toEqual({ 'spot-b': 2, 'spot-a': 2 });
    expect(plan.reasons.map(({ lastResort }) => lastResort)).toEqual([undefined, 'interrupted']);
    expect(plan.rejected).toMatchObject([
      { pool: 'spot-a', code: 'interrupted' },
      { pool: 'spot-b', code: 'at-cap' },
    ]);
  });

  it('opens no later tier: only a refusal does', () => {
    expect(byPool(planPlacements(input(tiered('spot-a', 'od'), [a, od], { memory: interrupted(a) })))).toEqual({ 'spot-a': 1 });
    const all = tiered(spread('zone', 'spot-a', 'spot-b'), 'od');
    expect(byPool(planPlacements(input(all, [a, b, od], { count: 4, memory: interrupted(a, b) })))).toEqual({ 'spot-a': 2, 'spot-b': 2 });
    expect(byPool(planPlacements(input(all, [a, b, od], { memory: { ...interrupted(a), ...refused(b) } })))).toEqual({ 'spot-a': 1 });
    expect(byPool(planPlacements(input(all, [a, b, od], { memory: refused(a, b) })))).toEqual({ od: 1 });
  });

  it('lets another child of a selector go first, with all tiers of that one in their order', () => {
    const tree = spread('zone', tiered('spot-a', 'od'), tiered('spot-b', 'od-b'));
    const odB = pool('od-b', { market: 'on-demand', zones: ['zone-b'] });
    const plan = (memory: ReturnType<typeof refused>) => byPool(planPlacements(input(tree, [a, b, od, odB], { count: 2, memory })));
    expect(plan(interrupted(a))).toEqual({ 'spot-b': 2 });
    expect(plan(interrupted(a, b))).toEqual({ 'spot-a': 1, 'spot-b': 1 });
  });

  it('is used after the other types of its pool', () => {
    const wide = pool('spot', { instanceTypes: ['m7g.large', 'm6g.large'] });
    const plan = planPlacements(input(tiered('spot', 'od'), [wide, od], { memory: interrupted({ ...wide, instanceTypes: ['m7g.large'] }) }));
    expect(plan.placements[0]?.offerings.map(({ instanceType }) => instanceType)).toEqual(['m6g.large']);
    expect(plan.rejected).toMatchObject([{ pool: 'spot', code: 'interrupted', offering: 'm7g.large/zone-a/spot' }]);
  });

  it('is the last resort, so that a group whose only offering it is does not get stuck', () => {
    const plan = planPlacements(input(use('spot-a'), [a], { count: 2, memory: interrupted(a) }));
    expect(byPool(plan)).toEqual({ 'spot-a': 2 });
    expect(plan.reasons).toEqual([{ pool: 'spot-a', count: 2, turns: [], lastResort: 'interrupted' }]);
    expect(plan.rejected[0]).toMatchObject({ code: 'interrupted', untilMs: nowMs + 60_000 });
  });

  it('takes only what is left when the others are full', () => {
    const capped = { ...b, cap: 1 };
    const plan = planPlacements(input(spread('pool', 'spot-a', 'spot-b'), [a, capped], { count: 3, memory: interrupted(a) }));
    expect(byPool(plan)).toEqual({ 'spot-b': 1, 'spot-a': 2 });
    expect(plan.unplaced).toBe(0);
  });

  it('stays refused if it was refused', () => {
    expect(planPlacements(input(tiered('spot-a', 'spot-b'), [a, b], { memory: { ...refused(a), ...interrupted(b) } })).placements[0]?.pool).toBe(
      'spot-b',
    );
  });
});

describe('an offering that EC2 says is at risk', () => {
  const a = pool('spot-a', { zones: ['zone-a'] });
  const b = pool('spot-b', { zones: ['zone-b'] });
  const od = pool('od', { market: 'on-demand' });

  it('is passed over while anything better in its tier is eligible, and opens no later one', () => {
    expect(byPool(planPlacements(input(spread('pool', 'spot-a', 'spot-b'), [a, b], { count: 2, memory: advised(a) })))).toEqual({ 'spot-b': 2 });
    expect(byPool(planPlacements(input(tiered('spot-a', 'od'), [a, od], { memory: advised(a) })))).toEqual({ 'spot-a': 1 });
  });
  it('is the first of the last resorts: what was interrupted comes after it', () => {
    const memory = { ...interrupted(a), ...advised(b) };
    const plan = planPlacements(input(spread('pool', 'spot-a', 'spot-b'), [a, b], { memory }));
    expect(byPool(plan)).toEqual({ 'spot-b': 1 });
    expect(plan.reasons[0]?.lastResort).toBe('advised');
    const capped = planPlacements(input(spread('pool', 'spot-a', 'spot-b'), [a, { ...b, cap: 1 }], { count: 3, memory }));
    expect(byPool(capped)).toEqual({ 'spot-b': 1, 'spot-a': 2 });
    expect(capped.unplaced).toBe(0);
  });
});

describe('a subnet without free addresses', () => {
  const two = pool('spot-a', { zones: ['zone-a'] });
  const a = {
    ...two,
    subnets: [
      { id: 'subnet-1', zone: 'zone-a' },
      { id: 'subnet-2', zone: 'zone-a' },
    ],
  };
  const od = pool('od', { market: 'on-demand', zones: ['zone-b'] });
  const full = (...subnets: readonly string[]) =>
    rememberRefusals(
      {},
      subnets.map((subnet) => ({
        offering: { instanceType: 'm', zone: 'zone-a', market: 'spot' },
        code: 'InsufficientFreeAddressesInSubnet',
        message: '',
        scope: 'subnet',
        subnet,
      })),
      {},
      nowMs,
    );

  it('is avoided while its pool has another in the zone', () => {
    const plan = planPlacements(input(tiered('spot-a', 'od'), [a, od], { count: 2, memory: full('subnet-1') }));
    expect(plan.placements).toMatchObject([{ pool: 'spot-a', count: 2, avoidSubnets: ['subnet-1'] }]);
  });
  it('counts for the offerings of the zone if it is the only one', () => {
    const plan = planPlacements(input(tiered('spot-a', 'od'), [a, od], { count: 2, memory: full('subnet-1', 'subnet-2') }));
    expect(byPool(plan)).toEqual({ od: 2 });
    expect(plan.placements[0]).not.toHaveProperty('avoidSubnets');
    expect(plan.rejected[0]).toMatchObject({ code: 'refused', awsCode: 'InsufficientFreeAddressesInSubnet' });
  });
});

describe('a plan', () => {
  it('of nothing places nothing: a size of zero is fine', () => {
    const plan = planPlacements(input(use('spot'), [pool('spot')], { count: 0 }));
    expect(plan).toEqual({ placements: [], unplaced: 0, reasons: [], rejected: [], cheapest: {} });
  });

  it('merges placements of one pool and one set of offerings', () => {
    const spot = pool('spot');
    const plan = planPlacements(input(spread('pool', 'spot', tiered('spot')), [spot], { count: 4 }));
    expect(plan.placements).toHaveLength(1);
    expect(plan.placements[0]?.count).toBe(4);
  });

  it('names at most three resting offerings of a pool and counts the rest', () => {
    const types = Array.from({ length: 12 }, (_, index) => `m${index}.large`);
    const spot = pool('spot', { instanceTypes: types });
    const { rejected } = planPlacements(input(use('spot'), [spot], { memory: refused(spot) }));
    expect(rejected.map(({ code }) => code)).toEqual(['refused', 'refused', 'refused', 'more-offerings']);
    expect(rejected.at(-1)).toMatchObject({ count: 9 });
  });

  it('refuses a tree that names a pool which does not exist', () => {
    expect(() => planPlacements(input(use('gone'), []))).toThrow('pool "gone"');
  });
});
