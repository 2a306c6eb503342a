import { writtenKinds } from '../selector/kinds.ts';
import type { WrittenChildren, WrittenKind, WrittenNode } from '../selector/written-kind.ts';
import { maxCapacityDepth } from './capacity-schema.ts';
import { namesText, nearestName, type Path, type Problem, problemOf, showFound } from './problem.ts';
import { asMap, type Fields, fieldOf } from './reading.ts';
import type { Policy } from './schema.ts';

type PoolUse = { readonly path: Path; readonly pool: string };
/** A selector in the document. */
type Branch = WrittenChildren & {
  readonly node: unknown;
  readonly name: string;
  readonly kind: WrittenKind<WrittenNode>;
};

/** What the schema cannot check about the tree: whether names exist, pools in two places, weights, depth. */
export const capacityProblems = (document: Fields): readonly Problem[] => {
  const capacity = fieldOf(document, 'capacity');
  const root: Path = ['capacity'];
  if (depthOf(capacity) > maxCapacityDepth)
    return [
      problemOf({
        path: root,
        found: 'deeper nesting',
        allowed: `at most ${maxCapacityDepth} nested selectors`,
      }),
    ];
  return [...unknownPools(document, poolUses(capacity, root)), ...branchesOf(capacity, root).flatMap(branchProblems)];
};

/** Pools that `capacity` never names: allowed, and never used. */
export const unusedPools = ({ capacity, pools }: Policy): readonly Problem[] => {
  const used = new Set(poolUses(capacity, []).map(({ pool }) => pool));
  const idle = Object.keys(pools).filter((name) => !used.has(name));
  return idle.map((name) =>
    problemOf({
      path: ['pools', name],
      found: 'a pool that capacity does not name, and that is never used',
      allowed: 'a pool that capacity names',
    }),
  );
};

/** A branch for each kind: one that the node does not have is without children. */
const branchesHere = (node: unknown, path: Path): readonly Branch[] =>
  Object.entries(writtenKinds).map(([name, kind]) => ({
    node,
    name,
    kind,
    ...kind.childrenOf(fieldOf(node, name), [...path, name]),
  }));

/** Pools of a tree that new members may come from: a child of weight 0 gets none. */
export const placedIn = (node: unknown): readonly string[] =>
  typeof node === 'string'
    ? [node]
    : branchesHere(node, []).flatMap(({ children }) =>
        children.flatMap((child) => (child.getsNew ? placedIn(child.node) : [])),
      );

const branchesOf = (node: unknown, path: Path): readonly Branch[] => {
  const here = branchesHere(node, path);
  return [...here, ...here.flatMap(({ children }) => children.flatMap((child) => branchesOf(child.node, child.path)))];
};

const depthOf = (node: unknown): number => {
  const depths = branchesHere(node, []).flatMap(({ children }) => children.map((child) => depthOf(child.node)));
  return asMap(node) === undefined ? 0 : 1 + Math.max(0, ...depths);
};

const poolUses = (node: unknown, path: Path): readonly PoolUse[] =>
  typeof node === 'string'
    ? [{ path, pool: node }]
    : branchesHere(node, path).flatMap(({ children }) => children.flatMap((child) => poolUses(child.node, child.path)));

const unknownPools = (document: Fields, uses: readonly PoolUse[]): readonly Problem[] => {
  const pools = asMap(fieldOf(document, 'pools')) ?? {};
  const known = Object.keys(pools);
  if (known.length === 0) return [];
  const allowed = `a pool under pools: ${namesText(known)}`;
  return uses
    .filter(({ pool }) => !Object.hasOwn(pools, pool))
    .map(({ path, pool }, index) =>
      problemOf({
        path,
        found: showFound(pool),
        allowed,
        nearest: index < mostGuesses ? nearestName(pool, known) : undefined,
      }),
    );
};

/** Finding the nearest name is slow among many names, and a list of many guesses helps no reader. */
const mostGuesses = 50;

const branchProblems = (branch: Branch): readonly Problem[] => [
  ...repeatedPools(branch),
  ...branch.kind.problems(branch.node, branch.path),
];

/**
 * Where members are counted (spread, weighted), a pool below two children would count for both. Elsewhere only a child
 * that is listed twice is an error.
 */
const repeatedPools = ({ name, kind, children }: Branch): readonly Problem[] => {
  const seen = new Set<string>();
  return children.flatMap(({ path, node }) => {
    const uses = kind.countsMembers || typeof node === 'string' ? poolUses(node, path) : [];
    const repeated = uses.filter(({ pool }) => seen.has(pool));
    for (const { pool } of uses) seen.add(pool);
    return repeated.map((use) =>
      problemOf({
        path: use.path,
        found: `${showFound(use.pool)} again`,
        allowed: `each pool once in a ${name} selector`,
      }),
    );
  });
};
