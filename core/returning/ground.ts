import { breakingIn } from '../breaker/breaking.ts';
import type { Group } from '../group/group.ts';
import { howHeld } from '../group/holding.ts';
import { outsideAsgOf } from '../group/outside-size.ts';
import { cellOf, cellOfLaunch } from '../placement/held-cells.ts';
import { isOnDemand } from '../placement/on-demand.ts';
import type { Placement } from '../placement/placement.ts';
import { closeFullPools } from '../placement/plan-placements.ts';
import { poolsWithinMaxima } from '../placement/plan-within-maxima.ts';
import { shareBook, sharedIn } from '../placement/shares.ts';
import type { Market, Offering } from '../pool/offering.ts';
import { pricesIn } from '../pool/price.ts';
import type { PoolMemory } from '../pool-memory/pool-memory.ts';
import { growTree, type Tree } from '../selector/grow.ts';
import { holdShare, holdTrial } from '../selector/hold.ts';
import type { Run } from '../selector/pick.ts';
import { restingSubnets } from '../selector/standing.ts';
import type { Leaf } from '../selector/tree.ts';
import { goneFor } from '../view/gone-asgs.ts';
import type { Headcount } from '../view/headcount.ts';
import { notShown } from '../view/not-shown.ts';
import type { Member, View } from '../view/view.ts';

/** The tree with its members counted, and the choices of its nodes. */
export type Ground = { readonly tree: Tree; readonly run: Run };

/** The tree for placing moves, with all members and launches in flight counted. */
export const groundFor = (
  view: View,
  headcount: Headcount,
  market: { readonly memory: PoolMemory; readonly only?: Market },
): Ground => {
  const { group, state, nowMs } = view;
  const shared = sharedIn(view, headcount);
  const tree = growTree(group.capacity, poolsWithinMaxima(view), {
    ...(state.failedBoots && { failedBoots: state.failedBoots }),
    ...(state.denials && { denials: state.denials }),
    ...goneFor(view),
    ...(group.breaker && { breaking: { ...breakingIn(view) } }),
    prices: pricesIn(view),
    nowMs,
    ...market,
    ...(shared && { shares: shareBook(shared) }),
  });
  for (const member of headcount.staying) tree.count(cellOf(member), 1);
  for (const launch of notShown(view, headcount)) tree.count(cellOfLaunch(launch), launch.count);
  const run: Run = { cheapest: { ...state.cheapest }, step: 0, closings: 0, settled: new Map() };
  for (const pool of tree.leavesOf.keys()) closeFullPools(tree, pool, run);
  return { tree, run };
};

/**
 * Counts the replacement of a member at its new place, so that the next one sees it. The member still counts for its
 * own share: another launch of the same plan must not use that room, because this launch may be refused or come later.
 */
export const occupy = (
  { tree, run }: Ground,
  { leaf, offerings }: Pick<Moving, 'leaf' | 'offerings'>,
  instead: Member,
): void => {
  const { name } = leaf.pool;
  const [first] = offerings;
  if (first === undefined) return;
  const { opensAt } = leaf;
  tree.count(cellOfLaunch({ pool: name, offerings }), 1);
  closeFullPools(tree, name, run);
  holdShare(tree, first, 1, run);
  if (tree.market.shares?.alike(instead.offering, first) === false) holdShare(tree, instead.offering, 1, run);
  holdTrial(tree, opensAt, run);
};

/** A launch, and the members that leave once it serves. */
type Moving = {
  readonly leaf: Leaf;
  readonly offerings: readonly Offering[];
  readonly instances: readonly string[];
  readonly isTrial?: boolean;
};

export const movePlacement = ({ leaf, offerings, instances, isTrial }: Moving, { state, nowMs }: View): Placement => {
  const avoidSubnets = restingSubnets(leaf.pool, offerings, { memory: state.memory, nowMs });
  return {
    pool: leaf.pool.name,
    count: instances.length,
    offerings,
    ...(avoidSubnets.length > 0 && { avoidSubnets }),
    moves: instances,
    ...(isTrial === true && { trial: true as const }),
  };
};

/**
 * Whether a member may move at all. Where others set the size, only members that Holdfast launched on demand may move.
 * The Auto Scaling group chose the market of all other members itself.
 */
export const isMovable = (group: Group, member: Member): boolean =>
  outsideAsgOf(group) === undefined || (isOnDemand(member) && member.reservation !== undefined);

/**
 * Whether a member may leave. Protected members stay, and so do as many as the minimum size of an Auto Scaling group
 * keeps. In an Auto Scaling group that the replacements join, each replacement makes room for one.
 *
 * @param onDemand how many members on demand may leave
 */
export const leaveOf = ({ asgs, group }: View, onDemand = Number.POSITIVE_INFINITY) => {
  let onDemandLeft = onDemand;
  const room = new Map(asgs.map(({ name, desired, min }) => [name, desired - min]));
  const { joins } = howHeld(group);
  const isJoined = (asg: string): boolean => joins === asg;
  return {
    mayLeave: (member: Member): boolean =>
      !member.protected &&
      member.pool !== undefined &&
      isMovable(group, member) &&
      (onDemandLeft > 0 || !isOnDemand(member)) &&
      (member.asg === undefined || isJoined(member.asg) || (room.get(member.asg) ?? 0) > 0),
    leave: (member: Member): void => {
      const { asg } = member;
      if (isOnDemand(member)) onDemandLeft -= 1;
      if (asg !== undefined) room.set(asg, (room.get(asg) ?? 0) - 1);
    },
  };
};
