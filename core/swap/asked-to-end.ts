import type { Swap } from './swap.ts';

/** Describes of Auto Scaling groups lag by seconds. */
const shownWithinMs = 5_000;

/**
 * Whether the end of a member was requested through its Auto Scaling group such a short time ago that describes of the
 * group may not show it. Another request would take a token of Auto Scaling's bucket for nothing. Clocks of functions
 * differ, so the time may also lie ahead.
 */
export const wasJustAsked = (askedAtMs: Swap['releaseAskedAtMs'], nowMs: number): boolean =>
  askedAtMs !== undefined && Math.abs(nowMs - askedAtMs) < shownWithinMs;
