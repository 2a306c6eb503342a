import type { Held } from '../placement/held-cells.ts';
import { offeringsOf, type Pool } from '../pool/pool.ts';
import { selectorKinds } from './kinds.ts';
import { quoteOfferings } from './quote.ts';
import { type BranchSelector, childrenOf, poolsBelow, type Selector } from './selector.ts';
import { closed, isWithin, type Market, type Scope, standingOf } from './standing.ts';
import {
  type Branch,
  type Cell,
  type Choice,
  type Leaf,
  type Room,
  rankIn,
  type Tally,
  type TreeNode,
  talliesOf,
} from './tree.ts';

/** A tree that counts members: its root, its leaves by pool, and which tallies each member counts in. */
export type Tree = {
  readonly root: TreeNode;
  readonly leavesOf: ReadonlyMap<string, readonly Leaf[]>;
  readonly branches: readonly Branch[];
  /** The market that it was made with. */
  readonly market: Market;
  /** Adds members (or takes them away) to every tally they belong to and to their pool. */
  count(cell: Cell, by: number): void;
};

type Soil = {
  readonly pools: Readonly<Record<string, Pool>>;
  readonly market: Market;
  readonly rooms: Map<string | undefined, Room>;
  readonly leavesOf: Map<string, Leaf[]>;
  readonly branches: Branch[];
};

type Place = {
  readonly path: string;
  readonly scope: Scope;
  readonly cheapestFirst: boolean;
  readonly parent: Branch | undefined;
};

const poolNamed = (soil: Soil, name: string): Pool => {
  const pool = soil.pools[name];
  if (pool === undefined)
    throw new Error(
      `The policy tree names pool "${name}", which the group does not have. An accepted policy cannot do that.`,
    );
  return pool;
};

const roomOf = (soil: Soil, pool: Pool): Room => {
  const room = soil.rooms.get(pool.name) ?? { held: 0, cap: pool.cap ?? Number.POSITIVE_INFINITY };
  soil.rooms.set(pool.name, room);
  return room;
};

const growLeaf = (soil: Soil, name: string, { path, scope, cheapestFirst, parent }: Place): Leaf => {
  const pool = poolNamed(soil, name);
  const standing = standingOf(pool, scope, soil.market, cheapestFirst);
  const leaf: Leaf = {
    kind: 'pool',
    path,
    pool,
    scope,
    cheapestFirst,
    room: roomOf(soil, pool),
    quote: quoteOfferings(standing.offerings, pool, soil.market),
    parent,
    ...standing,
    rank: standing.opensAt,
    since: -1,
  };
  soil.leavesOf.set(name, [...(soil.leavesOf.get(name) ?? []), leaf]);
  return leaf;
};

/**
 * Name of a choice that stays the same when its siblings change: the name of the pool, or the names of the pools below
 * it.
 */
const nameOf = (node: Selector): string => {
  if (node.kind === 'pool') return node.pool;
  const [only, ...others] = childrenOf(node);
  // One pool that is spread over its zones is that pool.
  if (node.kind === 'spread' && only?.kind === 'pool' && others.length === 0) return only.pool;
  return `${node.kind}(${poolsBelow(node).join('+')})`;
};

/** A choice before it is built: a child. Below a spread by zone or type, it is limited to one zone or type. */
type Seedling = { readonly child: Selector; readonly index: number; readonly value?: string; readonly scope: Scope };

const scopesBelow = (
  soil: Soil,
  child: Selector,
  by: 'zone' | 'instance-type',
  scope: Scope,
): readonly { value: string; scope: Scope }[] => {
  const offerings = poolsBelow(child).flatMap((name) => offeringsOf(poolNamed(soil, name)));
  const within = offerings.filter((offering) => isWithin(scope, offering));
  const values = new Set(within.map(({ zone, instanceType }) => (by === 'zone' ? zone : instanceType)));
  return [...values].map((value) => ({
    value,
    scope: by === 'zone' ? { ...scope, zone: value } : { ...scope, instanceType: value },
  }));
};

/**
 * A spread by zone or type acts as if each child were written once for each zone or type that it has, in configured
 * order.
 */
const seedlingsOf = (soil: Soil, node: BranchSelector, scope: Scope): readonly Seedling[] => {
  const children = childrenOf(node);
  if (node.kind !== 'spread' || node.by === 'pool') return children.map((child, index) => ({ child, index, scope }));
  const { by } = node;
  return children.flatMap((child, index) =>
    scopesBelow(soil, child, by, scope).map((scoped) => ({ child, index, ...scoped })),
  );
};

const pathOf = (parent: string, kind: string, index: number): string =>
  `${parent === '' ? '' : `${parent}.`}${kind}[${index}]`;

const growChoices = (soil: Soil, node: BranchSelector, branch: Branch, place: Place): readonly Choice[] => {
  const shared = new Map<string, Tally>();
  const tallyOf = (value: string | undefined): Tally => {
    if (value === undefined) return { count: 0 };
    const tally = shared.get(value) ?? { count: 0 };
    shared.set(value, tally);
    return tally;
  };
  const seedlings = seedlingsOf(soil, node, place.scope);
  const timesGrown = Map.groupBy(seedlings, ({ index }) => index);
  return seedlings.map(({ child, index, value, scope }, position) => {
    const single = (timesGrown.get(index)?.length ?? 0) < 2;
    const path = `${pathOf(place.path, node.kind, index)}${single ? '' : `@${value}`}`;
    const below = {
      path,
      scope,
      cheapestFirst: place.cheapestFirst || branch.selector.movesFor === 'price',
      parent: branch,
    };
    const weight = node.kind === 'weighted' ? (node.children[index]?.weight ?? 0) : 1;
    return {
      name: value ?? nameOf(child),
      index: position,
      scope,
      weight,
      tally: tallyOf(value),
      node: grow(soil, child, below),
    };
  });
};

/**
 * A pool below several children is counted under the child with the fewest pools, because that child has the fewest
 * alternatives. Equal children are taken in configured order. So a member is counted once.
 */
const choicesByPool = (
  node: BranchSelector,
  soil: Soil,
  place: Place,
  choices: readonly Choice[],
): Branch['choicesOf'] => {
  const poolsOfChoice = seedlingsOf(soil, node, place.scope).map(({ child }) => poolsBelow(child));
  const byPool = new Map<string, { choice: Choice; others: number }[]>();
  choices.forEach((choice, position) => {
    const pools = poolsOfChoice[position] ?? [];
    for (const pool of pools) {
      const list = byPool.get(pool) ?? [];
      list.push({ choice, others: pools.length });
      byPool.set(pool, list);
    }
  });
  return new Map(
    [...byPool].map(([pool, list]) => [pool, list.sort((a, b) => a.others - b.others).map(({ choice }) => choice)]),
  );
};

const grow = (soil: Soil, node: Selector, place: Place): TreeNode => {
  if (node.kind === 'pool') return growLeaf(soil, node.pool, place);
  const { path, parent } = place;
  const key = path === '' ? node.kind : `${path}.${node.kind}`;
  const by = node.kind === 'spread' ? { by: node.by } : {};
  const branch: Branch = {
    kind: node.kind,
    selector: selectorKinds[node.kind],
    path,
    key,
    ...by,
    parent,
    choices: [],
    choicesOf: new Map(),
    rank: closed,
    since: -1,
    visitedAt: -1,
    visitedRank: closed,
    furthest: -1,
  };
  branch.choices = growChoices(soil, node, branch, place);
  branch.choicesOf = choicesByPool(node, soil, place, branch.choices);
  branch.rank = rankIn(branch);
  soil.branches.push(branch);
  return branch;
};

/** Makes a selector ready for decisions. Members are counted afterwards with `count`. */
export const growTree = (selector: Selector, pools: Readonly<Record<string, Pool>>, market: Market): Tree => {
  const soil: Soil = { pools, market, rooms: new Map(), leavesOf: new Map(), branches: [] };
  const root = grow(soil, selector, { path: '', scope: {}, cheapestFirst: false, parent: undefined });
  const known = new Map<string, readonly Tally[]>();
  const count = (cell: Cell, by: number): void => {
    const key = `${cell.pool}|${cell.zone}|${cell.instanceType}`;
    const tallies = known.get(key) ?? talliesOf(root, cell);
    known.set(key, tallies);
    for (const tally of tallies) tally.count += by;
    const room = soil.rooms.get(cell.pool);
    if (room !== undefined) room.held += by;
  };
  return { root, leavesOf: soil.leavesOf, branches: soil.branches, market, count };
};

/** Counts members into a fresh tree. */
export const countIn = (tree: Tree, held: readonly Held[]): void => {
  for (const { count, ...cell } of held) tree.count(cell, count);
};
