/**
 * The number that an attach makes of a desired capacity: the one before, and what each member counts. A describe may
 * show it after Holdfast has lowered it.
 */

import { clocksDifferMs, loweredShownMs } from '../times/times.ts';
import type { Added } from '../view/added.ts';
import { unitsOf } from '../view/asg-units.ts';
import type { Notes } from '../view/notes.ts';
import { isGiven, type RaisedMax } from '../view/raised-max.ts';
import type { AsgView, View } from '../view/view.ts';

const heldOf = (instances: readonly string[], { holds }: AsgView): readonly string[] => {
  const held = new Set(holds);
  return instances.filter((instance) => held.has(instance));
};

/** How many members of a note their Auto Scaling group shows. */
export const shownOf = (added: Added, asg: AsgView): number => heldOf(added.instances, asg).length;

/**
 * Whether the desired capacity is its value before an attach plus what the members of the attach count. The owner may
 * have changed weights shortly before the attach or since. So what they count now is compared, what they counted when
 * the note was written, and their number.
 *
 * @param others members of the attach that count although they are not shown
 */
export const isAsAdded = (added: Added, asg: AsgView, others: readonly string[] = []): boolean => {
  const shown = [...new Set([...heldOf(added.instances, asg), ...others])];
  const counts = [unitsOf(asg, shown), unitsOf(added, shown), shown.length];
  return counts.some((count) => asg.desired === added.from + count);
};

/**
 * Whether the desired capacity is what the members of an open note made of it. A member that its Auto Scaling group
 * ends or keeps aside had joined: where the number counts the other members alone, others lowered it with that member.
 */
export const isStillAsAdded = (added: Added, asg: AsgView): boolean =>
  isAsAdded(added, asg) && !added.instances.some((instance) => asg.aside?.includes(instance));

/** Whether a describe may still show the desired capacity before it was lowered. */
export const mayBeShown = ({ takenDownAtMs }: Added, nowMs: number): boolean =>
  takenDownAtMs !== undefined && nowMs - takenDownAtMs < loweredShownMs;

/** What a look shows of Auto Scaling groups, and of instances that are in them no more, or without a place. */
export type Shown = Pick<View, 'asgs'> & Partial<Pick<View, 'ended'>> & { readonly aside?: readonly string[] };

/**
 * Whether a member of a note has left since the desired capacity was lowered. A describe that shows fewer members than
 * had joined is then not from between two attaches. A note also names members that died before they could join, and
 * members of an earlier attach that had left before: these say nothing.
 */
const hasLeft = ({ joined = [] }: Added, { holds }: AsgView, { ended = [], aside = [] }: Shown): boolean => {
  const left = new Set([...ended, ...aside]);
  return joined.some((instance) => left.has(instance) && !holds.includes(instance));
};

/**
 * Whether a describe shows a member that was attached after the lowering, or that the group launched after it. It is
 * then later than the lowering.
 */
const isLater = ({ later = [], takenDownAtMs = 0 }: Added, asg: AsgView): boolean =>
  heldOf(later, asg).length > 0 ||
  Object.values(asg.untagged ?? {}).some((launchedAtMs) => launchedAtMs - takenDownAtMs > clocksDifferMs);

/**
 * Members of a note that had ended when the desired capacity was lowered, or had never joined. Their group drops those
 * that have ended before that or after it, and the desired capacity does not fall with them.
 */
const goneBefore = ({ instances, joined }: Added): readonly string[] =>
  joined === undefined ? [] : instances.filter((instance) => !joined.includes(instance));

/** Whether this look shows the desired capacity before it was lowered. */
export const isOldNews = (added: Added, asg: AsgView, shown: Shown, nowMs: number): boolean =>
  mayBeShown(added, nowMs) &&
  shownOf(added, asg) > 0 &&
  (isAsAdded(added, asg) || isAsAdded(added, asg, goneBefore(added))) &&
  !isLater(added, asg) &&
  !hasLeft(added, asg, shown);

/**
 * Whether a describe is surely later than the lowering. The desired capacity of before the attach, beside all members
 * that had joined, is from after it too.
 */
const showsLowering = (added: Added, asg: AsgView): boolean => {
  const { joined = [], from } = added;
  const isThere = joined.length > 0 && heldOf(joined, asg).length === joined.length;
  return isLater(added, asg) || (isThere && asg.desired === from);
};

/**
 * Notes of raises without those of maxima that their owners have set to one of our values since we put them back. A
 * describe with such a value may be older than the putting back, unless it shows what the same call lowered.
 */
export const withoutSetSince = (
  { raised, added }: Pick<Required<Notes>, 'raised' | 'added'>,
  asgs: readonly AsgView[],
): readonly RaisedMax[] =>
  raised.filter((note) => {
    const { putBackAtMs, withSize } = note;
    const asg = asgs.find(({ name }) => name === note.asg);
    if (asg === undefined || putBackAtMs === undefined || !withSize || !isGiven(note, asg.max)) return true;
    const lowered = added.filter(({ takenDownAtMs = 0 }) => takenDownAtMs >= putBackAtMs);
    return !lowered.some((one) => one.asg === asg.name && showsLowering(one, asg));
  });

/** A note that was taken down, with the members that are attached now. Its own may have joined before it was. */
export const withLater = (added: Added, instances: readonly string[]): Added => {
  const known = new Set([...added.instances, ...(added.later ?? [])]);
  const later = instances.filter((instance) => !known.has(instance));
  return later.length === 0 ? added : { ...added, later: [...(added.later ?? []), ...later] };
};

/**
 * A note that was taken down.
 *
 * @param inGroup members that are known to be in the Auto Scaling group
 */
export const asTakenDown = (one: Added, inGroup: readonly string[], nowMs: number): Added => {
  const there = new Set(inGroup);
  return { ...one, takenDownAtMs: nowMs, joined: one.instances.filter((instance) => there.has(instance)) };
};

/** The results for notes: taken down, taken down and not shown yet, or overwritten by others. */
export type TakenDown = Readonly<Record<'done' | 'unseen' | 'overwritten', readonly Added[]>>;

/**
 * Notes after some were taken down and some were found overwritten. One that was taken down stays, whatever a describe
 * showed since: a later one may come from a place that does not know yet.
 * @param inGroup members that the look showed in Auto Scaling groups, or that joined since
 */
export const afterTakingDown = (
  added: readonly Added[],
  { done, unseen, overwritten }: TakenDown,
  nowMs: number,
  inGroup: readonly string[] = [],
): readonly Added[] => {
  const isOne = (list: readonly Added[], { asg, atMs }: Added): boolean =>
    list.some((one) => one.asg === asg && one.atMs === atMs);
  return added
    .filter((one) => !isOne(overwritten, one))
    .map((one) => (isOne([...done, ...unseen], one) ? asTakenDown(one, inGroup, nowMs) : one));
};
