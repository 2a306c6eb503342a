import { isWarnedAgain } from '../drain/deadline.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import { describeLagMs } from '../times/times.ts';
import type { GroupState, View } from '../view/view.ts';
import type { Heard, NotDone } from './not-done.ts';

/** A signal about a leaving member counts for this long, unless its instance ends earlier. */
const tellsForMs = 3_600_000;
/**
 * The most leaving members that the state remembers. With their hooks, they take a quarter of a DynamoDB item. In a
 * storm, further members count only in the look that received their signals.
 */
export const mostHeard = 300;

/**
 * Whether a signal about the same member counts more. A warning replaces advice, and an earlier deadline replaces a
 * later one. A warning that comes after the deadline of the one before replaces it.
 */
const replaces = (before: Heard, { atMs, deadlineMs }: Heard): boolean =>
  traitsOf(before).waitsForSurge ||
  (deadlineMs !== undefined &&
    (isWarnedAgain(before.deadlineMs, atMs) ||
      (deadlineMs < (before.deadlineMs ?? 0) && !isWarnedAgain(deadlineMs, before.atMs))));

/** Whether the time of the first of two signals stays: they say the same. */
const isSame = (before: Heard | undefined, one: Heard): before is Heard =>
  before?.reason === one.reason && !isWarnedAgain(before.deadlineMs, one.atMs);

const byInstance = (heard: readonly Heard[]): ReadonlyMap<string, Heard> => {
  const all = new Map<string, Heard>();
  for (const one of heard) {
    const before = all.get(one.instance);
    if (before === undefined || replaces(before, one))
      all.set(one.instance, isSame(before, one) ? { ...one, heardAtMs: before.heardAtMs } : one);
  }
  return all;
};

const overAtMs = (heard: Heard): number => {
  if (heard.untilMs !== undefined) return heard.untilMs;
  return traitsOf(heard).endedBy === 'ec2' ? (heard.deadlineMs ?? heard.atMs) + describeLagMs : heard.atMs + tellsForMs;
};

const isOver = (heard: Heard, { nowMs, members, asgs }: View): boolean => {
  const { instance, atMs } = heard;
  if (nowMs >= overAtMs(heard)) return true;
  const isShown =
    members.some((member) => member.instance === instance) || asgs.some(({ holds }) => holds.includes(instance));
  return !isShown && nowMs - atMs >= describeLagMs;
};

const knownIn = ({ notDone }: GroupState): readonly Heard[] =>
  Object.entries(notDone?.heard ?? {}).map(([instance, one]) => ({ instance, ...one }));

/** Members that leave, by present and earlier signals. */
export const heardNow = (now: readonly Heard[], view: View): readonly Heard[] =>
  [...byInstance([...knownIn(view.state), ...now]).values()].filter((one) => !isOver(one, view));

/** Signals from the time in which a group did not act. They still count when it acts again. */
export const heardBefore = (state: GroupState, nowMs: number): readonly Heard[] =>
  knownIn(state).filter((one) => nowMs < overAtMs(one));

/** Warnings that no earlier look received, because pool memory counts each once. */
export const newlyWarned = ({ notDone }: GroupState, heard: readonly Heard[]): readonly Heard[] =>
  heard.filter(
    (one) => traitsOf(one).endedBy === 'ec2' && notDone?.heard?.[one.instance]?.deadlineMs !== one.deadlineMs,
  );

/** The leaving members that the state keeps: the latest ones, if there are too many. */
export const remembered = (heard: readonly Heard[], nowMs: number): NotDone['heard'] =>
  Object.fromEntries(
    heard
      .toSorted((a, b) => a.atMs - b.atMs)
      .slice(-mostHeard)
      .map(({ instance, reason, atMs, heardAtMs = nowMs, deadlineMs, untilMs, hook }) => [
        instance,
        { reason, atMs, heardAtMs, deadlineMs, untilMs, hook },
      ]),
  );

/** Events that AWS announced for later, now and before. A paused group acts on them when it acts again. */
export const announcedForLater = (now: readonly Heard[], view: View): NotDone['heard'] => {
  const later = heardNow(now, view).filter((one) => one.untilMs !== undefined);
  return later.length === 0 ? undefined : remembered(later, view.nowMs);
};
