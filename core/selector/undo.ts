import type { Choice, Leaf, TreeNode } from './tree.ts';

/** What an undo may choose from: whether a choice has a candidate below it. */
type HasCandidate = (choice: Choice) => boolean;

/**
 * The leaf that the tree would have filled last, among those with a candidate: of a `spread` the fullest child, of a
 * `weighted` the one furthest above its share, of a `tiered` the last, of a `cheapest` the dearest. Ties are broken in
 * reverse of the configured order.
 */
export const undo = (root: TreeNode, hasCandidate: HasCandidate): Leaf | undefined => {
  let node: TreeNode | undefined = root;
  while (node !== undefined && node.kind !== 'pool')
    node = node.selector.undo(node, node.choices.filter(hasCandidate))?.node;
  return node;
};
