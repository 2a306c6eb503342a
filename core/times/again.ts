import { tickEveryMs } from './times.ts';

const shortestMs = 2_000;
const longestMs = 45_000;

/**
 * How long until what has failed for `ageMs` is tried again: a quarter of that, two seconds at least and 45 at most. So
 * an outage of minutes costs few looks, and its end is noticed soon.
 */
export const againInMs = (ageMs: number): number => Math.max(shortestMs, Math.min(longestMs, Math.floor(ageMs / 4)));

/** Marks of time. What is tried again at a mark is tried by the same look as what else of its group waits for it. */
const marksMs = [20_000, 10_000, 5_000, shortestMs];

/** When to try again, at the mark that is nearest. */
export const againAtMs = (nowMs: number, sinceMs: number): number => {
  const inMs = againInMs(nowMs - sinceMs);
  const markMs = marksMs.find((ms) => ms <= inMs) ?? shortestMs;
  return Math.max(nowMs + shortestMs, Math.round((nowMs + inMs) / markMs) * markMs);
};

/** What is not due for so long is left to the tick, which comes in any case. Times that are known are no such tries. */
const leftToTickMs = (tickEveryMs * 2) / 3;

/** Whether a try that is due at this time is worth a look of its own. */
export const isWorthALook = (atMs: number, nowMs: number): boolean => atMs > nowMs && atMs - nowMs < leftToTickMs;
