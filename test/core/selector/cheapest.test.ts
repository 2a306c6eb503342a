import { describe, expect, it } from 'vitest';
import { type PlanInput, planPlacements } from '../../../core/placement/plan-placements.ts';
import { byPool, cheapest, holds, input, nowMs, pool, refused, spread, tiered } from './tree-builders.ts';

const a = pool('spot-a', { zones: ['zone-a'] });
const b = pool('spot-b', { zones: ['zone-b'] });
const od = pool('od', { market: 'on-demand' });
const tree = cheapest('spot-a', 'spot-b', 'od');
const pools = [a, b, od];
const prices = (spotA: number | undefined, spotB: number | undefined, onDemand?: number) =>
  Object.fromEntries(
    [
      ['m7g.large/zone-a/spot', spotA],
      ['m7g.large/zone-b/spot', spotB],
      ['m7g.large/zone-a/on-demand', onDemand],
    ].filter(([, price]) => price !== undefined),
  );
const choiceAt = (known: Record<string, number>, rest: Parameters<typeof input>[2] = {}) => {
  const plan = planPlacements(input(tree, pools, { prices: known, ...rest }));
  return { pool: plan.placements[0]?.pool, last: plan.cheapest };
};

describe('cheapest', () => {
  it('gives to the child with the lowest current price', () => {
    expect(choiceAt(prices(0.04, 0.03, 0.08)).pool).toBe('spot-b');
    expect(choiceAt(prices(0.1, 0.09, 0.08)).pool).toBe('od');
  });

  it('breaks ties in configured order', () => {
    expect(choiceAt(prices(0.03, 0.03, 0.03)).pool).toBe('spot-a');
  });

  it('looks only at offerings that are eligible', () => {
    expect(choiceAt(prices(0.02, 0.03, 0.08), { memory: refused(a) }).pool).toBe('spot-b');
    expect(choiceAt(prices(0.02, 0.03, 0.08), { memory: refused(a, b) }).pool).toBe('od');
  });

  it('uses the lowest price of a child that is a selector', () => {
    const nested = cheapest('od', spread('zone', 'spot-a', 'spot-b'));
    expect(byPool(planPlacements(input(nested, pools, { count: 2, prices: prices(0.05, 0.06, 0.055) })))).toEqual({ 'spot-a': 1, 'spot-b': 1 });
  });

  it('goes to the next cheapest when the cheapest reaches its cap', () => {
    const capped = { ...b, cap: 2 };
    const plan = planPlacements(input(tree, [a, capped, od], { count: 5, prices: prices(0.04, 0.03, 0.08) }));
    expect(byPool(plan)).toEqual({ 'spot-b': 2, 'spot-a': 3 });
  });

  it('tries the offerings of a pool cheapest first, not in order of preference', () => {
    const mixed = pool('mixed', { instanceTypes: ['m7g.large', 'm6g.large', 'c7g.large'] });
    const known = { 'm7g.large/zone-a/spot': 0.04, 'm6g.large/zone-a/spot': 0.03 };
    const plan = planPlacements(input(cheapest('mixed'), [mixed], { prices: known }));
    expect(plan.placements[0]?.offerings.map(({ instanceType }) => instanceType)).toEqual(['m6g.large', 'm7g.large', 'c7g.large']);
  });

  it('records the price that it chose by', () => {
    expect(planPlacements(input(tree, pools, { prices: prices(0.04, 0.03, 0.08) })).reasons[0]?.turns).toEqual([
      { kind: 'cheapest', name: 'spot-b', priceUsdPerHour: 0.03 },
    ]);
  });
});

describe('cheapest, when prices are unknown', () => {
  it('takes spot before on-demand', () => {
    expect(choiceAt({}).pool).toBe('spot-a');
    expect(choiceAt(prices(0.04, 0.03)).pool).toBe('spot-b');
    expect(choiceAt(prices(undefined, undefined, 0.01)).pool).toBe('spot-a');
  });

  it('takes a known price before an unknown one of the same market', () => {
    expect(choiceAt(prices(undefined, 0.03)).pool).toBe('spot-b');
  });

  it('keeps the configured order when nothing is known', () => {
    expect(planPlacements(input(cheapest('spot-b', 'spot-a'), pools)).placements[0]?.pool).toBe('spot-b');
  });
});

describe('cheapest, hysteresis', () => {
  it('remembers its last choice', () => {
    expect(choiceAt(prices(0.04, 0.03, 0.08)).last).toEqual({ cheapest: 'spot-b' });
  });

  it('stays with its last choice while another is less than a twentieth cheaper', () => {
    expect(choiceAt(prices(0.0286, 0.03, 0.08), { cheapest: { cheapest: 'spot-b' } }).pool).toBe('spot-b');
  });

  it('goes on when another is at least a twentieth cheaper', () => {
    expect(choiceAt(prices(0.0285, 0.03, 0.08), { cheapest: { cheapest: 'spot-b' } })).toEqual({ pool: 'spot-a', last: { cheapest: 'spot-a' } });
  });

  it('moves at once when its last choice is not eligible', () => {
    expect(choiceAt(prices(0.031, 0.03, 0.08), { cheapest: { cheapest: 'spot-b' }, memory: refused(b) }).pool).toBe('spot-a');
  });

  it('does not move for prices that it cannot compare, except back to spot', () => {
    expect(choiceAt(prices(0.02, undefined), { cheapest: { cheapest: 'spot-b' } }).pool).toBe('spot-b');
    expect(choiceAt(prices(0.02, 0.03), { cheapest: { cheapest: 'od' } }).pool).toBe('spot-a');
  });

  it('remembers each node by its place in the tree, and drops nodes that the tree no longer has', () => {
    const nested = tiered(cheapest('spot-a', 'spot-b'), cheapest('od'));
    const plan = planPlacements(
      input(nested, pools, { prices: prices(0.04, 0.03), cheapest: { 'spread[1].cheapest': 'od', 'tiered[1].cheapest': 'od' } }),
    );
    expect(plan.cheapest).toEqual({ 'tiered[0].cheapest': 'spot-b', 'tiered[1].cheapest': 'od' });
  });

  it('remembers nothing for a plan that places nothing', () => {
    expect(planPlacements(input(tree, pools, { count: 0, held: [holds(a, 1)] })).cheapest).toEqual({});
  });
});

describe('the next choice of a cheapest', () => {
  const [near, far] = [pool('near', { cap: 1 }), pool('far', { zones: ['zone-b'] })];
  const two = (rest: Partial<PlanInput>) => byPool(planPlacements(input(cheapest('near', 'far'), [near, far], { count: 2, ...rest })));

  it('is another child where one instance fills the cap and the share of the first', () => {
    expect(two({ shared: { maxShare: { zone: 50 }, size: 2, held: [] } })).toEqual({ near: 1, far: 1 });
  });

  it('is none after the one launch that tests a breaker', () => {
    const breaker = { openedAtMs: nowMs - 7_200_000, untilMs: nowMs - 1, interruptions: 5 };
    const breaking = { breakers: { 'spot/m7g': breaker }, rule: { interruptions: 5, withinMs: 600_000, holdMs: 3_600_000 } };
    expect(two({ breaking })).toEqual({ near: 1 });
  });
});
