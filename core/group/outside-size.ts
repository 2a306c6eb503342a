/**
 * The size of a group that others set: the desired capacity of the Auto Scaling group that its members are in.
 *
 * Attaching members raises that number, so only this file and `attached-number.ts` read it. Holdfast notes before each
 * attach what it may add, and takes it off afterwards. Auto Scaling has no conditional update, and nothing shows who
 * changed the number. A number that our notes do not explain was set by others, and stays. So if others write between
 * an attach and the moment when Holdfast takes its addition off, the group has more members than they meant, and never
 * fewer.
 */

import { repeatAfterMs } from '../launch/reservation-life.ts';
import { againAtMs, isWorthALook } from '../times/again.ts';
import { describeLagMs, loweredShownMs } from '../times/times.ts';
import type { Added } from '../view/added.ts';
import { unitsEach } from '../view/asg-units.ts';
import { ownersMax } from '../view/raised-max.ts';
import type { AsgView, GroupState, View } from '../view/view.ts';
import {
  asTakenDown,
  isAsAdded,
  isOldNews,
  isStillAsAdded,
  mayBeShown,
  type Shown,
  shownOf,
  withLater,
} from './attached-number.ts';
import type { Group } from './group.ts';
import { asgsOf, namedAsgs } from './holders.ts';
import { howHeld } from './holding.ts';

/** By then an attach was carried out or never will be, because the function that made the note has ended. */
const attachedWithinMs = 60_000;

/** The Auto Scaling group whose desired capacity is the size of the group. Undefined where the policy sets the size. */
export const outsideAsgOf = (group: Pick<Group, 'size' | 'holding'>): string | undefined =>
  group.size.from === 'asg' ? howHeld(group).joins : undefined;

const isTakenDown = ({ takenDownAtMs }: Added): boolean => takenDownAtMs !== undefined;

/** A size that others set, as a look shows it. */
export type OutsideSize = {
  readonly asg: string;
  /** The size that others set. 0 where no describe shows the Auto Scaling group. */
  readonly size: number;
  readonly isUnshown?: true;
  /** Notes that still matter: those of this group, and of groups that an earlier policy named. */
  readonly added: readonly Added[];
};

const openOf = (all: readonly Added[]): Added | undefined => all.find((one) => !isTakenDown(one));

const sizeIn = (all: readonly Added[], asg: AsgView, shown: Shown, nowMs: number): number => {
  const open = openOf(all);
  if (open !== undefined && isStillAsAdded(open, asg)) return open.from;
  const old = all.findLast((one) => isTakenDown(one) && isOldNews(one, asg, shown, nowMs));
  return old?.from ?? asg.desired;
};

/**
 * What a look leaves of a note. It is dropped when others wrote since, when nothing was attached, or when no describe
 * can be older than its end. A describe that shows its end is no reason: the next one may be older. So a note is marked
 * that a function took down, and could not mark before it died or because another function wrote first. A describe that
 * shows none of the members may be older than the attach.
 */
const leftOf = (added: Added, asg: AsgView, nowMs: number): readonly Added[] => {
  if (isTakenDown(added)) return mayBeShown(added, nowMs) ? [added] : [];
  if (shownOf(added, asg) === 0) return nowMs - added.atMs < attachedWithinMs ? [added] : [];
  if (asg.desired === added.from) return [asTakenDown(added, asg.holds, nowMs)];
  return isStillAsAdded(added, asg) ? [added] : [];
};

type Looking = Pick<Group, 'size' | 'holding' | 'pools' | 'former'>;

/**
 * Notes that still matter. In an Auto Scaling group that an earlier policy named, nobody else takes off what attaching
 * added. No look shows one that the group may not look at any more. So its note stays for a time, in which a new holder
 * inherits it, and we try to take its addition off. Where this policy sets the size of the group, the desired capacity
 * is its own, and the note is dropped.
 */
export const addedNow = (
  group: Looking,
  { added = [] }: Pick<GroupState, 'added'>,
  asgs: readonly AsgView[],
  nowMs: number,
): readonly Added[] => {
  const ours = new Set(namedAsgs(group).filter((name) => name !== outsideAsgOf(group)));
  const looksAt = new Set(asgsOf(group));
  return added.flatMap((one) => {
    const asg = asgs.find(({ name }) => name === one.asg);
    if (asg !== undefined) return ours.has(asg.name) ? [] : leftOf(one, asg, nowMs);
    const isKept = !looksAt.has(one.asg) && nowMs - (one.takenDownAtMs ?? one.atMs) < describeLagMs;
    return isKept ? [one] : [];
  });
};

/** Whether a look shows the desired capacity of this attach, or does not show the Auto Scaling group. */
const isShownIn = (asgs: readonly AsgView[], added: Added): boolean => {
  const asg = asgs.find(({ name }) => name === added.asg);
  return asg === undefined || isAsAdded(added, { ...asg, desired: asg.shown ?? asg.desired });
};

/**
 * The times from which a describe of these earlier desired capacities counts. Before, the describe may be old. If it
 * still shows one of them then, others have written the same number.
 */
export const believedAgainAtMs = ({ state: { added = [] }, asgs }: Pick<View, 'state' | 'asgs'>): readonly number[] =>
  added.flatMap((one) =>
    one.takenDownAtMs !== undefined && isShownIn(asgs, one) ? [one.takenDownAtMs + loweredShownMs] : [],
  );

/**
 * What others set, as a look shows it. Undefined where the policy sets the size. An Auto Scaling group that no describe
 * shows is deleted: nobody wants a member in it, and what was launched for it cannot join.
 */
export const outsideSizeOf = (
  group: Looking,
  { added = [], raised = [] }: Partial<Pick<GroupState, 'added' | 'raised'>>,
  shown: Shown,
  nowMs: number,
): OutsideSize | undefined => {
  const { asgs } = shown;
  const name = outsideAsgOf(group);
  if (name === undefined) return undefined;
  const asg = asgs.find((one) => one.name === name);
  if (asg === undefined) return { asg: name, size: 0, isUnshown: true, added: addedNow(group, { added }, asgs, nowMs) };
  const own = added.filter((one) => one.asg === name);
  // While we have raised the maximum, others can write a size above the owner's. It counts as the owner's maximum.
  const size = Math.min(sizeIn(own, asg, shown, nowMs), ownersMax(raised, asg));
  return { asg: asg.name, size, added: addedNow(group, { added }, asgs, nowMs) };
};

/**
 * How many members a group should have: the size that others set, or else the size of its state. The latter counts as
 * well while no describe shows the Auto Scaling group, so that no drain hastens by one look.
 */
export const desiredNow = (
  group: Looking,
  state: Pick<GroupState, 'desired' | 'added' | 'raised'> | undefined,
  shown: Shown,
  nowMs: number,
): number => {
  const outside = outsideSizeOf(group, state ?? {}, shown, nowMs);
  const isKnown = outside !== undefined && !outside.isUnshown;
  return isKnown ? Math.min(group.size.max, outside.size) : (state?.desired ?? group.size.desired);
};

/** The state with the size that others set, within the maximum of the policy. */
export const withOutsideSize = (
  state: GroupState,
  { size, countsUnits }: Pick<Group, 'size' | 'countsUnits'>,
  outside: OutsideSize,
): GroupState => {
  const { added: _before, ...rest } = state;
  const desired = Math.min(size.max, outside.size);
  // The maximum of the policy counts instances.
  const beyondMax = outside.size > size.max && !countsUnits ? outside.size : undefined;
  return { ...rest, desired, beyondMax, ...(outside.added.length > 0 && { added: outside.added }) };
};

/** Auto Scaling groups as decisions see them, without what our own attaches added to a size that others set. */
export const asOthersSet = (asgs: readonly AsgView[], outside: OutsideSize | undefined): readonly AsgView[] =>
  outside === undefined
    ? asgs
    : asgs.map((asg) => (asg.name === outside.asg ? { ...asg, desired: outside.size, shown: asg.desired } : asg));

/** Notes with the members that are attached next. They are written before the attach. */
export const noted = (view: View, instances: readonly string[]): readonly Added[] => {
  const { added = [] } = view.state;
  const asg = view.asgs.find(({ name }) => name === outsideAsgOf(view.group));
  if (asg === undefined || instances.length === 0) return added;
  const open = openOf(added.filter((one) => one.asg === asg.name));
  const all = [...new Set([...(open?.instances ?? []), ...instances])];
  const joining = view.members.filter(({ instance }) => instances.includes(instance));
  const units = { ...open?.units, ...unitsEach(asg, joining) };
  return [
    ...added
      .filter((one) => one !== open)
      .map((one) => (one.asg === asg.name && isTakenDown(one) ? withLater(one, instances) : one)),
    {
      asg: asg.name,
      from: asg.desired,
      instances: all,
      ...(Object.keys(units).length > 0 && { units }),
      atMs: view.nowMs,
    },
  ];
};

/**
 * Whether others wrote a size beyond the owner's maximum, while we had raised that. If the owner has set another
 * maximum since, that one counts.
 */
export const isBeyondMaximum = ({ raised }: Pick<GroupState, 'raised'>, asg: AsgView): boolean =>
  raised.some(({ asg: name }) => name === asg.name) && (asg.shown ?? 0) > ownersMax(raised, asg);

/** Whether an attach may still add to a desired capacity. A describe that is older than the attach does not show it. */
export const mayBeAdded = ({ added = [] }: Pick<GroupState, 'added'>, asg: string): boolean =>
  added.some((one) => one.asg === asg && !isTakenDown(one));

/**
 * Additions of attaches that still count: their function died, or a describe did not show them in time. The call reads
 * an Auto Scaling group that no look shows.
 */
export const toTakeDown = ({ state: { added = [] }, asgs }: View): readonly Added[] =>
  added.filter((one) => {
    const asg = asgs.find(({ name }) => name === one.asg);
    return !isTakenDown(one) && (asg === undefined || shownOf(one, asg) > 0);
  });

/** Those in the Auto Scaling group that members join now. No further member joins before they are taken down. */
export const addedStill = (view: View): readonly Added[] =>
  toTakeDown(view).filter(({ asg }) => asg === outsideAsgOf(view.group));

/**
 * Members that another decision attaches at this moment. It noted them a moment ago, and no describe shows them yet. If
 * it has died, they join with the look that it arranged.
 */
export const attachedMeanwhile = ({ group, state: { added = [] }, nowMs }: View): readonly string[] =>
  added
    .filter((one) => one.asg === outsideAsgOf(group) && !isTakenDown(one))
    .filter(({ atMs }) => Math.abs(nowMs - atMs) < repeatAfterMs)
    .flatMap(({ instances }) => instances);

/** Whether it is time to try to take this addition down, also if signals cause looks before that. */
const isDue = ({ atMs, triedAtMs }: Added, nowMs: number): boolean =>
  triedAtMs === undefined || againAtMs(triedAtMs, atMs) <= nowMs;

/** Additions that this look takes down. AWS may refuse that for long, so tries become rarer. */
export const toTakeDownNow = (view: View): readonly Added[] => toTakeDown(view).filter((one) => isDue(one, view.nowMs));

/** Notes of which this decision tries to take some down. */
export const withTries = (added: readonly Added[], tried: readonly Added[] = [], nowMs: number): readonly Added[] =>
  added.map((one) => (tried.includes(one) ? { ...one, triedAtMs: nowMs } : one));

/** When to look again at additions that are not taken down. AWS may refuse that for long, and describes may be late. */
export const takenDownAgain = (added: readonly Added[] = [], nowMs: number): { readonly wakeAtMs?: number } => {
  const times = added
    .filter((one) => !isTakenDown(one))
    .map((one) => againAtMs(isDue(one, nowMs) ? nowMs : (one.triedAtMs ?? nowMs), one.atMs));
  const wakeAtMs = Math.min(...times);
  return isWorthALook(wakeAtMs, nowMs) ? { wakeAtMs } : {};
};
