import type { Choice, Leaf, TreeNode } from './tree.ts';

/** What an undo may choose from: whether a choice has a candidate below it. */
type HasCandidate = (choice: Choice) => boolean;

/**
 * The leaf that the tree would have filled last, among those with a candidate. In a `spread` that is the fullest child,
 * in a `weighted` the child furthest above its share, in a `tiered` the last tier, in a `cheapest` the dearest child.
 * Ties are broken in reverse of the configured order.
 */
export const undo = (root: TreeNode, hasCandidate: HasCandidate): Leaf | undefined => {
  let node: TreeNode | undefined = root;
  while (node !== undefined && node.kind !== 'pool')
    node = node.selector.undo(node, node.choices.filter(hasCandidate))?.node;
  return node;
};
