import type { Pool } from '../pool.ts';
import type { SpreadBy } from '../selector.ts';
import type { Quote } from './quote.ts';
import { isWithin, type Scope, type Standing } from './standing.ts';

/** How many members a choice holds; choices of one zone (or one type) of a spread share theirs. */
export type Tally = { count: number };

/** How full a pool is: shared by all its leaves. */
export type Room = { held: number; readonly cap: number };

/** Since which step of the planning a node can give nothing; {@link open} while it can. */
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

/** A child of a branch; under a spread by zone or type, one zone or type of a child. */
export type Choice = {
  readonly name: string;
  readonly index: number;
  readonly scope: Scope;
  readonly weight: number;
  readonly tally: Tally;
  readonly node: TreeNode;
};

/** A selector made ready for decisions: its choices in configured order and what each holds. */
export type Branch = {
  readonly kind: 'tiered' | 'spread' | 'weighted' | 'cheapest';
  readonly path: string;
  /** Name of this node in what is remembered: its path and its kind. */
  readonly key: string;
  readonly by?: SpreadBy;
  readonly parent: Branch | undefined;
  choices: readonly Choice[];
  /** Choices that lie above a pool, the one that counts its members first. */
  choicesOf: ReadonlyMap<string, readonly Choice[]>;
  closedAt: number;
  visitedAt: number;
  /** Furthest choice that was ever taken; -1 for none. */
  furthest: number;
};

export type TreeNode = Leaf | Branch;

/** One kind of member: everything that a tree can tell apart. */
export type Cell = { readonly pool: string | undefined; readonly zone: string; readonly instanceType: string };

export const isOpen = (node: TreeNode): boolean => node.closedAt === open;

/** Whether a choice can give an instance now. A weight of zero gets nothing. */
export const canGive = (choice: Choice): boolean => choice.weight > 0 && isOpen(choice.node);

/** Choices of a branch that a member of this kind lies under, the one that counts it first. */
const choicesAbove = (branch: Branch, cell: Cell): readonly Choice[] =>
  (branch.choicesOf.get(cell.pool ?? '') ?? []).filter(({ scope }) => isWithin(scope, cell));

/** Every tally that a member of this kind counts in: at most one per branch. */
export const talliesOf = (node: TreeNode, cell: Cell): readonly Tally[] => {
  if (node.kind === 'pool') return [];
  const choices = choicesAbove(node, cell);
  const [owner] = choices;
  return owner === undefined ? [] : [owner.tally, ...choices.flatMap((choice) => talliesOf(choice.node, cell))];
};

/**
 * The way from the root to the one leaf that a member of this kind is counted under; undefined when the tree has no
 * place for it.
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

/** Marks a leaf that can give no more, and every branch that is exhausted with it. */
export const close = (leaf: Leaf, step: number): void => {
  leaf.closedAt = step;
  for (
    let { parent } = leaf;
    parent !== undefined && isOpen(parent) && !parent.choices.some(canGive);
    parent = parent.parent
  )
    parent.closedAt = step;
};

/** Marks a leaf that can give again, and the branches above it. */
export const reopen = (leaf: Leaf): void => {
  leaf.closedAt = open;
  for (let { parent } = leaf; parent?.choices.some(canGive); parent = parent.parent) parent.closedAt = open;
};
