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

  it('keeps light children within one instance where the largest deficit alone would not', () => {
    const weights = [93, 30, 100, 4, 4, 1];
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const held = weights.map(() => 0);
    for (let placed = 1; placed <= 2 * total; placed += 1) {
      const next = nextByWeight(weights.map((weight, index) => ({ weight, held: held[index] ?? 0 })));
      held[next] = (held[next] ?? 0) + 1;
      for (const [index, weight] of weights.entries()) expect(Math.abs((weight * placed) / total - (held[index] ?? 0))).toBeLessThan(1);
    }
  });

  it('says how far below its share the child was', () => {
    const plan = planPlacements(input(eightyTwenty, [a, b], { held: [holds(a, 2)] }));
    expect(plan.reasons[0]?.turns).toEqual([{ kind: 'weighted', name: 'od-b', belowShare: expect.closeTo(0.6) }]);
  });
});
