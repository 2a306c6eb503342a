import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planPlacements } from '../../../core/placement/plan-placements.ts';
import { nextByWeight } from '../../../core/selector/weights.ts';
import { byPool, holds, input, oneByOne, pool, refused, spread, weighted } from './tree-builders.ts';

const a = pool('od-a');
const b = pool('od-b');
const c = pool('od-c');
const eightyTwenty = weighted(['od-a', 80], ['od-b', 20]);

describe('weighted', () => {
  it('gives to the child furthest below its share after this launch', () => {
    expect(oneByOne(input(eightyTwenty, [a, b], { count: 10 })).join(' ')).toBe('od-a od-a od-b od-a od-a od-a od-a od-b od-a od-a');
  });

  it('breaks ties in configured order', () => {
    expect(oneByOne(input(weighted(['od-b', 1], ['od-a', 1]), [a, b], { count: 3 }))).toEqual(['od-b', 'od-a', 'od-b']);
  });

  it('is exact, not a roll of dice: ten thousand at 80/20 are 8,000 and 2,000', () => {
    expect(byPool(planPlacements(input(eightyTwenty, [a, b], { count: 10_000 })))).toEqual({ 'od-a': 8_000, 'od-b': 2_000 });
  });

  it('counts what is held already', () => {
    expect(byPool(planPlacements(input(eightyTwenty, [a, b], { count: 5, held: [holds(a, 1), holds(b, 4)] })))).toEqual({ 'od-a': 5 });
  });

  it('makes up for an outage once the child is back', () => {
    const held = [holds(b, 4)];
    expect(byPool(planPlacements(input(eightyTwenty, [a, b], { count: 16, held })))).toEqual({ 'od-a': 16 });
  });

  it('shares what is left among eligible children by their weights', () => {
    const tree = weighted(['od-a', 50], ['od-b', 30], ['od-c', 20]);
    const other = pool('od-a', { instanceTypes: ['c7g.large'] });
    expect(byPool(planPlacements(input(tree, [other, b, c], { count: 10, memory: refused(other) })))).toEqual({ 'od-b': 6, 'od-c': 4 });
  });

  it('never gives to a child of weight zero, even when nothing else is eligible', () => {
    const other = pool('od-a', { instanceTypes: ['c7g.large'] });
    const plan = planPlacements(input(weighted(['od-a', 1], ['od-b', 0]), [other, b], { count: 2, memory: refused(other) }));
    expect(plan.placements).toEqual([]);
    expect(plan.unplaced).toBe(2);
  });

  it('counts every pool below a child that is a selector', () => {
    const tree = weighted([spread('pool', 'od-a', 'od-b'), 50], ['od-c', 50]);
    expect(byPool(planPlacements(input(tree, [a, b, c], { count: 8 })))).toEqual({ 'od-a': 2, 'od-b': 2, 'od-c': 4 });
  });

  it.each([
    [[93, 30, 100, 4, 4, 1]],
    [[1, 2, 4, 31, 31]],
    [[38, 3, 38, 5, 1]],
    [[4, 1, 85, 4, 76]],
    [[1, 15, 1, 33, 1, 23, 8]],
    [[5, 63, 21, 14, 1, 14, 1]],
    [[1, 100, 1, 26, 8, 8, 6]],
  ])('keeps light children within one instance where the largest deficit alone would not, and equals in configured order: %j', (weights) => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const held = weights.map(() => 0);
    for (let placed = 1; placed <= 2 * total; placed += 1) {
      const next = nextByWeight(weights.map((weight, index) => ({ weight, held: held[index] ?? 0 })));
      held[next] = (held[next] ?? 0) + 1;
      for (const [index, weight] of weights.entries()) expect(Math.abs((weight * placed) / total - (held[index] ?? 0))).toBeLessThan(1);
      const later = weights.flatMap((weight, index) => (index > next && weight === weights[next] ? [held[index] ?? 0] : []));
      const earlier = weights.flatMap((weight, index) => (index < next && weight === weights[next] ? [held[index] ?? 0] : []));
      expect(Math.max(...later, 0)).toBeLessThan(held[next] ?? 0);
      expect(Math.min(...earlier, Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(held[next] ?? 0);
    }
  });

  it('gives to the child furthest below its share while one of them is a whole instance away from it', () => {
    const someShares = fc.array(fc.record({ weight: fc.integer({ min: 1, max: 20 }), held: fc.integer({ min: 0, max: 6 }) }), {
      minLength: 3,
      maxLength: 5,
    });
    fc.assert(
      fc.property(someShares, (shares) => {
        const total = shares.reduce((sum, { weight }) => sum + weight, 0);
        const held = shares.reduce((sum, share) => sum + share.held, 0);
        fc.pre(shares.some((share) => Math.abs(share.weight * held - share.held * total) >= total));
        const below = shares.map((share) => share.weight * (held + 1) - share.held * total);
        expect(nextByWeight(shares)).toBe(below.indexOf(Math.max(...below)));
      }),
    );
  });

  it('records how far below its share the child was', () => {
    const plan = planPlacements(input(eightyTwenty, [a, b], { held: [holds(a, 2)] }));
    expect(plan.reasons[0]?.turns).toEqual([{ kind: 'weighted', name: 'od-b', belowShare: expect.closeTo(0.6) }]);
  });
});
