import { describe, expect, it } from 'vitest';
import { planPlacements } from '../../../core/placement/plan-placements.ts';
import { countIn, growTree } from '../../../core/selector/grow.ts';
import { standingOf } from '../../../core/selector/standing.ts';
import { homeOf } from '../../../core/selector/tree.ts';
import { undo } from '../../../core/selector/undo.ts';
import { apartByWeight } from '../../../core/selector/weighted.ts';
import { nextByWeight } from '../../../core/selector/weights.ts';
import { byPool, cheapest, holds, input, nowMs, pool, poolsOf, refused, spread, tiered, use, weighted } from './tree-builders.ts';

const [a, b, c] = [pool('a'), pool('b', { zones: ['zone-b'] }), pool('c', { zones: ['zone-c'] })];
const pools = poolsOf(a, b, c);
const market = { memory: {}, prices: {}, nowMs };
const branchOf = (selector: Parameters<typeof growTree>[0], held: Parameters<typeof countIn>[1], memory = {}) => {
  const tree = growTree(selector, pools, { ...market, memory });
  countIn(tree, held);
  if (tree.root.kind === 'pool') throw new Error('a tree of one pool');
  return tree.root;
};

describe('a weighted selector', () => {
  it('gives up members of a child without weight first', () => {
    const root = branchOf(weighted(['a', 1], ['b', 1], ['c', 0]), [holds(a, 10), holds(c, 1)]);
    expect(undo(root, () => true)?.pool.name).toBe('c');
  });

  it('divides shares among the children with weight while none of them is eligible', () => {
    const held = [holds(a, 9), holds(b, 1), holds(c, 20)];
    const root = branchOf(weighted(['a', 3], ['b', 1], ['c', 0]), held, refused(a, b, c));
    expect(undo(root, ({ name }) => name !== 'c')?.pool.name).toBe('a');
  });

  it('names the children below their share, the furthest first', () => {
    const root = branchOf(weighted(['a', 1], ['b', 1], ['c', 2]), [holds(a, 8), holds(b, 1)]);
    const [from] = root.choices;
    if (from === undefined) throw new Error('no choice');
    expect(apartByWeight(root, from).lean.map(({ choice, below }) => [choice.name, below])).toEqual([
      ['c', 4.5],
      ['b', 1.25],
    ]);
  });

  it('gives the next instance to the child that is furthest below its share while the children are far apart', () => {
    const shares = [11, 20, 16, 3, 16].map((weight, index) => ({ weight, held: [4, 7, 4, 0, 4][index] ?? 0 }));
    expect(nextByWeight(shares)).toBe(3);
  });
});

describe('a cheapest selector', () => {
  it('compares prices of tiers that can give, and not of a tier whose pool is full', () => {
    const full = pool('a', { cap: 0 });
    const prices = { 'm7g.large/zone-a/spot': 0.01, 'm7g.large/zone-b/spot': 0.09, 'm7g.large/zone-c/spot': 0.05 };
    expect(byPool(planPlacements(input(cheapest(tiered('a', 'b'), 'c'), [full, b, c], { prices })))).toEqual({ c: 1 });
  });
});

describe('a pool of a tree', () => {
  it('has no offering to give while all of them rest', () => {
    expect(standingOf(a, {}, market, false).offerings).toHaveLength(1);
    expect(standingOf(a, {}, { ...market, memory: refused(a) }, false).offerings).toEqual([]);
  });

  it('is no place for members of another pool', () => {
    const { root } = growTree(use('a'), pools, market);
    const cell = { zone: 'zone-a', instanceType: 'm7g.large' };
    expect([homeOf(root, { ...cell, pool: 'a' }), homeOf(root, { ...cell, pool: 'b' })]).toEqual([{ leaf: root, way: [root] }, undefined]);
  });
});

describe('a spread by zone over a spread by type', () => {
  it('has below each zone only the types of that zone', () => {
    const inner = spread('instance-type', 'x', 'y');
    const x = pool('x', { zones: ['zone-a'], instanceTypes: ['m7g.large'] });
    const y = pool('y', { zones: ['zone-b'], instanceTypes: ['c7g.large'] });
    const { root } = growTree(spread('zone', inner), poolsOf(x, y), market);
    const below =
      root.kind === 'pool' ? [] : root.choices.map(({ name, node }) => [name, node.kind === 'pool' ? [] : node.choices.map((one) => one.name)]);
    expect(below).toEqual([
      ['zone-a', ['m7g.large']],
      ['zone-b', ['c7g.large']],
    ]);
  });
});

describe('instances of one pool while shares limit it', () => {
  const wide = pool('wide', { zones: ['zone-a', 'zone-b'] });

  it('are one launch as long as the offerings are the same', () => {
    const shared = { maxShare: { zone: 50 }, size: 6, held: [] };
    const { placements } = planPlacements(input(use('wide'), [wide], { count: 6, shared }));
    expect(placements.map(({ count, offerings }) => [count, offerings.map(({ zone }) => zone)])).toEqual([
      [3, ['zone-a']],
      [3, ['zone-b']],
    ]);
    const { reasons } = planPlacements(input(use('wide'), [wide], { count: 6, shared }));
    expect(reasons).toHaveLength(2);
  });

  it('are one launch and one reason although another pool filled its share between them', () => {
    const shared = { maxShare: { zone: 50 }, size: 4, held: [] };
    const { placements, reasons } = planPlacements(input(spread('pool', 'a', 'b'), [a, b], { count: 4, shared }));
    expect(placements.map(({ pool: name, count }) => [name, count])).toEqual([
      ['a', 2],
      ['b', 2],
    ]);
    expect(reasons.map(({ pool: name, count }) => [name, count])).toEqual([
      ['a', 2],
      ['b', 2],
    ]);
  });

  it('report that an offering rests, and not that its share is full, when both are true', () => {
    const shared = {
      maxShare: { zone: 50 },
      size: 2,
      held: [{ offering: { instanceType: 'm7g.large', zone: 'zone-a', market: 'spot' as const }, count: 1 }],
    };
    const { rejected } = planPlacements(input(tiered('a', 'b'), [a, b], { memory: refused(a), shared }));
    expect(rejected.find(({ pool: name }) => name === 'a')?.code).toBe('refused');
  });
});

describe('a breaker that is half-open', () => {
  it('is still tested after a launch that it does not cover', () => {
    const breaking = {
      breakers: { spot: { openedAtMs: nowMs - 3_600_000, untilMs: nowMs - 60_000, interruptions: 5 } },
      rule: { interruptions: 5, withinMs: 600_000, holdMs: 3_600_000 },
    };
    const capped = pool('od', { market: 'on-demand', cap: 1 });
    const { placements } = planPlacements(input(tiered('od', 'a'), [capped, a], { count: 2, breaking }));
    expect(placements.map(({ pool: name, trial }) => [name, trial])).toEqual([
      ['od', undefined],
      ['a', true],
    ]);
  });
});

describe('the reasons why nothing is eligible', () => {
  it('leave out a child of weight 0 that could give', () => {
    const { rejected } = planPlacements(input(weighted(['a', 0], ['b', 1]), [a, b], { memory: refused(b) }));
    expect(rejected.map(({ pool: name }) => name)).toEqual(['b']);
  });
});
