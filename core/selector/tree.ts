import type { Pool } from '../pool.ts';
import type { SpreadBy } from '../selector.ts';
import type { Quote } from './quote.ts';
import { isWithin, type Scope, type Standing } from './standing.ts';

/** How many members a choice holds. The choices of one zone (or one type) of a spread share one tally. */
export type Tally = { count: number };

/** How full a pool is. All leaves of the pool share it. */
export type Room = { held: number; readonly cap: number };

/** The step of the plan since which a node has nothing eligible; {@link open} while it has. */
export const open: number = Number.POSITIVE_INFINITY;

/** A pool at one place of the tree, limited to a scope where a spread by zone or type lies above. */
export type Leaf = Standing & {
  readonly kind: 'pool';
  readonly path: string;
  readonly pool: Pool;
  readonly room: Room;
  readonly quote: Quote;
  readonly parent: Branch | undefined;
  closedAt: number;
};

/** A child of a branch. Below a spread by zone or type: one zone or type of a child. */
export type Choice = {
  readonly name: string;
  readonly index: number;
  readonly scope: Scope;
  readonly weight: number;
  readonly tally: Tally;
  readonly node: TreeNode;
};

/** A selector made ready for decisions: its choices in configured order and how many members each holds. */
export type Branch = {
  readonly kind: 'tiered' | 'spread' | 'weighted' | 'cheapest';
  readonly path: string;
  /** Key of this node in stored choices: its path and its kind. */
  readonly key: string;
  readonly by?: SpreadBy;
  readonly parent: Branch | undefined;
  choices: readonly Choice[];
  /** Choices above a pool, the one that counts its members first. */
  choicesOf: ReadonlyMap<string, readonly Choice[]>;
  closedAt: number;
  visitedAt: number;
  /** The furthest choice that was ever taken; -1 for none. */
  furthest: number;
};

export type TreeNode = Leaf | Branch;

/** One kind of member: everything that a tree can tell members apart by. */
export type Cell = { readonly pool: string | undefined; readonly zone: string; readonly instanceType: string };

export const isOpen = (node: TreeNode): boolean => node.closedAt === open;

/** Whether a choice can give an instance now. A choice of weight zero gets none. */
export const canGive = (choice: Choice): boolean => choice.weight > 0 && isOpen(choice.node);

/** Choices of a branch that have a member of this kind below them, the one that counts it first. */
const choicesAbove = (branch: Branch, cell: Cell): readonly Choice[] =>
  (branch.choicesOf.get(cell.pool ?? '') ?? []).filter(({ scope }) => isWithin(scope, cell));

/** Every tally that counts a member of this kind: at most one per branch. */
export const talliesOf = (node: TreeNode, cell: Cell): readonly Tally[] => {
  if (node.kind === 'pool') return [];
  const choices = choicesAbove(node, cell);
  const [owner] = choices;
  return owner === undefined ? [] : [owner.tally, ...choices.flatMap((choice) => talliesOf(choice.node, cell))];
};

/**
 * The way from the root to the one leaf that counts a member of this kind. Undefined when the tree has no place for it.
 */
export const homeOf = (root: TreeNode, cell: Cell): readonly TreeNode[] | undefined => {
  const way: TreeNode[] = [root];
  let node = root;
  while (node.kind !== 'pool') {
    const [owner] = choicesAbove(node, cell);
    if (owner === undefined) return undefined;
    node = owner.node;
    way.push(node);
  }
  return node.pool.name === cell.pool ? way : undefined;
};

/** Closes a leaf that has nothing eligible left, and every branch that is exhausted with it. */
export const close = (leaf: Leaf, step: number): void => {
  leaf.closedAt = step;
  for (
    let { parent } = leaf;
    parent !== undefined && isOpen(parent) && !parent.choices.some(canGive);
    parent = parent.parent
  )
    parent.closedAt = step;
};

/** Opens a leaf that is eligible again, and the branches above it. */
export const reopen = (leaf: Leaf): void => {
  leaf.closedAt = open;
  for (let { parent } = leaf; parent?.choices.some(canGive); parent = parent.parent) parent.closedAt = open;
};
