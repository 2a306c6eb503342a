import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Held } from '../../../core/placement/held-cells.ts';
import { planPlacements } from '../../../core/placement/plan-placements.ts';
import { chooseRemovals } from '../../../core/removal/removal.ts';
import type { Selector } from '../../../core/selector/selector.ts';
import type { Member } from '../../../core/view/view.ts';
import { membersFrom, removal } from '../members.ts';
import { aPlanning } from '../selector/arbitraries.ts';
import { input, nowMs, pool, refused, spread, tiered, weighted } from '../selector/tree-builders.ts';

const heldBy = (members: readonly Member[]): readonly Held[] =>
  members.map((member) => ({ pool: member.pool, zone: member.offering.zone, instanceType: member.offering.instanceType, count: 1 }));

const distribution = (members: readonly Member[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { pool: name, offering } of members) counts[`${name} ${offering.zone}`] = (counts[`${name} ${offering.zone}`] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort());
};

const wide = pool('wide', { zones: ['zone-a', 'zone-b', 'zone-c'] });
const capped = pool('capped', { cap: 3 });
const plain = ['p0', 'p1', 'p2', 'p3'].map((name, index) => pool(name, { zones: [`zone-${index}`] }));
const pools = [wide, capped, ...plain];

const trees: readonly Selector[] = [
  spread('zone', 'p0', 'p1', 'p2', 'p3'),
  spread('zone', 'wide', 'p3'),
  tiered('capped', spread('zone', 'wide')),
  tiered('capped', weighted(['p0', 80], ['p1', 20])),
  weighted(['p0', 50], ['p1', 30], ['p2', 15], ['p3', 5]),
  weighted(['capped', 50], ['p1', 30], ['p2', 20]),
  weighted([spread('zone', 'p0', 'p1'), 60], [spread('pool', 'p2', 'p3'), 40]),
  spread('pool', weighted(['p0', 3], ['p1', 1]), tiered('capped', 'p2'), 'p3'),
  spread('zone', weighted(['wide', 70], ['p3', 30])),
];

fc.configureGlobal({ seed: 20_261_120, numRuns: 150 });

describe('removal in the same order', () => {
  it('followed by a placement of the same number returns to the same distribution', () => {
    const cases = fc.record({
      tree: fc.constantFrom(...trees),
      size: fc.integer({ min: 1, max: 40 }),
      less: fc.integer({ min: 1, max: 40 }),
      outage: fc.constantFrom([], [pool('p1', { zones: ['zone-1'] })]),
    });
    fc.assert(
      fc.property(cases, ({ tree, size, less, outage }) => {
        const memory = refused(...outage);
        const before = membersFrom(planPlacements(input(tree, pools, { count: size, memory })).placements);
        const gone = new Set(
          chooseRemovals(removal('same-order', tree, pools, { count: less, members: before, memory })).map(({ instance }) => instance),
        );
        const kept = before.filter(({ instance }) => !gone.has(instance));
        const back = membersFrom(planPlacements(input(tree, pools, { count: gone.size, held: heldBy(kept), memory })).placements, 'new-');
        expect(distribution([...kept, ...back])).toEqual(distribution(before));
      }),
    );
  });

  it('leaves what the tree would hold had the group never been larger', () => {
    const cases = fc.record({
      tree: fc.constantFrom(...trees),
      size: fc.integer({ min: 1, max: 40 }),
      less: fc.integer({ min: 1, max: 40 }),
    });
    const grown = (tree: Selector, count: number) => membersFrom(planPlacements(input(tree, pools, { count })).placements);
    fc.assert(
      fc.property(cases, ({ tree, size, less }) => {
        const before = grown(tree, size);
        const gone = new Set(chooseRemovals(removal('same-order', tree, pools, { count: less, members: before })).map(({ instance }) => instance));
        const kept = before.filter(({ instance }) => !gone.has(instance));
        expect(distribution(kept)).toEqual(distribution(grown(tree, kept.length)));
      }),
      { numRuns: 400 },
    );
  });

  it('leaves every child of weights within one and a half members of its share, whatever the weights', () => {
    const weight = fc.integer({ min: 1, max: 12 });
    const cases = fc.record({
      weights: fc.array(weight, { minLength: 2, maxLength: 4 }),
      size: fc.integer({ min: 1, max: 40 }),
      less: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(cases, ({ weights, size, less }) => {
        const tree = weighted(...weights.map((one, index) => [`p${index}`, one] as const));
        const before = membersFrom(planPlacements(input(tree, pools, { count: size })).placements);
        const gone = new Set(chooseRemovals(removal('same-order', tree, pools, { count: less, members: before })).map(({ instance }) => instance));
        const kept = before.filter(({ instance }) => !gone.has(instance));
        const total = weights.reduce((sum, one) => sum + one, 0);
        for (const [index, one] of weights.entries()) {
          const held = kept.filter((member) => member.pool === `p${index}`).length;
          expect(Math.abs(held - (one * kept.length) / total)).toBeLessThan(1.5);
        }
      }),
      { numRuns: 600 },
    );
  });

  it('never leaves a spread that was even more than one apart', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), (size, less) => {
        const tree = spread('zone', 'wide');
        const before = membersFrom(planPlacements(input(tree, pools, { count: size })).placements);
        const gone = new Set(
          chooseRemovals(removal('dearest-first', tree, pools, { count: Math.min(less, size), members: before })).map(({ instance }) => instance),
        );
        const left = ['zone-a', 'zone-b', 'zone-c'].map(
          (zone) => before.filter(({ instance, offering }) => !gone.has(instance) && offering.zone === zone).length,
        );
        expect(Math.max(...left) - Math.min(...left)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

const aMember = (index: number): fc.Arbitrary<Member> =>
  fc.record({
    instance: fc.constant(`i-${index}`),
    pool: fc.option(fc.constantFrom('p0', 'p1', 'p2', 'p3', 'p4', 'p5'), { nil: undefined }),
    offering: fc.record({
      instanceType: fc.constantFrom('m7g.large', 'm6g.large', 'c7g.large'),
      zone: fc.constantFrom('zone-a', 'zone-b', 'zone-c'),
      market: fc.constantFrom('spot' as const, 'on-demand' as const),
    }),
    state: fc.constantFrom('pending' as const, 'running' as const),
    launchedAtMs: fc.constantFrom(nowMs - 1, nowMs - 2, nowMs - 3),
    admitted: fc.boolean(),
    serving: fc.boolean(),
    protected: fc.boolean(),
    unhealthy: fc.boolean(),
  });

const someMembers = fc.integer({ min: 0, max: 20 }).chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => aMember(index))));

describe('removal by any order from any tree', () => {
  const orders = fc.constantFrom('dearest-first' as const, 'oldest-first' as const, 'newest-first' as const, 'same-order' as const);

  it('takes as many as asked, each once, the unhealthy first and the protected never', () => {
    fc.assert(
      fc.property(aPlanning, someMembers, orders, fc.integer({ min: 0, max: 25 }), (planning, members, order, count) => {
        const { selector, pools: named, prices, memory } = planning;
        const gone = chooseRemovals(removal(order, selector, Object.values(named), { count, members, prices, memory })).map(
          ({ instance }) => instance,
        );
        const removable = members.filter((member) => !member.protected);
        expect(new Set(gone).size).toBe(gone.length);
        expect(gone).toHaveLength(Math.min(count, removable.length));
        const sick = removable.filter(({ unhealthy }) => unhealthy).map(({ instance }) => instance);
        expect(new Set(gone.slice(0, sick.length))).toEqual(new Set(sick.filter((instance) => gone.includes(instance))));
        for (const instance of gone) expect(removable.map((member) => member.instance)).toContain(instance);
      }),
    );
  });

  it('chooses the same members whatever the order in which they are listed', () => {
    fc.assert(
      fc.property(aPlanning, someMembers, orders, (planning, members, order) => {
        const { selector, pools: named, prices, memory } = planning;
        const choose = (present: readonly Member[]) =>
          chooseRemovals(removal(order, selector, Object.values(named), { count: 8, members: present, prices, memory }));
        expect(choose([...members].reverse())).toEqual(choose(members));
      }),
    );
  });
});
