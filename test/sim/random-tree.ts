import type { Draw } from './random-draw.ts';

const spot = ['spot-a', 'spot-b', 'spot-c'];
const onDemand = ['od-b', 'od-c'];
/** Below the first `tiered`, so that no tree is deeper than four selectors. */
const mostBelow = 3;

const split = (draw: Draw, pools: readonly string[]): readonly (readonly string[])[] => {
  const at = draw.between(1, pools.length - 1);
  return [pools.slice(0, at), pools.slice(at)];
};

/** A child of weight 0 gets nothing, beside others that do. */
const weighted = (draw: Draw, children: readonly unknown[]): unknown => {
  const weights = children.map(() => draw.between(0, 9));
  const isAllowed = weights.some((weight) => weight > 0);
  return { weighted: children.map((use, index) => ({ use, weight: isAllowed ? weights[index] : 1 })) };
};

const selector = (draw: Draw, children: readonly unknown[]): unknown =>
  draw.one([
    () => ({ tiered: children }),
    () => ({ cheapest: children }),
    () => ({ spread: children }),
    () => ({ spread: children, by: draw.one(['zone', 'pool', 'instance-type']) }),
    () => weighted(draw, children),
  ])();

const treeOf = (draw: Draw, pools: readonly string[], depth: number): unknown => {
  if (depth === 0) return pools[0];
  if (pools.length === 1) return draw.chance(0.7) ? pools[0] : selector(draw, [treeOf(draw, pools, depth - 1)]);
  // The last level takes all that is left, for a name alone would lose the others.
  if (depth === 1) return selector(draw, pools);
  return selector(
    draw,
    split(draw, pools).map((part) => treeOf(draw, part, depth - 1)),
  );
};

const order = (draw: Draw, pools: readonly string[]): readonly string[] => {
  const from = draw.between(0, pools.length - 1);
  return [...pools.slice(from), ...pools.slice(0, from)];
};

/** A tree over the pools that all settings have, up to four selectors deep. On-demand pools come last: somewhere there is always capacity. */
export const randomTree = (draw: Draw): unknown => ({
  tiered: [treeOf(draw, order(draw, spot), draw.between(1, mostBelow)), treeOf(draw, order(draw, onDemand), draw.between(1, mostBelow))],
});
