import fc from 'fast-check';
import type { Held } from '../../../core/placement/held-cells.ts';
import type { PlanInput } from '../../../core/placement/plan-placements.ts';
import { type OfferingKey, offeringKey } from '../../../core/pool/offering.ts';
import { offeringsOf, type Pool } from '../../../core/pool/pool.ts';
import type { Lesson } from '../../../core/pool-memory/pool-memory.ts';
import type { Selector } from '../../../core/selector/selector.ts';
import { input, nowMs, pool } from './tree-builders.ts';

const zones = ['zone-a', 'zone-b', 'zone-c'];
const types = ['m7g.large', 'm6g.large', 'c7g.large'];
const names = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5'];

const aPool = (name: string): fc.Arbitrary<Pool> =>
  fc
    .record({
      market: fc.constantFrom('spot' as const, 'on-demand' as const),
      zones: fc.subarray(zones, { minLength: 1 }),
      instanceTypes: fc.subarray(types, { minLength: 1 }),
      cap: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }),
      maxPriceUsdPerHour: fc.option(fc.constantFrom(0.02, 0.05), { nil: undefined }),
    })
    .map(({ cap, maxPriceUsdPerHour, ...rest }) =>
      pool(name, { ...rest, ...(cap === undefined ? {} : { cap }), ...(maxPriceUsdPerHour === undefined ? {} : { maxPriceUsdPerHour }) }),
    );

const somePools: fc.Arbitrary<readonly Pool[]> = fc.tuple(...names.map(aPool));

/** Trees of any shape, a pool possibly in several places. */
const aTree: fc.Arbitrary<Selector> = fc.letrec<{ tree: Selector; leaf: Selector; branch: Selector }>((tie) => ({
  leaf: fc.constantFrom(...names).map((name) => ({ kind: 'pool', pool: name })),
  branch: fc.oneof(
    fc.array(tie('tree'), { minLength: 1, maxLength: 4 }).map((children) => ({ kind: 'tiered' as const, children })),
    fc.array(tie('tree'), { minLength: 1, maxLength: 4 }).map((children) => ({ kind: 'cheapest' as const, children })),
    fc
      .tuple(fc.constantFrom('zone' as const, 'pool' as const, 'instance-type' as const), fc.array(tie('tree'), { minLength: 1, maxLength: 4 }))
      .map(([by, children]) => ({ kind: 'spread' as const, by, children })),
    fc
      .array(fc.record({ use: tie('tree'), weight: fc.integer({ min: 0, max: 100 }) }), { minLength: 1, maxLength: 4 })
      .map((children) => ({ kind: 'weighted' as const, children })),
  ),
  tree: fc.oneof({ maxDepth: 3, withCrossShrink: true }, tie('leaf'), tie('branch')),
})).tree;

const aLesson: fc.Arbitrary<Lesson> = fc.record({
  kind: fc.constantFrom('refused' as const, 'interrupted' as const),
  code: fc.constant('InsufficientInstanceCapacity'),
  atMs: fc.constant(nowMs - 1),
  coolingUntilMs: fc.constantFrom(nowMs - 1, nowMs + 60_000),
  streak: fc.constant(1),
});

const aHeld: fc.Arbitrary<Held> = fc.record({
  pool: fc.option(fc.constantFrom(...names), { nil: undefined }),
  zone: fc.constantFrom(...zones),
  instanceType: fc.constantFrom(...types),
  count: fc.integer({ min: 0, max: 6 }),
});

const keysOf = (pools: readonly Pool[]): readonly OfferingKey[] => [...new Set(pools.flatMap(offeringsOf).map(offeringKey))];

/** Any planning at all. */
export const aPlanning: fc.Arbitrary<PlanInput> = fc.tuple(somePools, aTree).chain(([pools, tree]) => {
  const keys = keysOf(pools);
  return fc
    .record({
      count: fc.integer({ min: 0, max: 25 }),
      memory: fc.dictionary(fc.constantFrom(...keys), aLesson, { maxKeys: 8 }),
      prices: fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(0.01, 0.02, 0.021, 0.03, 0.06), { maxKeys: keys.length }),
      held: fc.array(aHeld, { maxLength: 8 }),
    })
    .map((rest) => input(tree, pools, rest));
});
