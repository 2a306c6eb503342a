import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlanInput, planPlacements } from '../../../core/placement/plan-placements.ts';
import { offeringKey } from '../../../core/pool/offering.ts';
import { offeringsOf } from '../../../core/pool/pool.ts';
import { isResting } from '../../../core/pool-memory/pool-memory.ts';
import { nextByWeight } from '../../../core/selector/weights.ts';
import { aPlanning } from '../selector/arbitraries.ts';
import { byPool, heldAfter, input, oneByOne, pool, spread, weighted } from '../selector/tree-builders.ts';

const zoneNames = ['zone-a', 'zone-b', 'zone-c', 'zone-d'];

const reversedKeys = <T>(record: Readonly<Record<string, T>>): Record<string, T> => Object.fromEntries(Object.entries(record).reverse());

const heldIn = ({ held }: Pick<PlanInput, 'held'>, name: string): number =>
  held.filter((each) => each.pool === name).reduce((sum, { count }) => sum + count, 0);

fc.configureGlobal({ seed: 20_261_120, numRuns: 150 });

describe('whatever the tree and whatever is known', () => {
  it('a decision of n at once equals n decisions of one', () => {
    fc.assert(
      fc.property(aPlanning, (planning) => {
        const singles: Record<string, number> = {};
        let { held, cheapest } = planning;
        for (let step = 0; step < planning.count; step += 1) {
          const plan = planPlacements({ ...planning, count: 1, held, cheapest });
          for (const { pool: name, count, offerings } of plan.placements) {
            const key = [name, ...offerings.map(offeringKey)].join('|');
            singles[key] = (singles[key] ?? 0) + count;
          }
          held = heldAfter(held, plan);
          cheapest = plan.cheapest;
        }
        const atOnce = planPlacements(planning);
        const together = Object.fromEntries(
          atOnce.placements.map(({ pool: name, count, offerings }) => [[name, ...offerings.map(offeringKey)].join('|'), count]),
        );
        expect(together).toEqual(singles);
        expect(atOnce.cheapest).toEqual(cheapest);
      }),
    );
  });

  it('the same input in any order of keys and members gives the same decision', () => {
    fc.assert(
      fc.property(aPlanning, (planning) => {
        const shuffled = {
          ...planning,
          pools: reversedKeys(planning.pools),
          memory: reversedKeys(planning.memory),
          prices: reversedKeys(planning.prices),
          held: [...planning.held].reverse(),
        };
        expect(JSON.stringify(planPlacements(shuffled))).toBe(JSON.stringify(planPlacements(planning)));
      }),
    );
  });

  it('nothing is placed above a cap, in a pool that is refused, or above its price limit', () => {
    fc.assert(
      fc.property(aPlanning, (planning) => {
        const plan = planPlacements(planning);
        for (const [name, count] of Object.entries(byPool(plan))) {
          const { cap } = planning.pools[name] ?? {};
          if (cap !== undefined) expect(heldIn(planning, name) + count).toBeLessThanOrEqual(cap);
        }
        for (const { pool: name, offerings, count } of plan.placements) {
          const target = planning.pools[name];
          const sold = new Set((target ? offeringsOf(target) : []).map(offeringKey));
          expect(count).toBeGreaterThan(0);
          expect(offerings.length).toBeGreaterThan(0);
          for (const key of offerings.map(offeringKey)) {
            const lesson = planning.memory[key];
            expect(sold.has(key)).toBe(true);
            expect(isResting(lesson, planning.nowMs) && lesson.kind === 'refused').toBe(false);
            expect(planning.prices[key] ?? 0).toBeLessThanOrEqual(target?.maxPriceUsdPerHour ?? Number.POSITIVE_INFINITY);
          }
        }
      }),
    );
  });

  it('every instance is placed or said to be unplaced, and every placement has a reason', () => {
    fc.assert(
      fc.property(aPlanning, (planning) => {
        const plan = planPlacements(planning);
        const placed = plan.placements.reduce((sum, { count }) => sum + count, 0);
        expect(placed + plan.unplaced).toBe(planning.count);
        expect(plan.reasons.reduce((sum, { count }) => sum + count, 0)).toBe(placed);
        if (plan.unplaced > 0) expect(plan.rejected.length + Number(JSON.stringify(planning.selector).includes('"weight":0'))).toBeGreaterThan(0);
      }),
    );
  });
});

describe('spread', () => {
  const pools = zoneNames.map((zone) => pool(`spot-${zone}`, { zones: [zone] }));
  const tree = spread('zone', ...pools.map(({ name }) => name));

  it('is never more than one apart while all zones can give', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (count) => {
        const held = new Map(pools.map(({ name }) => [name, 0]));
        for (const name of oneByOne(input(tree, pools, { count }))) {
          held.set(name, (held.get(name) ?? 0) + 1);
          expect(Math.max(...held.values()) - Math.min(...held.values())).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('comes closer to even with every placement, wherever it starts', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 4, maxLength: 4 }), fc.integer({ min: 1, max: 30 }), (start, count) => {
        const held = pools.map(({ name, subnets }, index) => ({
          pool: name,
          zone: subnets[0]?.zone ?? '',
          instanceType: 'm7g.large',
          count: start[index] ?? 0,
        }));
        const placed = byPool(planPlacements(input(tree, pools, { count, held })));
        const counts = pools.map(({ name }, index) => (start[index] ?? 0) + (placed[name] ?? 0));
        const lowest = Math.min(...counts);
        for (const [index, { name }] of pools.entries()) {
          if ((placed[name] ?? 0) > 0) expect(counts[index]).toBeLessThanOrEqual(lowest + 1);
        }
      }),
    );
  });
});

describe('weighted', () => {
  const someWeights = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 });

  const expectWithinOne = (weights: readonly number[], chosen: readonly number[]) => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const held = weights.map(() => 0);
    for (const [step, index] of chosen.entries()) {
      held[index] = (held[index] ?? 0) + 1;
      const furthest = Math.max(...weights.map((weight, each) => Math.abs((weight * (step + 1)) / total - (held[each] ?? 0))));
      expect(furthest).toBeLessThan(1);
    }
  };

  it('is within one instance of its weights at every prefix', () => {
    fc.assert(
      fc.property(someWeights, (weights) => {
        const pools = weights.map((_, index) => pool(`p${index}`));
        const tree = weighted(...weights.map((weight, index) => [`p${index}`, weight] as const));
        expectWithinOne(
          weights,
          oneByOne(input(tree, pools, { count: 25 })).map((name) => Number(name.slice(1))),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('stays within one instance of its weights however long it goes on', () => {
    fc.assert(
      fc.property(someWeights, (weights) => {
        const held = weights.map(() => 0);
        const chosen = Array.from({ length: 400 }, () => {
          const next = nextByWeight(weights.map((weight, index) => ({ weight, held: held[index] ?? 0 })));
          held[next] = (held[next] ?? 0) + 1;
          return next;
        });
        expectWithinOne(weights, chosen);
      }),
      { numRuns: 50 },
    );
  });
});
