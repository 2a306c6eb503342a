import { describe, expect, it } from 'vitest';
import { planPlacements } from '../../../core/placement/plan-placements.ts';
import { byPool, byZone, holds, input, oneByOne, pool, refused, spread, tiered, use, weighted } from './tree-builders.ts';

const a = pool('spot-a', { zones: ['zone-a'] });
const b = pool('spot-b', { zones: ['zone-b'] });
const c = pool('spot-c', { zones: ['zone-c'] });
const all = spread('zone', 'spot-a', 'spot-b', 'spot-c');

describe('spread', () => {
  it('gives to the child with the fewest members', () => {
    expect(oneByOne(input(all, [a, b, c], { held: [holds(a, 3), holds(b, 2), holds(c, 3)] }))).toEqual(['spot-b']);
  });

  it('breaks ties in configured order, whatever the names', () => {
    expect(oneByOne(input(spread('zone', 'spot-c', 'spot-a', 'spot-b'), [a, b, c], { count: 4 }))).toEqual(['spot-c', 'spot-a', 'spot-b', 'spot-c']);
  });

  it('counts launches in flight like members', () => {
    const inFlight = { pool: 'spot-a', zone: 'zone-a', instanceType: 'm7g.large', count: 1 };
    expect(oneByOne(input(all, [a, b, c], { held: [inFlight] }))).toEqual(['spot-b']);
  });

  it('falls back to the other zones when one lacks capacity, and keeps those even', () => {
    const plan = planPlacements(input(all, [a, b, c], { count: 6, memory: refused(a) }));
    expect(byPool(plan)).toEqual({ 'spot-b': 3, 'spot-c': 3 });
    expect(plan.unplaced).toBe(0);
  });

  it('fills a zone up first when it comes back', () => {
    const plan = planPlacements(input(all, [a, b, c], { count: 6, held: [holds(b, 4), holds(c, 4)] }));
    expect(byPool(plan)).toEqual({ 'spot-a': 5, 'spot-b': 1 });
  });

  it('ten over two zones are five and five', () => {
    expect(byPool(planPlacements(input(spread('zone', 'spot-a', 'spot-b'), [a, b], { count: 10 })))).toEqual({ 'spot-a': 5, 'spot-b': 5 });
  });

  it('leaves members of other pools and of unknown pools out of the count', () => {
    const stranger = { pool: undefined, zone: 'zone-a', instanceType: 'm7g.large', count: 7 };
    const elsewhere = { pool: 'not-in-the-tree', zone: 'zone-a', instanceType: 'm7g.large', count: 7 };
    expect(oneByOne(input(all, [a, b, c], { held: [stranger, elsewhere] }))).toEqual(['spot-a']);
  });

  it('records which child held the fewest', () => {
    expect(planPlacements(input(all, [a, b, c])).reasons).toEqual([
      { pool: 'spot-a', count: 1, turns: [{ kind: 'spread', by: 'zone', name: 'zone-a', held: 0 }] },
    ]);
  });
});

describe('spread by zone', () => {
  const wide = pool('spot-wide', { zones: ['zone-a', 'zone-b', 'zone-c'], instanceTypes: ['m7g.large', 'm6g.large'] });

  it('treats each zone of a pool as a choice of its own, and limits the placement to it', () => {
    const plan = planPlacements(input(spread('zone', 'spot-wide'), [wide], { count: 4 }));
    expect(byZone(plan)).toEqual({ 'zone-a': 2, 'zone-b': 1, 'zone-c': 1 });
    for (const { offerings } of plan.placements) {
      expect(new Set(offerings.map(({ zone }) => zone)).size).toBe(1);
      expect(offerings.map(({ instanceType }) => instanceType)).toEqual(['m7g.large', 'm6g.large']);
    }
  });

  it('balances zones, not pools: two pools in one zone share its count', () => {
    const first = pool('first-a', { zones: ['zone-a'] });
    const second = pool('second-a', { zones: ['zone-a'] });
    const plan = planPlacements(input(spread('zone', 'first-a', 'second-a', 'spot-b'), [first, second, b], { count: 6, held: [holds(second, 2)] }));
    expect(byPool(plan)).toEqual({ 'spot-b': 4, 'first-a': 2 });
  });

  it('counts a member in its zone where its pool has no subnet there any more (22210012 of outages)', () => {
    const former = { pool: 'spot-b', zone: 'zone-a', instanceType: 'm7g.large', count: 2 };
    expect(oneByOne(input(all, [a, b, c], { held: [former, holds(b, 1)] }))).toEqual(['spot-c']);
    // A zone in which the spread has no pool is no part of it.
    expect(oneByOne(input(all, [a, b, c], { held: [{ ...former, zone: 'zone-d' }] }))).toEqual(['spot-a']);
  });

  it('takes the next pool of a zone when the first is refused there', () => {
    const first = pool('first-a', { zones: ['zone-a'], instanceTypes: ['c7g.large'] });
    const second = pool('second-a', { zones: ['zone-a'] });
    const plan = planPlacements(input(spread('zone', 'first-a', 'second-a', 'spot-b'), [first, second, b], { count: 4, memory: refused(first) }));
    expect(byPool(plan)).toEqual({ 'second-a': 2, 'spot-b': 2 });
  });

  it('passes over one zone of a pool that is refused there, and keeps its other zones', () => {
    const memory = refused(pool('only-a', { zones: ['zone-a'], instanceTypes: ['m7g.large', 'm6g.large'] }));
    expect(byZone(planPlacements(input(spread('zone', 'spot-wide'), [wide], { count: 4, memory })))).toEqual({ 'zone-b': 2, 'zone-c': 2 });
  });

  it('acts as if what is below it were written once for each zone', () => {
    const onDemand = pool('od-wide', { market: 'on-demand', zones: ['zone-a', 'zone-b', 'zone-c'] });
    const short = spread('zone', weighted(['spot-wide', 75], ['od-wide', 25]));
    const perZone = (zone: string) => [pool(`spot-${zone}`, { zones: [zone] }), pool(`od-${zone}`, { market: 'on-demand', zones: [zone] })];
    const pools = ['zone-a', 'zone-b', 'zone-c'].flatMap(perZone);
    const long = spread('zone', ...['zone-a', 'zone-b', 'zone-c'].map((zone) => weighted([`spot-${zone}`, 75], [`od-${zone}`, 25])));
    const shortPlan = planPlacements(input(short, [wide, onDemand], { count: 12 }));
    const longPlan = planPlacements(input(long, pools, { count: 12 }));
    expect(byZone(shortPlan)).toEqual(byZone(longPlan));
    expect(byPool(shortPlan)).toEqual({ 'spot-wide': 9, 'od-wide': 3 });
    expect(byPool(longPlan)).toEqual({ 'spot-zone-a': 3, 'od-zone-a': 1, 'spot-zone-b': 3, 'od-zone-b': 1, 'spot-zone-c': 3, 'od-zone-c': 1 });
  });

  it('falls to the next tier within a zone when tiers are below it', () => {
    const onDemand = pool('od-wide', { market: 'on-demand', zones: ['zone-a', 'zone-b', 'zone-c'] });
    const memory = refused(pool('only-a', { zones: ['zone-a'], instanceTypes: ['m7g.large', 'm6g.large'] }));
    const plan = planPlacements(input(spread('zone', tiered('spot-wide', 'od-wide')), [wide, onDemand], { count: 6, memory }));
    expect(byZone(plan)).toEqual({ 'zone-a': 2, 'zone-b': 2, 'zone-c': 2 });
    expect(byPool(plan)).toEqual({ 'od-wide': 2, 'spot-wide': 4 });
  });
});

describe('spread by pool', () => {
  it('counts the members of every pool below a child', () => {
    const tree = spread('pool', tiered('spot-a', 'spot-b'), 'spot-c');
    expect(byPool(planPlacements(input(tree, [a, b, c], { count: 2, held: [holds(b, 2)] })))).toEqual({ 'spot-c': 2 });
  });

  it('leaves the zone within a pool to EC2: the placement has every offering', () => {
    const wide = pool('wide', { zones: ['zone-a', 'zone-b'] });
    const plan = planPlacements(input(spread('pool', 'wide'), [wide], { count: 4 }));
    expect(plan.placements).toHaveLength(1);
    expect(plan.placements[0]?.offerings.map(({ zone }) => zone)).toEqual(['zone-a', 'zone-b']);
  });

  it('counts a member of a pool that stands below several children once: for the child with the fewest pools', () => {
    const od = pool('od', { market: 'on-demand' });
    const spot = pool('spot');
    const plan = (memory = {}) => planPlacements(input(weighted([tiered('spot', 'od'), 80], ['od', 20]), [od, spot], { count: 10, memory }));
    expect(byPool(plan())).toEqual({ spot: 8, od: 2 });
    expect(byPool(plan(refused(spot)))).toEqual({ od: 10 });
  });
});

describe('spread by instance type', () => {
  const mixed = pool('mixed', { zones: ['zone-a', 'zone-b'], instanceTypes: ['m7g.large', 'm6g.large', 'c7g.large'] });

  it('treats each instance type as a choice of its own, and limits the placement to it', () => {
    const plan = planPlacements(input(spread('instance-type', 'mixed'), [mixed], { count: 3 }));
    expect(plan.placements.map(({ offerings }) => [...new Set(offerings.map(({ instanceType }) => instanceType))])).toEqual([
      ['m7g.large'],
      ['m6g.large'],
      ['c7g.large'],
    ]);
  });

  it('nests with a spread by zone: types stay even within each zone', () => {
    const plan = planPlacements(input(spread('zone', spread('instance-type', use('mixed'))), [mixed], { count: 12 }));
    expect(plan.placements.map(({ count, offerings }) => [offerings.length, count])).toEqual(new Array(6).fill([1, 2]));
  });
});
