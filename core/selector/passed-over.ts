import type { Against, Rejection } from '../decision/decision.ts';
import type { Branch, Choice, Leaf, TreeNode } from './tree.ts';

/** How many offerings of one pool are named. A pool may have hundreds. */
const namedAtMost = 3;

const standsAgainst = (leaf: Leaf): readonly Against[] => {
  if (leaf.room.held >= leaf.room.cap) return [{ code: 'at-cap', held: leaf.room.held, cap: leaf.room.cap }];
  if (leaf.resting.length === 0) return [{ code: 'no-offering' }];
  const more = leaf.resting.length - namedAtMost;
  return more > 0 ? [...leaf.resting.slice(0, namedAtMost), { code: 'more-offerings', count: more }] : leaf.resting;
};

const rejectionsOf = (leaf: Leaf): readonly Rejection[] => {
  const where = { path: leaf.path === '' ? 'pool' : leaf.path, pool: leaf.pool.name };
  return standsAgainst(leaf).map((against) => ({ ...where, ...against }));
};

const poorBelow = (node: TreeNode): readonly Rejection[] => {
  if (node.kind === 'pool') return node.rank === 0 ? [] : rejectionsOf(node);
  return node.choices.flatMap((choice) => poorBelow(choice.node));
};

const wasPassedOver = (branch: Branch, choice: Choice): boolean =>
  choice.node.since < branch.visitedAt && branch.selector.wasPassedOver(branch, choice);

const partlyResting = (leaf: Leaf): readonly Rejection[] => (leaf.resting.length > 0 ? rejectionsOf(leaf) : []);

/** The pools that a plan passed over, the single offerings of pools that it used, and why. */
export const passedOver = (node: TreeNode, isUsed: (leaf: Leaf) => boolean): readonly Rejection[] => {
  if (node.kind === 'pool') return isUsed(node) ? partlyResting(node) : [];
  return node.choices.flatMap((choice) =>
    wasPassedOver(node, choice) ? poorBelow(choice.node) : passedOver(choice.node, isUsed),
  );
};

/** All reasons why no pool is eligible. */
export const whyNothing = (root: TreeNode): readonly Rejection[] => poorBelow(root);
