import type { WrittenCheapest } from './cheapest.ts';
import type { WrittenSpread } from './spread.ts';
import type { WrittenTiered } from './tiered.ts';
import type { WrittenWeighted } from './weighted.ts';

/** A node of `capacity` as a user writes it. A bare name is a pool. */
export type CapacityNode = string | WrittenTiered | WrittenSpread | WrittenWeighted | WrittenCheapest;

/** What a spread counts by. */
export type SpreadBy = 'zone' | 'pool' | 'instance-type';

/**
 * A node of the policy tree, resolved: its names exist and its weights are valid. A user writes it as `capacity` of a
 * policy.
 */
export type Selector =
  | { readonly kind: 'pool'; readonly pool: string }
  | { readonly kind: 'tiered'; readonly children: readonly Selector[] }
  | { readonly kind: 'spread'; readonly by: SpreadBy; readonly children: readonly Selector[] }
  | { readonly kind: 'weighted'; readonly children: readonly { readonly use: Selector; readonly weight: number }[] }
  | { readonly kind: 'cheapest'; readonly children: readonly Selector[] };

/** A node with children. */
export type BranchSelector = Exclude<Selector, { readonly kind: 'pool' }>;

/** Direct children of a node, in configured order. */
export const childrenOf = (node: BranchSelector): readonly Selector[] =>
  node.kind === 'weighted' ? node.children.map(({ use }) => use) : node.children;

/** Names of every pool below a node, in configured order, each once. */
export const poolsBelow = (node: Selector): readonly string[] => {
  if (node.kind === 'pool') return [node.pool];
  return [...new Set(childrenOf(node).flatMap(poolsBelow))];
};
