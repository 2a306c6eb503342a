import type { BreakerRules } from '../breaker/breaker.ts';
import type { PlacementReason, Rejection, Turn } from '../decision/decision.ts';
import { type Market, type Offering, offeringKey } from '../pool/offering.ts';
import type { Pool } from '../pool/pool.ts';
import type { BootMemory } from '../pool-memory/boot-memory.ts';
import type { Denials } from '../pool-memory/denials.ts';
import type { PoolMemory } from '../pool-memory/pool-memory.ts';
import { countIn, growTree, type Tree } from '../selector/grow.ts';
import { holdShare, holdTrial } from '../selector/hold.ts';
import { passedOver, whyNothing } from '../selector/passed-over.ts';
import { pick, type Run, turnsOf } from '../selector/pick.ts';
import type { Selector } from '../selector/selector.ts';
import { lastResortOf, type Rank, restingSubnets, trialRank } from '../selector/standing.ts';
import { close, isOpen, type Leaf } from '../selector/tree.ts';
import { cellOfLaunch, type Held } from './held-cells.ts';
import type { Placement } from './placement.ts';
import { type Shared, shareBook, sharingOf } from './shares.ts';

/** Everything that a placement may depend on. */
export type PlanInput = {
  readonly selector: Selector;
  readonly pools: Readonly<Record<string, Pool>>;
  /** Instances to place. */
  readonly count: number;
  /** Only offerings of this market are used. Absent: all. */
  readonly only?: Market;
  readonly nowMs: number;
  readonly memory: PoolMemory;
  /** Pools whose instances end before they serve. */
  readonly failedBoots?: BootMemory['failedBoots'];
  /** Pools whose launches EC2 denied. */
  readonly denials?: Denials;
  /** Auto Scaling groups that are gone. Nothing is placed in their pools. Absent: none. */
  readonly goneAsgs?: readonly string[];
  /** The group's breakers, and the policy's rule for them. */
  readonly breaking?: BreakerRules;
  /** Members that stay and launches in flight, in any order and any grouping. */
  readonly held: readonly Held[];
  /** USD per hour by offering key; what is missing is unknown. */
  readonly prices: Readonly<Record<string, number>>;
  /** Last choice of each `cheapest` node, as the last plan gave it. */
  readonly cheapest: Readonly<Record<string, string>>;
  /** Shares that no placement may exceed. Absent: none. */
  readonly shared?: Shared;
};

/** Where instances come from, and how the tree chose it. */
export type Plan = {
  /** One per pool and set of offerings, in the order in which they were first chosen. */
  readonly placements: readonly Placement[];
  /** Instances that no eligible pool can give. */
  readonly unplaced: number;
  readonly reasons: readonly PlacementReason[];
  readonly rejected: readonly Rejection[];
  readonly cheapest: Readonly<Record<string, string>>;
  /** The shares forbid launches for the unplaced instances. */
  readonly areSharesFull?: true;
};

/** The part of this plan that one leaf gives. */
type Portion = {
  readonly leaf: Leaf;
  readonly offerings: readonly Offering[];
  readonly opensAt: Rank;
  readonly turns: readonly Turn[];
  count: number;
};

/** By the leaf and the first offering. While that is the same, the leaf gives the same offerings. */
type Portions = Map<string, Portion>;

/** Closes every leaf of a pool that is at its cap. */
export const closeFullPools = (tree: Tree, pool: string, run: Pick<Run, 'step' | 'closings'>): void => {
  for (const leaf of tree.leavesOf.get(pool) ?? []) {
    if (leaf.room.held < leaf.room.cap || !isOpen(leaf)) continue;
    close(leaf, run.step);
    run.closings += 1;
  }
};

const placeOne = (tree: Tree, run: Run, portions: Portions): boolean => {
  const picked = pick(tree.root, run);
  const first = picked?.leaf.offerings[0];
  if (picked === undefined || first === undefined) return false;
  const { leaf, way } = picked;
  const { offerings, opensAt } = leaf;
  const key = `${leaf.path} ${offeringKey(first)}`;
  const portion = portions.get(key) ?? { leaf, offerings, opensAt, turns: turnsOf(way), count: 0 };
  portion.count += 1;
  portions.set(key, portion);
  tree.count({ pool: leaf.pool.name, zone: first.zone, instanceType: first.instanceType }, 1);
  closeFullPools(tree, leaf.pool.name, run);
  holdShare(tree, first, 1, run);
  holdTrial(tree, opensAt, run);
  return true;
};

/** The stored choices of nodes that the tree still has. Keys name the kind of their nodes. */
const rememberedHere = ({ branches }: Tree, cheapest: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(branches.flatMap(({ key }) => (cheapest[key] === undefined ? [] : [[key, cheapest[key]]])));

const offeringSetOf = (pool: string, offerings: readonly Offering[]): string =>
  [pool, ...offerings.map(offeringKey)].join('|');

const merged = (portions: readonly Portion[], market: Pick<PlanInput, 'memory' | 'nowMs'>): readonly Placement[] => {
  const placements = new Map<string, Placement>();
  for (const { leaf, offerings, opensAt, count } of portions) {
    const key = offeringSetOf(leaf.pool.name, offerings);
    const avoidSubnets = restingSubnets(leaf.pool, offerings, market);
    placements.set(key, {
      pool: leaf.pool.name,
      count: count + (placements.get(key)?.count ?? 0),
      offerings,
      ...(avoidSubnets.length > 0 && { avoidSubnets }),
      ...(opensAt === trialRank && { trial: true as const }),
    });
  }
  return [...placements.values()];
};

export const distinct = (rejections: readonly Rejection[]): readonly Rejection[] => {
  const byContent = new Map(rejections.map((rejection) => [JSON.stringify(rejection), rejection]));
  return [...byContent.values()];
};

const reasonOf = ({ leaf, opensAt, turns, count }: Portion): PlacementReason => {
  const lastResort = lastResortOf(opensAt);
  return { pool: leaf.pool.name, count, turns, ...(lastResort && { lastResort }) };
};

const isUsedBy = (portions: Portions): ((leaf: Leaf) => boolean) => {
  const used = new Set([...portions.values()].map(({ leaf }) => leaf));
  return (leaf) => used.has(leaf);
};

/** Whether a pool with room has an offering that only a share forbids. */
const isHeldByShares = ({ leavesOf }: Tree): boolean =>
  [...leavesOf.values()]
    .flat()
    .some(({ room, resting }) => room.held < room.cap && resting.some(({ code }) => code === 'at-share'));

/**
 * The input for the next plan, with these launches counted. After a test launch among them, no other one is planned.
 */
export const besidePlacements = (input: PlanInput, placements: readonly Placement[]): PlanInput => ({
  ...input,
  held: [...input.held, ...placements.map((placement) => ({ ...cellOfLaunch(placement), count: placement.count }))],
  ...(input.shared && {
    shared: { ...input.shared, held: [...input.shared.held, ...placements.flatMap(sharingOf)] },
  }),
  ...(placements.some(({ trial }) => trial) && { breaking: { ...input.breaking, isTried: true } }),
});

/**
 * Places instances by the tree, one after another. A plan for n instances equals n plans for one instance each.
 *
 * - A **pool** is eligible while it is under its cap and at least one of its offerings does not rest after a refusal
 *   and is not above the pool's price limit. A selector is eligible when any child is.
 * - **spread** takes the eligible child with the fewest members, **weighted** the one furthest below its share of what
 *   the eligible children hold, **tiered** the first eligible one, **cheapest** the one with the lowest price (see the
 *   files of `selector/`). Ties go to the first in configured order.
 * - A **spread by zone** (or instance type) acts as if each child were written once for each zone (or type) that it
 *   has: it takes the zone with the fewest members among the pools below the node, then the first eligible child in
 *   that zone. Everything below that node, including the offerings of the placement, is limited to that zone and counts
 *   only its members.
 * - Members count by the pool they came from. A pool below several children counts for the child with the fewest pools,
 *   so a member counts once.
 * - An offering that EC2 says is **at risk** comes last inside its tier, and one that was **interrupted** a moment ago
 *   after that: it is used when nothing better of the tier is eligible. A later tier is used only when no earlier one
 *   is eligible.
 * - An offering without a known price passes any price limit.
 * - With **maxShare**, nothing is placed in an instance type, a zone or an offering that holds its share.
 */
export const planPlacements = (input: PlanInput): Plan => {
  const shares = input.shared && shareBook(input.shared);
  const tree = growTree(input.selector, input.pools, {
    ...input,
    ...(input.breaking && { breaking: { ...input.breaking } }),
    ...(shares && { shares }),
  });
  countIn(tree, input.held);
  const run: Run = { cheapest: rememberedHere(tree, input.cheapest), step: -1, closings: 0, settled: new Map() };
  for (const pool of tree.leavesOf.keys()) closeFullPools(tree, pool, run);
  const portions: Portions = new Map();
  let placed = 0;
  for (run.step = 0; placed < input.count && placeOne(tree, run, portions); run.step += 1) placed += 1;
  const unplaced = Math.max(0, input.count - placed);
  const rejected = unplaced > 0 ? whyNothing(tree.root) : passedOver(tree.root, isUsedBy(portions));
  const used = [...portions.values()];
  return {
    placements: merged(used, input),
    unplaced,
    reasons: used.map(reasonOf),
    rejected: distinct(rejected),
    cheapest: run.cheapest,
    ...(unplaced > 0 && shares && isHeldByShares(tree) && { areSharesFull: true }),
  };
};
