import { describe, expect, it } from 'vitest';
import { planPlacements } from '../../../core/placement/plan-placements.ts';
import type { Pool } from '../../../core/pool/pool.ts';
import { rememberRefusals } from '../../../core/pool-memory/refusals.ts';
import { growTree } from '../../../core/selector/grow.ts';
import { lowerPrice } from '../../../core/selector/quote.ts';
import { restingSubnets } from '../../../core/selector/standing.ts';
import { apartByWeight } from '../../../core/selector/weighted.ts';
import {
  byPool,
  cheapest,
  holds,
  input,
  interrupted,
  nowMs,
  pool,
  poolsOf,
  refused,
  refusedOfferings,
  spread,
  tiered,
  weighted,
} from './tree-builders.ts';

const a = pool('spot-a', { zones: ['zone-a'] });
const b = pool('spot-b', { zones: ['zone-b'] });
const c = pool('spot-c', { zones: ['zone-c'] });
const od = pool('od', { market: 'on-demand' });
const wide = pool('wide', { zones: ['zone-a', 'zone-b'] });
const pools = [a, b, c, od, wide];
const turnsOf = (...of: Parameters<typeof input>) => planPlacements(input(...of)).reasons[0]?.turns;

describe('the names of choices', () => {
  it('are those of the pools below them, and one pool that is spread is that pool', () => {
    const tree = weighted(
      [spread('zone', 'wide'), 1],
      [tiered('spot-c'), 1],
      [spread('pool', 'spot-a', 'spot-b'), 1],
      [spread('pool', tiered('od')), 1],
    );
    const names = (held: Parameters<typeof holds>[0][]) => turnsOf(tree, pools, { held: held.map((of) => holds(of, 1)) })?.[0];
    expect(names([])).toMatchObject({ name: 'wide' });
    expect(names([wide])).toMatchObject({ name: 'tiered(spot-c)' });
    expect(names([wide, c])).toMatchObject({ name: 'spread(spot-a+spot-b)' });
    expect(names([wide, c, a])).toMatchObject({ name: 'spread(od)' });
  });

  it('are zones and types below a spread by those, and the paths of what was passed over say which', () => {
    const two = pool('two', { zones: ['zone-a', 'zone-b'], instanceTypes: ['m7g.large', 'c7g.large'] });
    const plan = planPlacements(input(tiered(spread('zone', 'two'), 'od'), [two, od], { memory: refused(two) }));
    expect(plan.rejected.map(({ path }) => path)).toEqual([
      'tiered[0].spread[0]@zone-a',
      'tiered[0].spread[0]@zone-a',
      'tiered[0].spread[0]@zone-b',
      'tiered[0].spread[0]@zone-b',
    ]);
    const one = planPlacements(input(tiered(spread('zone', 'spot-a', 'spot-b'), 'od'), pools, { memory: refused(a, b) }));
    expect(one.rejected.map(({ path }) => path)).toEqual(['tiered[0].spread[0]', 'tiered[0].spread[1]']);
  });

  it('below two spreads are of the zone and the type alone that lie in both', () => {
    const grid = pool('grid', { zones: ['zone-a', 'zone-b'], instanceTypes: ['m7g.large', 'c7g.large'] });
    const plan = planPlacements(input(spread('zone', spread('instance-type', 'grid')), [grid], { count: 4 }));
    expect(plan.placements.map(({ offerings }) => offerings.map(({ zone, instanceType }) => `${zone} ${instanceType}`))).toEqual([
      ['zone-a m7g.large'],
      ['zone-b m7g.large'],
      ['zone-a c7g.large'],
      ['zone-b c7g.large'],
    ]);
  });
});

describe('a spread by zone over several pools', () => {
  it('counts a zone once, whichever of its pools holds the member', () => {
    const tree = spread('zone', 'spot-a', 'wide');
    expect(byPool(planPlacements(input(tree, pools, { held: [holds(a, 2)], count: 2 })))).toEqual({ wide: 2 });
  });
});

describe('the price of a selector', () => {
  const prices = { 'm7g.large/zone-a/spot': 0.05, 'm7g.large/zone-b/spot': 0.02, 'm7g.large/zone-a/on-demand': 0.03 };

  it('is the lowest of all its tiers that can give', () => {
    expect(turnsOf(cheapest(tiered('spot-a', 'spot-b'), 'od'), pools, { prices })?.[0]).toMatchObject({ priceUsdPerHour: 0.02 });
    expect(turnsOf(cheapest(tiered('spot-a', 'spot-b'), 'od'), pools, { prices, memory: refused(b) })?.[0]).toEqual({
      kind: 'cheapest',
      name: 'od',
      priceUsdPerHour: 0.03,
    });
  });

  it('is spot where any of it is, while prices are unknown', () => {
    expect(turnsOf(cheapest('od', tiered('od', 'spot-a')), pools)?.[0]).toEqual({ kind: 'cheapest', name: 'tiered(od+spot-a)' });
    expect(turnsOf(cheapest('od', tiered('spot-a', 'od')), pools)?.[0]).toMatchObject({ name: 'tiered(spot-a+od)' });
    expect(turnsOf(cheapest(weighted(['od', 1]), 'spot-a'), pools)?.[0]).toMatchObject({ name: 'spot-a' });
  });

  it('is compared where it is known', () => {
    expect([lowerPrice(1, 2), lowerPrice(2, 1), lowerPrice(undefined, 2), lowerPrice(2, undefined), lowerPrice(undefined, undefined)]).toEqual([
      1,
      1,
      2,
      2,
      undefined,
    ]);
  });

  it('orders the offerings of a pool, the unknown last', () => {
    const mixed = pool('mixed', { instanceTypes: ['m7g.large', 'm6g.large', 'c7g.large'] });
    const known = { 'm6g.large/zone-a/spot': 0.04, 'c7g.large/zone-a/spot': 0.03 };
    const [placement] = planPlacements(input(cheapest(spread('pool', 'mixed')), [mixed], { prices: known })).placements;
    expect(placement?.offerings.map(({ instanceType }) => instanceType)).toEqual(['c7g.large', 'm6g.large', 'm7g.large']);
    const [plain] = planPlacements(input(spread('pool', cheapest('mixed'), 'mixed'), [mixed], { prices: known, held: [holds(mixed, 1)] })).placements;
    expect(plain?.offerings.map(({ instanceType }) => instanceType)).toEqual(['m7g.large', 'm6g.large', 'c7g.large']);
  });
});

describe('a price limit', () => {
  const limited = { ...a, maxPriceUsdPerHour: 0.03 };
  const placed = (prices: Record<string, number>, of: Pool = limited) => byPool(planPlacements(input(tiered('spot-a', 'od'), [of, od], { prices })));

  it('rests what is dearer, and neither what costs as much nor what has no price', () => {
    expect(placed({ 'm7g.large/zone-a/spot': 0.031 })).toEqual({ od: 1 });
    expect(placed({ 'm7g.large/zone-a/spot': 0.03 })).toEqual({ 'spot-a': 1 });
    expect(placed({})).toEqual({ 'spot-a': 1 });
    expect(placed({ 'm7g.large/zone-a/spot': 9 }, a)).toEqual({ 'spot-a': 1 });
  });
});

describe('subnets without free addresses', () => {
  const full = (subnet: string, atMs: number) =>
    rememberRefusals(
      {},
      [{ offering: { instanceType: 'm', zone: 'zone-a', market: 'spot' }, code: `code-${subnet}`, message: '', scope: 'subnet', subnet }],
      {},
      atMs,
    );
  const subnets = [
    { id: 'subnet-1', zone: 'zone-a' },
    { id: 'subnet-2', zone: 'zone-a' },
    { id: 'subnet-3', zone: 'zone-b' },
  ];
  const three = { ...a, subnets };

  it('are avoided where they lie in the zones of a placement', () => {
    const memory = { ...full('subnet-1', nowMs), ...full('subnet-3', nowMs) };
    const inZone = (zone: string) => ({ instanceType: 'm7g.large', zone, market: 'spot' }) as const;
    expect(restingSubnets(three, [inZone('zone-a')], { memory, nowMs })).toEqual(['subnet-1']);
    expect(restingSubnets(three, [inZone('zone-a'), inZone('zone-b')], { memory, nowMs })).toEqual(['subnet-1', 'subnet-3']);
  });

  it('rest the offerings of their zone alone, until the first of them may have addresses again', () => {
    const memory = { ...full('subnet-1', nowMs), ...full('subnet-2', nowMs - 5_000) };
    const plan = planPlacements(input(spread('zone', 'spot-a'), [three], { memory, count: 2 }));
    expect(plan.placements.flatMap(({ offerings }) => offerings.map(({ zone }) => zone))).toEqual(['zone-b']);
    expect(plan.rejected).toMatchObject([{ awsCode: 'code-subnet-2' }]);
    const other = { ...full('subnet-1', nowMs - 5_000), ...full('subnet-2', nowMs) };
    expect(planPlacements(input(spread('zone', 'spot-a'), [three], { memory: other })).rejected).toMatchObject([{ awsCode: 'code-subnet-1' }]);
  });
});

describe('what was passed over', () => {
  it('is not what gives as well', () => {
    expect(planPlacements(input(spread('pool', 'spot-a', 'spot-b'), pools, { held: [holds(a, 1)] })).rejected).toEqual([]);
    const poor = planPlacements(input(spread('pool', 'spot-a', 'spot-b'), pools, { memory: interrupted(a, b) }));
    expect(poor.rejected.map(({ pool: name }) => name)).toEqual(['spot-a']);
  });

  it('is not what became full with the last instance, in whatever selector', () => {
    const [full, open] = [pool('full', { cap: 1 }), pool('open')];
    for (const tree of [spread('pool', 'full', 'open'), cheapest('full', 'open'), weighted(['full', 1], ['open', 1])])
      expect([byPool(planPlacements(input(tree, [full, open]))), planPlacements(input(tree, [full, open])).rejected]).toEqual([{ full: 1 }, []]);
  });

  it('is an earlier tier without anything to give, and no later one', () => {
    const rejected = (...of: readonly Pool[]) =>
      planPlacements(input(tiered('spot-a', 'spot-b', 'od'), pools, { memory: refused(...of) })).rejected.map(({ pool: name }) => name);
    expect(rejected(a)).toEqual(['spot-a']);
    expect(rejected(b)).toEqual([]);
  });

  it('is a child whose pools come last, also if one of them became full with the last instance', () => {
    const shared = { maxShare: { zone: 50 }, size: 2, held: [] };
    const first = pool('first', { zones: ['zone-a'], instanceTypes: ['c7g.large'] });
    const tree = spread('pool', spread('pool', 'spot-a', 'spot-b'), 'first');
    const { placements, rejected } = planPlacements(input(tree, [a, b, first], { memory: interrupted(a, b), shared }));
    expect(byPool({ placements })).toEqual({ first: 1 });
    const notChosen = rejected.filter(({ pool: name }) => name !== 'first');
    expect(notChosen.map(({ pool: name, code }) => [name, code])).toEqual([
      ['spot-a', 'at-share'],
      ['spot-b', 'interrupted'],
    ]);
  });

  it('is named in full up to three offerings', () => {
    const types = ['m1.large', 'm2.large', 'm3.large'];
    const spot = pool('spot', { instanceTypes: types });
    const { rejected } = planPlacements(
      input(tiered('spot', 'od'), [spot, od], { memory: refusedOfferings(...types.map((type) => `${type}/zone-a/spot` as const)) }),
    );
    expect(rejected.map(({ code }) => code)).toEqual(['refused', 'refused', 'refused']);
  });
});

describe('how far children of weights are apart', () => {
  const grown = (held: readonly [number, number, number]) => {
    const tree = growTree(weighted(['spot-a', 2], ['spot-b', 1], ['spot-c', 1]), poolsOf(a, b, c), { memory: {}, prices: {}, nowMs });
    for (const [index, of] of [a, b, c].entries())
      tree.count({ pool: of.name, zone: of.subnets[0]?.zone ?? '', instanceType: 'm7g.large' }, held[index] ?? 0);
    return tree.root;
  };
  const apart = (held: readonly [number, number, number], from: number) => {
    const root = grown(held);
    if (root.kind === 'pool') throw new Error('expected a branch');
    const choice = root.choices[from];
    if (choice === undefined) throw new Error('expected a choice');
    const { above, lean } = apartByWeight(root, choice);
    return { above, lean: lean.map(({ choice: { name }, below }) => [name, below]) };
  };

  it('is in members above and below their shares, the furthest below first', () => {
    expect(apart([8, 0, 0], 0)).toEqual({
      above: 4,
      lean: [
        ['spot-b', 2],
        ['spot-c', 2],
      ],
    });
    expect(apart([1, 6, 1], 1)).toEqual({
      above: 4,
      lean: [
        ['spot-a', 3],
        ['spot-c', 1],
      ],
    });
    expect(apart([5, 3, 0], 0)).toEqual({ above: 1, lean: [['spot-c', 2]] });
    expect(apart([6, 0, 2], 0)).toEqual({ above: 2, lean: [['spot-b', 2]] });
  });
});

describe('placements of one pool', () => {
  it('are one while what it can give stays the same, whatever shares fill up elsewhere', () => {
    const here = pool('here', { instanceTypes: ['m7g.large', 'c7g.large'] });
    const there = pool('there', { zones: ['zone-b'], instanceTypes: ['m6g.large'] });
    const shared = { maxShare: { offering: 20 }, size: 10, held: [] };
    const plan = planPlacements(input(spread('pool', 'here', 'there'), [here, there], { count: 4, shared }));
    expect(plan.placements.map(({ pool: name, count, offerings }) => [name, count, offerings.map(({ instanceType }) => instanceType)])).toEqual([
      ['here', 2, ['m7g.large']],
      ['there', 2, ['m6g.large']],
    ]);
    const more = planPlacements(input(spread('pool', 'here', 'there'), [here, there], { count: 7, shared }));
    expect(more.placements.map(({ pool: name, count, offerings }) => [name, count, offerings.map(({ instanceType }) => instanceType)])).toEqual([
      ['here', 2, ['m7g.large']],
      ['there', 2, ['m6g.large']],
      ['here', 2, ['c7g.large']],
    ]);
    expect(more.unplaced).toBe(1);
  });

  it('end at the cap of their pool, whatever shares fill up elsewhere', () => {
    const here = pool('here', { cap: 1 });
    const there = pool('there', { zones: ['zone-b'] });
    const shared = { maxShare: { zone: 20 }, size: 10, held: [] };
    expect(byPool(planPlacements(input(spread('pool', 'here', 'there'), [here, there], { count: 4, shared })))).toEqual({ here: 1, there: 2 });
  });
});
