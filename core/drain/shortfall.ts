import { drainEndsByMs } from '../drain.ts';
import type { CutBy, Shortfall } from '../shortfall.ts';
import type { Swap } from '../swap.ts';
import type { OpenSwap } from './look.ts';

/** When connections that are still open are cut, and by whom. */
type Cut = { readonly cutAtMs: number; readonly by: CutBy };

const cutOf = (swap: Swap, timeoutMs: number): Cut => {
  const endsByMs = drainEndsByMs(swap, timeoutMs);
  if (swap.reason === 'interruption') return { cutAtMs: swap.deadlineMs ?? endsByMs, by: 'ec2' };
  return { cutAtMs: endsByMs, by: swap.reason === 'hook' ? 'auto-scaling' : 'holdfast' };
};

/** Known as soon as a drain begins that cannot be waited for; undefined when the deregistration delay ends in time. */
export const foreseenShortfall = ({ swap, busyUntilMs }: OpenSwap, timeoutMs: number): Shortfall | undefined => {
  const cut = cutOf(swap, timeoutMs);
  if (busyUntilMs === undefined || busyUntilMs <= cut.cutAtMs) return undefined;
  const sinceMs = swap.drainStartedAtMs ?? cut.cutAtMs;
  return { code: 'delay-exceeds-deadline', delayMs: busyUntilMs - sinceMs, leftMs: Math.max(0, cut.cutAtMs - sinceMs), ...cut };
};

/** Swaps with what is foreseen of them, where something is and nothing was noted before. */
export const foreseen = (open: readonly OpenSwap[], timeoutMs: number): readonly Swap[] =>
  open.flatMap((one) => {
    const shortfall = one.swap.shortfall === undefined ? foreseenShortfall(one, timeoutMs) : undefined;
    return shortfall === undefined ? [] : [{ ...one.swap, shortfall }];
  });

/** For an instance that could not be taken out of service. */
export const unreleasedShortfall = (awsCode: string): Shortfall => ({ code: 'not-released', awsCode });

/** For an instance whose drain ended before it had drained and that nothing was foreseen about. */
export const unfinishedShortfall = (swap: Swap, timeoutMs: number): Shortfall => ({
  code: swap.state === 'leaving' ? 'not-released-in-time' : 'still-draining',
  ...cutOf(swap, timeoutMs),
});

/** Error of a state machine's Catch, in JSONata form. */
export type DrainError = { readonly Error: string; readonly Cause?: string };

const longestCause = 200;

/** For an instance whose drain broke off by an error. */
export const brokenShortfall = ({ Error: error, Cause: cause = '' }: DrainError): Shortfall => ({
  code: 'drain-broke',
  error,
  ...(cause !== '' && { cause: cause.slice(0, longestCause) }),
});

/** For a drained instance that cannot be ended. */
export const unendedShortfall = (awsCode: string): Shortfall => ({ code: 'not-ended', awsCode });

/** For an instance that came to its end while its drain had yet to begin: EC2 took it before its time, or someone ended it. Undefined for any other. */
const earlyEndShortfall = ({ state, shortfall }: Swap): Shortfall | undefined =>
  shortfall === undefined && (state === 'waiting' || state === 'leaving') ? { code: 'ended-before-drain' } : shortfall;

/** A swap whose instance has come to its end, with what fell short by that. */
export const asGone = (swap: Swap, nowMs: number): Swap => {
  const shortfall = earlyEndShortfall(swap);
  return { ...swap, state: 'gone', goneAtMs: nowMs, ...(shortfall !== undefined && { shortfall }) };
};
