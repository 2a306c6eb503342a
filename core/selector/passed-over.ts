import type { Rejection } from '../decision.ts';
import type { Resting } from './standing.ts';
import { type Branch, type Choice, isOpen, type Leaf, type TreeNode } from './tree.ts';

/** Offerings named in one rejection; a pool may have hundreds. */
const namedAtMost = 3;

const inWords = (resting: readonly Resting[]): string => {
  const named = resting.slice(0, namedAtMost).map(({ offering, why }) => `${offering.instanceType} in ${offering.zone} ${why}`);
  const more = resting.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
};

const nothingToOffer = 'has no offering here: no instance type or no zone';

const rejectionOf = (leaf: Leaf): Rejection => {
  const full = leaf.room.held >= leaf.room.cap ? `holds ${leaf.room.held}, its cap is ${leaf.room.cap}` : undefined;
  const why = full ?? (leaf.resting.length > 0 ? inWords(leaf.resting) : nothingToOffer);
  return { path: leaf.path === '' ? 'pool' : leaf.path, pool: leaf.pool.name, why };
};

const closedBelow = (node: TreeNode): readonly Rejection[] => {
  if (node.kind === 'pool') return isOpen(node) ? [] : [rejectionOf(node)];
  return node.choices.flatMap((choice) => closedBelow(choice.node));
};

/** A child is passed over when it could give nothing while its branch was last asked, and the branch went on to a later one (tiered) or to another. */
const wasPassedOver = (branch: Branch, choice: Choice): boolean =>
  choice.node.closedAt < branch.visitedAt && (branch.kind !== 'tiered' || choice.index < branch.furthest);

const partlyResting = (leaf: Leaf): readonly Rejection[] => (leaf.resting.length > 0 ? [rejectionOf(leaf)] : []);

/** What a planning passed over and why: whole pools, and single offerings of pools that it used. */
export const passedOver = (node: TreeNode, isUsed: (leaf: Leaf) => boolean): readonly Rejection[] => {
  if (node.kind === 'pool') return isUsed(node) ? partlyResting(node) : [];
  if (node.visitedAt < 0) return [];
  return node.choices.flatMap((choice) => (wasPassedOver(node, choice) ? closedBelow(choice.node) : passedOver(choice.node, isUsed)));
};

/** Everything that stood in the way when nothing was eligible any more. */
export const whyNothing = (root: TreeNode): readonly Rejection[] => closedBelow(root);
