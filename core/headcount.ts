import type { Offering } from './offering.ts';
import type { Reservation } from './reservation.ts';
import { type Swap, waitsItsTurn } from './swap.ts';
import type { AsgView, Member, View } from './view.ts';

/** A launch that was requested or granted and that no describe shows yet. */
export type InFlight = { readonly pool: string; readonly count: number; readonly offerings: readonly Offering[] };

/** The members that are there, those that leave and those that come. Every instance is counted once. */
export type Headcount = {
  /** Members that stay, including those whose swap waits to begin. */
  readonly staying: readonly Member[];
  /** Staying members at risk, whose swap waits for surge budget. */
  readonly waiting: readonly Swap[];
  /** Swaps that still hold their place: drain-first and not drained yet, or chosen to begin and not begun. */
  readonly holdingPlace: readonly Swap[];
  readonly inFlight: readonly InFlight[];
  /**
   * All members that are to come: launches in flight, and members that Auto Scaling groups hold and EC2 does not show
   * yet.
   */
  readonly inFlightCount: number;
  /** Members without a pool of ours and without a reservation: we do not know who launched them. */
  readonly strays: readonly Member[];
};

/** A swap that EC2 or a deadline drives: its instance goes whatever we do. */
export const isHard = (swap: Swap): boolean =>
  swap.deadlineMs !== undefined || swap.reason === 'interruption' || swap.reason === 'hook';

/**
 * The part of a reservation that is still to come: the instances requested or granted, less those that a describe shows
 * and those that are known to leave or to have ended. An instance that is not shown yet is not gone: EC2's describes
 * lag behind its launches, so the reservation is believed until `forgetAtMs`.
 */
const stillToCome = (
  reservation: Reservation,
  seen: ReadonlyMap<string, Member>,
  accounted: ReadonlySet<string>,
): number => {
  if (reservation.instances)
    return reservation.instances.filter((instance) => !seen.has(instance) && !accounted.has(instance)).length;
  const visible = [...seen.values()].filter((member) => member.reservation === reservation.id).length;
  return Math.max(0, reservation.placement.count - visible);
};

/**
 * Instances that an Auto Scaling group launched by itself and holds already, while EC2's describes do not show them
 * yet. They count as members, without a known pool.
 */
const unseen = (view: View, seen: ReadonlyMap<string, Member>, accounted: ReadonlySet<string>): number => {
  const reserved = new Set(view.state.reservations.flatMap(({ instances }) => instances ?? []));
  const held = view.asgs.flatMap(({ holds }) => holds);
  return held.filter((instance) => !seen.has(instance) && !accounted.has(instance) && !reserved.has(instance)).length;
};

/** A tagged instance that no reservation and no pool accounts for, and that none of our Auto Scaling groups holds. */
export const isStray = ({ holding }: View['group'], { asg, reservation, pool }: Member): boolean =>
  holding.kind === 'tag' && asg === undefined && reservation === undefined && pool === undefined;

/** Counts a view. */
export const takeHeadcount = (view: View): Headcount => {
  const swapOf = new Map(view.swaps.map((swap) => [swap.instance, swap]));
  const ended = new Set(view.ended);
  const seen = new Map(
    view.members.filter(({ instance }) => !ended.has(instance)).map((member) => [member.instance, member]),
  );
  const isLeaving = (instance: string): boolean => (swapOf.get(instance)?.state ?? 'waiting') !== 'waiting';
  const present = [...seen.values()].filter(({ instance }) => !isLeaving(instance));
  const strays = present.filter((member) => isStray(view.group, member));
  const accounted = new Set([
    ...view.ended,
    ...view.swaps.filter(({ state }) => state !== 'waiting').map(({ instance }) => instance),
  ]);
  const inFlight = view.state.reservations
    .filter(({ forgetAtMs, instances }) => instances === undefined || view.nowMs < forgetAtMs)
    .map((reservation) => ({
      pool: reservation.placement.pool,
      offerings: reservation.placement.offerings,
      count: stillToCome(reservation, seen, accounted),
    }))
    .filter(({ count }) => count > 0);
  return {
    staying: present.filter((member) => !strays.includes(member)),
    waiting: view.swaps.filter((swap) => swap.state === 'waiting' && seen.has(swap.instance)),
    holdingPlace: view.swaps.filter((swap) => holdsPlace(swap, view) || (isToBegin(swap) && seen.has(swap.instance))),
    inFlight,
    inFlightCount: inFlight.reduce((sum, { count }) => sum + count, 0) + unseen(view, seen, accounted),
    strays,
  };
};

/**
 * With `drain-first`, a swap that can wait keeps its place until it is drained. Its replacement is launched only then.
 */
const holdsPlace = (swap: Swap, view: View): boolean =>
  view.group.swap.order === 'drain-first' &&
  waitsItsTurn(swap.reason) &&
  !isHard(swap) &&
  (swap.state === 'leaving' || swap.state === 'draining');

/**
 * Another decision has chosen this swap to begin, and has not written it yet. It waits until that is done, so that its
 * replacement stays within the surge even if the author of that decision dies.
 */
const isToBegin = (swap: Swap): boolean =>
  swap.state === 'leaving' && swap.drain === undefined && waitsItsTurn(swap.reason) && !isHard(swap);

/** How long an Auto Scaling group may take to refill itself before we launch in its place. */
const asgRefillGraceMs = 90_000;

/**
 * How many members an Auto Scaling group lacks, or will lack at its next health check. It finds an instance that EC2
 * has ended unhealthy and replaces it one for one (EC2 Auto Scaling User Guide, health checks), unless the user has
 * suspended that process. It also replaces an instance that it terminates itself, unless its desired capacity falls:
 * while a describe still shows such an instance as held, that describe is the older one.
 */
const shortBy = (view: View, asg: AsgView): number => {
  const replaces = !asg.suspended.includes('HealthCheck') && !asg.suspended.includes('ReplaceUnhealthy');
  const over = new Set(replaces ? view.ended : []);
  const ending = new Set(endingItself(view, asg));
  const ours = new Set(unnoticedIn(view, asg));
  return (
    asg.desired -
    asg.held +
    asg.holds.filter((instance) => ending.has(instance) || (over.has(instance) && !ours.has(instance))).length
  );
};

const lacks = (view: View, asg: AsgView): number => Math.max(0, shortBy(view, asg));

/**
 * How many instances Auto Scaling groups are about to terminate by themselves, so that we do not remove others too. A
 * group that rebalances its zones launches first.
 */
export const ownShrink = (view: View): number =>
  view.asgs.reduce((sum, asg) => sum + (asg.suspended.includes('Terminate') ? 0 : Math.max(0, -shortBy(view, asg))), 0);

/**
 * Members that Auto Scaling groups launched by themselves and do not show yet, and those that have joined and are not
 * shown: their user may have taken them out again. Only a newer describe can tell whether there is a surplus.
 */
export const notShownYet = ({ asgs, group }: View, members: readonly Member[]): number => {
  const held = new Set(asgs.flatMap(({ holds }) => holds));
  return group.holding.kind === 'tag'
    ? 0
    : members.filter(
        ({ instance, reservation, unshown }) => (unshown || reservation === undefined) && !held.has(instance),
      ).length;
};

const heldOf = ({ holds }: AsgView, swaps: readonly Swap[]): readonly string[] => {
  const leaving = new Set(swaps.map(({ instance }) => instance));
  return holds.filter((instance) => leaving.has(instance));
};

/**
 * Members that an Auto Scaling group terminates itself, as their hooks show, while its describe still shows them as
 * held.
 */
export const endingItself = (view: View, asg: AsgView): readonly string[] =>
  heldOf(
    asg,
    view.swaps.filter(({ reason }) => reason === 'hook'),
  );

/** Of the held members that leave for a reason other than a hook, those for which this is true. */
const heldLeaving = (view: View, asg: AsgView, holds: (swap: Swap, isDead: boolean) => boolean): readonly string[] => {
  const over = new Set(view.ended);
  return heldOf(
    asg,
    view.swaps.filter((swap) => swap.reason !== 'hook' && holds(swap, over.has(swap.instance))),
  );
};

/**
 * Leaving instances that are dead, or out of service for good, and that an Auto Scaling group still counts. We replace
 * them, so the group must not. The group terminates instances on a hook itself, and lets living ones go only down to
 * its minimum.
 */
const unnoticedIn = (view: View, asg: AsgView): readonly string[] =>
  heldLeaving(
    view,
    asg,
    ({ drain, state }, isDead) =>
      drain !== undefined && (isDead || (asg.desired > asg.min && (state === 'draining' || state === 'drained'))),
  );

/**
 * Leaving instances that are terminated through their Auto Scaling groups, so that these do not replace them. Of those
 * that died before their drain was ordered, only as many as the group can spare: as many as were launched for them
 * while they waited.
 */
export const unnoticed = (view: View, spare: number): readonly string[] => {
  const waited = view.asgs.flatMap((asg) =>
    heldLeaving(view, asg, ({ drain }, isDead) => drain === undefined && isDead),
  );
  return [...view.asgs.flatMap((asg) => unnoticedIn(view, asg)), ...waited.slice(0, Math.max(0, spare))];
};

/**
 * Why an Auto Scaling group does not refill itself: it may not launch, it did not in time (`idle`), or its launch
 * failed (`refused`). A failed launch counts only once the describe shows the gap that it left: an older describe
 * still shows the group as full.
 */
const whyNoRefill = ({ state, nowMs }: View, asg: AsgView): 'idle' | 'refused' | undefined => {
  const gap = state.asgGaps[asg.name];
  if (asg.suspended.includes('Launch') || (gap !== undefined && nowMs - gap.sinceMs > asgRefillGraceMs)) return 'idle';
  return gap?.refused && asg.desired > asg.held ? 'refused' : undefined;
};

/**
 * Instances that an Auto Scaling group is about to launch by itself, so that we do not launch them too. After a failed
 * launch, it launches for its dead alone.
 */
export const ownRefill = (view: View, asg: AsgView): number => {
  const missing = lacks(view, asg);
  const why = whyNoRefill(view, asg);
  if (missing === 0 || why === 'idle') return 0;
  if (why === 'refused') return Math.max(0, missing - (asg.desired - asg.held));
  return missing;
};

/**
 * Auto Scaling groups that are short and do not refill themselves. Their desired capacity is lowered to what they hold,
 * and we launch.
 */
export const groupsToTakeOver = (view: View): readonly { readonly asg: string; readonly desired: number }[] =>
  view.asgs
    .filter((asg) => asg.desired > asg.held && asg.held >= asg.min && whyNoRefill(view, asg) !== undefined)
    .map((asg) => ({ asg: asg.name, desired: asg.held }));

/**
 * Since when each Auto Scaling group has been short. An entry is kept while the gap lasts and dropped when it is
 * closed.
 */
export const gapsNow = (view: View): View['state']['asgGaps'] =>
  Object.fromEntries(
    view.asgs
      .filter((asg) => lacks(view, asg) > 0)
      .map((asg) => [asg.name, view.state.asgGaps[asg.name] ?? { sinceMs: view.nowMs, refused: false }]),
  );
