import type { Turn } from '../decision/decision.ts';
import { type Branch, type Choice, isOpen, type Leaf, type TreeNode } from './tree.ts';

/** What changes while instances are placed one after another. */
export type Run = {
  /** Last choice of each `cheapest` node by its key. */
  readonly cheapest: Record<string, string>;
  /** Number of the instance that is being placed. */
  step: number;
  /** How many leaves have closed: a `cheapest` node compares prices again only when this changes. */
  closings: number;
  readonly settled: Map<Branch, { readonly closings: number; readonly choice: Choice }>;
};

/** One step on the way down the tree. */
export type Step = { readonly branch: Branch; readonly choice: Choice };

/** The pool that gives the next instance, and the way down to it. */
export type Picked = { readonly leaf: Leaf; readonly way: readonly Step[] };

/** Walks down the tree to the pool that gives the next instance. Undefined when nothing is eligible. */
export const pick = (root: TreeNode, run: Run): Picked | undefined => {
  const way: Step[] = [];
  let node = root;
  while (node.kind !== 'pool') {
    const choice = node.selector.choose(node, run);
    if (choice === undefined) return undefined;
    node.visitedAt = run.step;
    node.visitedRank = node.rank;
    node.furthest = Math.max(node.furthest, choice.index);
    way.push({ branch: node, choice });
    node = choice.node;
  }
  return isOpen(node) ? { leaf: node, way } : undefined;
};

/** The way down as data, with the counts before the instance. */
export const turnsOf = (way: readonly Step[]): readonly Turn[] =>
  way.map(({ branch, choice }) => branch.selector.turnOf(branch, choice));
