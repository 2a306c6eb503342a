import { signalsVisibilityMs, tickEveryMs } from './times.ts';

const shortestMs = 2_000;
const longestMs = 45_000;

/**
 * How long until the next attempt at something that has failed for `ageMs`: a quarter of that, two seconds at least and
 * 45 at most. So an outage of minutes costs few looks, and its end is noticed soon.
 */
export const againInMs = (ageMs: number): number => Math.max(shortestMs, Math.min(longestMs, Math.floor(ageMs / 4)));

/**
 * An attempt is made at a multiple of one of these, the longest that is not longer than the wait. So attempts of one
 * group fall on the same times, and one look makes them all.
 */
const marksMs = [20_000, 10_000, 5_000, shortestMs];

/** Groups that wait for nothing that is due are looked at together at multiples of this time. */
const commonMarkMs = 5_000;

/** Whether groups of the whole account can share one look at this time. */
export const isCommonMark = (atMs: number): boolean => atMs % commonMarkMs === 0;

/** The first time from this one on at which groups of the whole account can share one look. */
export const commonMarkFrom = (atMs: number): number => Math.ceil(atMs / commonMarkMs) * commonMarkMs;

/** When to try again: the nearest multiple, and two seconds from now at the earliest. */
export const againAtMs = (nowMs: number, sinceMs: number): number => {
  const inMs = againInMs(nowMs - sinceMs);
  const markMs = marksMs.find((ms) => ms <= inMs) ?? shortestMs;
  return Math.max(nowMs + shortestMs, Math.round((nowMs + inMs) / markMs) * markMs);
};

/** EC2 shows most instances within a second or two of their launch. */
const shownSoonMs = 3_000;

/**
 * When a signal about an instance that EC2 does not show yet is delivered again: after half of its age, and after 3 s
 * at the least. So it is read a few times in two minutes.
 */
export const unshownAgainAtMs = (nowMs: number, happenedAtMs: number): number =>
  nowMs + Math.max(shownSoonMs, Math.ceil((nowMs - happenedAtMs) / 2));

const longestSignalMs = 2 * tickEveryMs;

/**
 * When a signal that could not be acted on is delivered again: a quarter of its age from now, two minutes at most. So
 * an outage of an hour costs few looks. The time is a common mark, so that one look serves all signals that wait.
 * Undefined: it is young, and the queue delivers it again soon enough by itself.
 */
export const signalAgainAtMs = (nowMs: number, sentAtMs: number): number | undefined => {
  const inMs = Math.min(longestSignalMs, Math.floor((nowMs - sentAtMs) / 4));
  return inMs < signalsVisibilityMs
    ? undefined
    : Math.round((nowMs + inMs) / signalsVisibilityMs) * signalsVisibilityMs;
};

/** Attempts that are due later than this are left to the tick. Exact known times are not. */
const leftToTickMs = (tickEveryMs * 2) / 3;

/** Whether an attempt at this time is worth a look of its own. */
export const isWorthALook = (atMs: number, nowMs: number): boolean => atMs > nowMs && atMs - nowMs < leftToTickMs;

/** Failures count as one trouble while each comes this soon after the one before. */
const oneTroubleMs = 2 * tickEveryMs;

/** An action that fails again and again: since when, and until when its last failure counts, epoch milliseconds. */
export type Trouble = { readonly sinceMs: number; readonly untilMs: number };

/** Since when an action has failed that fails now. Undefined `before`: nothing is known of an earlier failure. */
export const failsSinceMs = (before: Partial<Trouble> | undefined, nowMs: number): number =>
  before?.sinceMs !== undefined && nowMs - (before.untilMs ?? nowMs) < oneTroubleMs ? before.sinceMs : nowMs;

const drainSteps = { shortestMs: 5_000, longestMs: 120_000 };

/** What a step of a drain tries again: since when it has been wanted, and the time by which it must have succeeded. */
type Retry = { readonly sinceMs: number; readonly endsByMs?: number };

/**
 * When a drain tries again what has failed: after as long as it has been wanted, five seconds at least and two minutes
 * at most. So an action without a deadline costs few tries, even if AWS refuses it for long. What must succeed by a
 * time is tried after an eighth of the time left if that is sooner, so that tries are more frequent near the end.
 */
export const drainAgainAtMs = (nowMs: number, { sinceMs, endsByMs = Number.POSITIVE_INFINITY }: Retry): number => {
  const inMs = Math.min(drainSteps.longestMs, nowMs - sinceMs, Math.floor((endsByMs - nowMs) / 8));
  return nowMs + Math.max(drainSteps.shortestMs, inMs);
};
