import type { Pool } from '../pool/pool.ts';
import type { Quote } from './quote.ts';
import type { Selector, SpreadBy } from './selector.ts';
import type { SelectorKind } from './selector-kind.ts';
import { closed, isWithin, type Rank, type Scope, type Standing } from './standing.ts';

/** How many members a choice holds. The choices of one zone (or one type) of a spread share one tally. */
export type Tally = { count: number };

/** How full a pool is. All leaves of the pool share it. */
export type Room = { held: number; readonly cap: number };

/** The best eligible rank below a node, and the step of the plan since which it holds. -1: from the beginning. */
type Giving = { rank: Rank; since: number };

/** A pool at one place of the tree. Below a spread by zone or type, it is limited to one zone or type. */
export type Leaf = { -readonly [Key in keyof Standing]: Standing[Key] } & Giving & {
    readonly kind: 'pool';
    readonly path: string;
    readonly pool: Pool;
    readonly scope: Scope;
    /** Below a `cheapest` node. */
    readonly cheapestFirst: boolean;
    readonly room: Room;
    quote: Quote;
    readonly parent: Branch | undefined;
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
export type Branch = Giving & {
  readonly kind: Exclude<Selector['kind'], 'pool'>;
  readonly selector: SelectorKind;
  readonly path: string;
  /** Key of this node in stored choices: its path and its kind. */
  readonly key: string;
  readonly by?: SpreadBy;
  readonly parent: Branch | undefined;
  choices: readonly Choice[];
  /** Choices above a pool, the one that counts its members first. */
  choicesOf: ReadonlyMap<string, readonly Choice[]>;
  /** The step of its last choice, and its rank at that time. */
  visitedAt: number;
  visitedRank: Rank;
  /** The furthest choice that was ever taken; -1 for none. */
  furthest: number;
};

export type TreeNode = Leaf | Branch;

/** One kind of member. A tree treats all members of a kind alike. */
export type Cell = { readonly pool: string | undefined; readonly zone: string; readonly instanceType: string };

export const isOpen = (node: TreeNode): boolean => node.rank !== closed;

/** Whether a choice can give an instance now. A choice of weight zero gets none. */
export const canGive = (choice: Choice): boolean => choice.weight > 0 && isOpen(choice.node);

/**
 * The choices that a branch picks from: those of its best rank, so that last-resort offerings come last in a whole
 * tier.
 */
export const candidatesOf = ({ rank, choices }: Branch): readonly Choice[] =>
  choices.filter((choice) => canGive(choice) && choice.node.rank === rank);

/** The rank of the best that a branch can give. */
export const rankIn = ({ selector, choices }: Pick<Branch, 'selector' | 'choices'>): Rank =>
  selector.rankOf(choices.filter(canGive));

/** The choices of a branch above a member of this kind. The choice that counts the member comes first. */
export const choicesAbove = (branch: Branch, cell: Cell): readonly Choice[] =>
  (branch.choicesOf.get(cell.pool ?? '') ?? []).filter(({ scope }) => isWithin(scope, cell));

/**
 * The part of a spread by zone or type that a member of a pool below it is in, although its pool has no offering there
 * any more.
 */
const formerPart = ({ by, choices, choicesOf }: Branch, cell: Cell): Choice | undefined =>
  by === undefined || by === 'pool' || !choicesOf.has(cell.pool ?? '')
    ? undefined
    : choices.find(({ scope }) => isWithin(scope, cell));

/** Every tally that counts a member of this kind: at most one per branch. */
export const talliesOf = (node: TreeNode, cell: Cell): readonly Tally[] => {
  if (node.kind === 'pool') return [];
  const choices = choicesAbove(node, cell);
  const owner = choices[0] ?? formerPart(node, cell);
  return owner === undefined ? [] : [owner.tally, ...choices.flatMap((choice) => talliesOf(choice.node, cell))];
};

/** The one leaf that counts a kind of member, and the nodes from the root down to it. */
export type Home = { readonly leaf: Leaf; readonly way: readonly TreeNode[] };

/** Undefined when the tree has no place for members of this kind. */
export const homeOf = (root: TreeNode, cell: Cell): Home | undefined => {
  const way: TreeNode[] = [root];
  let node = root;
  while (node.kind !== 'pool') {
    const [owner] = choicesAbove(node, cell);
    if (owner === undefined) return undefined;
    node = owner.node;
    way.push(node);
  }
  return node.pool.name === cell.pool ? { leaf: node, way } : undefined;
};

/** Gives a leaf another rank from a step of the plan on, and updates the branches above it. */
export const rerank = (leaf: Leaf, rank: Rank, step: number): void => {
  leaf.rank = rank;
  leaf.since = step;
  for (let { parent } = leaf; parent !== undefined; parent = parent.parent) {
    const best = rankIn(parent);
    if (best === parent.rank) return;
    parent.rank = best;
    parent.since = step;
  }
};

/** Marks a leaf that can give no more, and updates the branches above it. */
export const close = (leaf: Leaf, step: number): void => rerank(leaf, closed, step);

/** Marks a leaf that can give again, and updates the branches above it. */
export const reopen = (leaf: Leaf, step: number): void => rerank(leaf, leaf.opensAt, step);
