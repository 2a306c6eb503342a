import { deadlineOf, drainEndsByMs } from '../drain.ts';
import type { DrainOrder } from '../ports.ts';
import type { Swap } from '../swap.ts';
import type { OpenSwap } from './look.ts';

const seconds = (ms: number): string => `${Math.max(0, Math.round(ms / 1000))} s`;

const two = (n: number): string => String(n).padStart(2, '0');

/** Time of day in UTC, `12:02:10`. */
export const timeOfDay = (atMs: number): string => {
  const second = Math.floor(atMs / 1000) % 86_400;
  return `${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}`;
};

/** When connections that are still open are cut, and by whom. */
type Cut = { readonly atMs: number; readonly by: string };

const cutOf = (swap: Swap, order: DrainOrder, timeoutMs: number): Cut => {
  const endsByMs = drainEndsByMs(swap, order, timeoutMs);
  if (swap.reason === 'interruption') return { atMs: deadlineOf(swap, order) ?? endsByMs, by: 'EC2' };
  return { atMs: endsByMs, by: swap.reason === 'hook' ? 'Auto Scaling' : 'the end of the instance' };
};

const areCut = ({ atMs, by }: Cut): string => `connections still open at ${timeOfDay(atMs)} UTC are cut by ${by}`;

/** Said as soon as a drain begins that cannot be waited for; undefined when the deregistration delay ends in time. */
export const foreseenShortfall = ({ swap, busyUntilMs }: OpenSwap, order: DrainOrder, timeoutMs: number): string | undefined => {
  const cut = cutOf(swap, order, timeoutMs);
  if (busyUntilMs === undefined || busyUntilMs <= cut.atMs) return undefined;
  const sinceMs = swap.drainStartedAtMs ?? cut.atMs;
  return `deregistration delay ${seconds(busyUntilMs - sinceMs)} exceeds the ${seconds(cut.atMs - sinceMs)} left: ${areCut(cut)}`;
};

/** Swaps with what is foreseen of them, where something is and nothing was said before. */
export const foreseen = (open: readonly OpenSwap[], order: DrainOrder, timeoutMs: number): readonly Swap[] =>
  open.flatMap((one) => {
    const shortfall = one.swap.shortfall === undefined ? foreseenShortfall(one, order, timeoutMs) : undefined;
    return shortfall === undefined ? [] : [{ ...one.swap, shortfall }];
  });

/** Said of an instance that could not be taken out of service. */
export const unreleasedShortfall = (code: string): string => `could not be taken out of service (${code}): work on it is cut when it goes`;

/** Said of an instance whose drain ended before it had drained and that nothing was foreseen about. */
export const unfinishedShortfall = (swap: Swap, order: DrainOrder, timeoutMs: number): string => {
  const what = swap.state === 'leaving' ? 'was not taken out of service in time' : 'was still draining when its time was up';
  return `${what}: ${areCut(cutOf(swap, order, timeoutMs))}`;
};

/** Error of a state machine's Catch, in JSONata form. */
export type DrainError = { readonly Error: string; readonly Cause?: string };

const longestCause = 200;

/** Said of an instance whose drain broke off by an error. */
export const brokenShortfall = ({ Error: name, Cause: cause = '' }: DrainError): string =>
  `the drain broke off (${name}${cause === '' ? '' : `: ${cause.slice(0, longestCause)}`}): connections still open are cut when it goes`;

/** Said of a drained instance that cannot be ended. */
export const unendedShortfall = (code: string): string => `could not be ended (${code}): it runs on, out of service, until someone ends it`;

/** Said of an instance that came to its end while its drain had yet to begin: EC2 took it before its time, or someone ended it. Undefined for any other. */
const earlyEndShortfall = ({ state, shortfall }: Swap): string | undefined =>
  shortfall === undefined && (state === 'waiting' || state === 'leaving')
    ? 'it ended before it was taken out of service: work on it was cut'
    : shortfall;

/** A swap whose instance has come to its end, with what is to be said of that. */
export const asGone = (swap: Swap, nowMs: number): Swap => {
  const shortfall = earlyEndShortfall(swap);
  return { ...swap, state: 'gone', goneAtMs: nowMs, ...(shortfall !== undefined && { shortfall }) };
};
