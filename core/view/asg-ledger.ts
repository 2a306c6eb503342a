/**
 * What Auto Scaling groups do by themselves, so that a decision does not do it too. The words:
 *
 * - **gap**: how many members a group lacks, or will lack once it notices which of its members have ended;
 * - **refill**: what it is about to launch to close its gap;
 * - **shrink**: what it is about to terminate because it holds more than its desired capacity;
 * - **unnoticed**: leaving members that it still counts, and must not replace, because we do;
 * - **take over**: its desired capacity is lowered to what it holds, and we launch in its place.
 */

import { howHeld } from '../group/holding.ts';
import { outsideAsgOf } from '../group/outside-size.ts';
import { launchedByUs } from '../launch/launched-by-us.ts';
import { failsForLong } from '../pool-memory/failing-refills.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import type { Swap } from '../swap/swap.ts';
import { refillGraceMs } from '../times/times.ts';
import { suspendedNow } from './suspension.ts';
import type { AsgView, Member, View } from './view.ts';

/** The held members of a group that leave by one of these swaps. */
const heldOf = ({ holds }: AsgView, swaps: readonly Swap[]): readonly string[] => {
  const leaving = new Set(swaps.map(({ instance }) => instance));
  return holds.filter((instance) => leaving.has(instance));
};

/**
 * Whether a group terminates a member itself, as its hook shows. EC2 may take or advise to replace this member too. A
 * termination that Holdfast requested has a hook as well, and lowers the desired capacity.
 */
const isTerminatedBy = ({ name }: AsgView, swap: Swap): boolean =>
  traitsOf(swap).endedBy === 'auto-scaling' ||
  (swap.releaseAskedAtMs === undefined && (swap.hooks ?? []).some(({ asg }) => asg === name));

/** Members that a group terminates itself, while its describe still shows them as held. */
const terminatedBy = (asg: AsgView, { swaps }: View): readonly string[] =>
  heldOf(
    asg,
    swaps.filter((swap) => isTerminatedBy(asg, swap)),
  );

/** Instances that are known to have ended. A describe that lags may show one whose swap is over as running again. */
export const deadIn = ({ ended, swaps }: Pick<View, 'ended' | 'swaps'>): ReadonlySet<string> =>
  new Set([...ended, ...swaps.flatMap(({ instance, state }) => (state === 'gone' ? [instance] : []))]);

/** The held members that leave, that the group does not terminate itself, and for which `isOne` is true. */
const heldLeaving = (asg: AsgView, view: View, isOne: (swap: Swap, isDead: boolean) => boolean): readonly string[] => {
  const dead = deadIn(view);
  return heldOf(
    asg,
    view.swaps.filter((swap) => !isTerminatedBy(asg, swap) && isOne(swap, dead.has(swap.instance))),
  );
};

/** How far the desired capacity may fall with members. Where others set the size, it does not fall with them. */
const roomToShrink = ({ name, desired, min }: AsgView, { group }: View): number =>
  name === outsideAsgOf(group) ? Number.POSITIVE_INFINITY : Math.max(0, desired - min);

/**
 * Leaving instances that have ended, or are out of service for good, and that a group still counts. Three kinds are
 * left out: instances on a hook, which the group terminates itself; those that were left to the group, which it
 * replaces; and those that its minimum keeps. The group replaces these too once they have ended.
 */
const unnoticedBy = (asg: AsgView, view: View): readonly string[] =>
  heldLeaving(
    asg,
    view,
    ({ drain, state, leftToGroup }, isDead) =>
      drain !== undefined && leftToGroup === undefined && (isDead || state === 'draining' || state === 'drained'),
  ).slice(0, roomToShrink(asg, view));

/**
 * The gap of a group. Below 0: it holds more than its desired capacity.
 *
 * A group finds an ended instance unhealthy and replaces it one for one (EC2 Auto Scaling User Guide, health checks),
 * unless the user has suspended `HealthCheck`, `ReplaceUnhealthy` or `Terminate`, without which `ReplaceUnhealthy` is
 * inactive (User Guide, "How suspended processes affect other processes"). It also replaces an instance that it
 * terminates itself, unless its desired capacity falls. A describe that still shows such an instance as held is older
 * than the termination.
 */
const gapOf = (asg: AsgView, view: View): number => {
  const isInactive = ['HealthCheck', 'ReplaceUnhealthy'].some((process) => asg.suspended.includes(process));
  const replaces = !isInactive && !isHeld('Terminate', asg, view);
  const dead: ReadonlySet<string> = replaces ? deadIn(view) : new Set();
  const terminated = new Set(terminatedBy(asg, view));
  const unnoticed = new Set(unnoticedBy(asg, view));
  const ending = asg.holds.filter(
    (instance) => terminated.has(instance) || (dead.has(instance) && !unnoticed.has(instance)),
  );
  return asg.desired - asg.held + ending.length;
};

/** Whether a process that Holdfast suspends is suspended. A describe may be older than its resume. */
const isHeld = (process: 'Launch' | 'Terminate', asg: AsgView, { state, nowMs }: View): boolean =>
  suspendedNow(asg, state.suspended ?? [], nowMs).includes(process);

type Gap = View['state']['asgGaps'][string];

/** When a group last launched by itself, as far as what it holds shows that. */
const lastLaunchMs = ({ untagged = {} }: AsgView, { state }: View): number => {
  const ours = launchedByUs(state);
  return Math.max(
    Number.NEGATIVE_INFINITY,
    ...Object.entries(untagged).flatMap(([instance, launchedAtMs]) => (ours.has(instance) ? [] : [launchedAtMs])),
  );
};

/**
 * The gap that was noted of a group. After a launch of its own it is a new one, although looks never saw it closed. So
 * it is after its desired capacity was lowered, for as long as the describe shows that: it may be raised again.
 */
const gapNoted = (asg: AsgView, view: View): Gap | undefined => {
  const noted = view.state.asgGaps[asg.name];
  if (noted?.closed && asg.desired <= asg.held) return undefined;
  return noted && { ...noted, sinceMs: Math.max(noted.sinceMs, lastLaunchMs(asg, view)) };
};

/**
 * Why a group does not refill itself. `idle`: its process `Launch` is suspended, or it has launched nothing for longer
 * than `refillGraceMs`, or nothing that came up. `refused`: its launch failed. Undefined: it refills itself.
 */
const whyNoRefill = (asg: AsgView, view: View): 'idle' | 'refused' | undefined => {
  const gap = gapNoted(asg, view);
  if (isHeld('Launch', asg, view) || (gap !== undefined && view.nowMs - gap.sinceMs > refillGraceMs)) return 'idle';
  if (failsForLong(view.state, asg.name)) return 'idle';
  return gap?.refused ? 'refused' : undefined;
};

/**
 * How many living members a group has launched by itself that its describe does not show yet. One that the group
 * terminates, by its own choice or by ours, was shown before: it has left the group, and EC2 shows it for a while more.
 */
const unshownOf = ({ name }: AsgView, view: View): number => {
  const { joins } = howHeld(view.group);
  const terminated = view.swaps.filter(
    ({ releaseAskedAtMs, hooks }) => releaseAskedAtMs !== undefined || hooks?.some(({ asg }) => asg === name),
  );
  const left = new Set([...deadIn(view), ...terminated.map(({ instance }) => instance)]);
  const isOwn = ({ instance, pool, reservation, unshown }: Member): boolean =>
    unshown === true &&
    reservation === undefined &&
    !left.has(instance) &&
    (joins ?? view.group.pools[pool ?? '']?.asg) === name;
  return view.members.filter(isOwn).length;
};

/**
 * The refill of a group. After a failed launch, it launches only for members that have ended. A failed launch counts
 * only once the describe shows the gap that it left: an older describe still shows the group as full.
 */
const refillOf = (asg: AsgView, view: View): number => {
  const gap = Math.max(0, gapOf(asg, view) - unshownOf(asg, view));
  const why = whyNoRefill(asg, view);
  if (why === 'idle') return 0;
  return why === 'refused' ? gap - Math.max(0, asg.desired - asg.held) : gap;
};

/**
 * Members that EC2 shows as launched by a group, while the group's describe shows neither them nor a gap for them. One
 * of the two describes is old: they have ended and were replaced, or their group has just replaced others by them.
 */
export const beyondGaps = (view: View): number =>
  view.asgs.reduce((sum, asg) => sum + Math.max(0, unshownOf(asg, view) - Math.max(0, gapOf(asg, view))), 0);

/** Whether a group launched a member by itself that has not come up, and such launches keep ending before they do. */
export const isOfFailing = (
  { state: { refills = {}, ...state } }: View,
  { instance, admitted, asg }: Member,
): boolean => !admitted && refills[instance] !== undefined && failsForLong(state, asg ?? '');

/** What each group is about to launch by itself, so that we do not launch it too. */
export const ownRefills = (view: View): readonly { readonly asg: string; readonly count: number }[] =>
  view.asgs.map((asg) => ({ asg: asg.name, count: refillOf(asg, view) }));

/** Instances that the groups are about to launch by themselves. */
export const ownRefill = (view: View): number => ownRefills(view).reduce((sum, { count }) => sum + count, 0);

/**
 * Instances that the groups are about to terminate by themselves, so that we do not remove others too. A group that
 * rebalances its zones launches first.
 */
export const ownShrink = (view: View): number =>
  view.asgs
    .filter((asg) => !isHeld('Terminate', asg, view))
    .reduce((sum, asg) => sum + Math.max(0, -gapOf(asg, view)), 0);

/** Whether a group holds a member that it terminates itself. */
export const isEndingSome = (view: View): boolean => view.asgs.some((asg) => terminatedBy(asg, view).length > 0);

/**
 * Members that their group does not show: it launched them by itself a moment ago, or they joined and their user may
 * have taken them out again. Only a newer describe shows whether there is a surplus.
 */
export const notShownYet = ({ asgs, group }: View, members: readonly Member[]): readonly Member[] => {
  const held = new Set(asgs.flatMap(({ holds }) => holds));
  return howHeld(group).isInAsgs
    ? members.filter(
        ({ instance, reservation, unshown }) => (unshown || reservation === undefined) && !held.has(instance),
      )
    : [];
};

/**
 * Unnoticed instances. They are terminated through their Auto Scaling groups, so that these do not replace them. For
 * instances that ended before their drain was ordered, or that a minimum keeps, this holds only as far as replacements
 * were launched for them.
 *
 * @param spare how many such replacements the group has
 */
export const unnoticed = (view: View, spare: number): readonly string[] => {
  const ours = view.asgs.flatMap((asg) => unnoticedBy(asg, view));
  const ended = view.asgs.flatMap((asg) =>
    heldLeaving(
      asg,
      view,
      ({ drain, leftToGroup }, isDead) => isDead && (drain === undefined || leftToGroup === undefined),
    ),
  );
  return [...new Set([...ours, ...ended])].slice(0, ours.length + Math.max(0, spare));
};

/** A group that is short and does not refill itself. Its desired capacity falls by `lowers` to `desired`. */
type ToTakeOver = { readonly asg: string; readonly desired: number; readonly lowers: number };

/** Groups that are short and do not refill themselves, except one whose size others set. */
export const groupsToTakeOver = (view: View): readonly ToTakeOver[] =>
  view.asgs
    .filter(({ name }) => name !== outsideAsgOf(view.group))
    .filter((asg) => asg.desired > asg.held && asg.held >= asg.min && whyNoRefill(asg, view) !== undefined)
    .map((asg) => ({ asg: asg.name, desired: asg.held, lowers: asg.desired - asg.held }));

/**
 * Since when each group has had a gap. An entry is kept while the gap lasts, and dropped when it is closed. A size that
 * counts no instances has none, so a gap begins when it counts them again.
 */
export const gapsNow = (view: View): View['state']['asgGaps'] =>
  Object.fromEntries(
    view.asgs
      .filter((asg) => view.group.countsUnits === undefined && gapOf(asg, view) > 0)
      .map((asg) => [asg.name, gapNoted(asg, view) ?? { sinceMs: view.nowMs, refused: false }]),
  );
