import { drainEndsByMs } from '../drain.ts';
import type { CutBy, Shortfall } from '../shortfall.ts';
import type { LeaveReason, Swap } from '../swap.ts';
import type { OpenSwap } from './look.ts';

/** When connections that are still open are cut, and by whom. */
type Cut = { readonly cutAtMs: number; readonly by: CutBy };

const cutters: Readonly<Record<LeaveReason, CutBy>> = {
  interruption: 'ec2',
  hook: 'auto-scaling',
  rebalance: 'holdfast',
  'scale-in': 'holdfast',
  moved: 'holdfast',
  unwanted: 'holdfast',
};

const cutOf = (swap: Swap, timeoutMs: number): Cut => {
  const endsByMs = drainEndsByMs(swap, timeoutMs);
  return {
    cutAtMs: swap.reason === 'interruption' ? (swap.deadlineMs ?? endsByMs) : endsByMs,
    by: cutters[swap.reason],
  };
};

/** Known as soon as a drain begins that cannot be waited for; undefined when the deregistration delay ends in time. */
export const foreseenShortfall = ({ swap, busyUntilMs }: OpenSwap, timeoutMs: number): Shortfall | undefined => {
  const cut = cutOf(swap, timeoutMs);
  if (busyUntilMs === undefined || busyUntilMs <= cut.cutAtMs) return undefined;
  const sinceMs = swap.drainStartedAtMs ?? cut.cutAtMs;
  return {
    code: 'delay-exceeds-deadline',
    delayMs: busyUntilMs - sinceMs,
    leftMs: Math.max(0, cut.cutAtMs - sinceMs),
    ...cut,
  };
};

/**
 * Whether what was noted stands: another shortfall does, and what was foreseen while nothing has changed since about
 * when and by whom connections are cut.
 */
const stillStands = (noted: Shortfall | undefined, found: Shortfall): boolean => {
  if (noted === undefined) return false;
  if (noted.code !== 'delay-exceeds-deadline' || found.code !== 'delay-exceeds-deadline') return true;
  return noted.cutAtMs === found.cutAtMs && noted.by === found.by;
};

/**
 * Swaps with what is foreseen of them, where it is not noted yet: a warning that comes to a member that drains already
 * brings another end.
 */
export const foreseen = (open: readonly OpenSwap[], timeoutMs: number): readonly Swap[] =>
  open.flatMap((one) => {
    const shortfall = foreseenShortfall(one, timeoutMs);
    return shortfall === undefined || stillStands(one.swap.shortfall, shortfall) ? [] : [{ ...one.swap, shortfall }];
  });

/** For an instance that could not be taken out of service. */
export const unreleasedShortfall = (awsCode: string): Shortfall => ({ code: 'not-released', awsCode });

/** For an instance whose drain ended before it had drained and that nothing was foreseen about. */
export const unfinishedShortfall = (swap: Swap, timeoutMs: number): Shortfall => ({
  code: swap.state === 'leaving' ? 'not-released-in-time' : 'still-draining',
  ...cutOf(swap, timeoutMs),
});

/** For an instance whose time was up, and of which AWS did not say in time whether its connections had closed. */
export const unseenShortfall: Shortfall = { code: 'not-seen' };

/** Error of a state machine's Catch, in JSONata form. */
export type DrainError = { readonly Error: string; readonly Cause?: string };

const longestCause = 200;

/** For an instance whose drain broke off by an error. */
export const brokenShortfall = ({ Error: error, Cause: cause = '' }: DrainError): Shortfall => ({
  code: 'drain-broke',
  error,
  ...(cause !== '' && { cause: cause.slice(0, longestCause) }),
});

/** For a drained instance that cannot be ended, and is kept until this time. */
export const unendedShortfall = (awsCode: string, keptUntilMs: number): Shortfall => ({
  code: 'not-ended',
  awsCode,
  keptUntilMs,
});

/** A swap whose target groups were seen to be done with it: what was foreseen for later did not come to pass. */
export const asDrainedInTime = (swap: Swap, nowMs: number): Swap => {
  const { shortfall, ...rest } = swap;
  const stands = shortfall !== undefined && (shortfall.code !== 'delay-exceeds-deadline' || shortfall.cutAtMs <= nowMs);
  return { ...rest, state: 'drained', drainedAtMs: swap.drainedAtMs ?? nowMs, ...(stands && { shortfall }) };
};

/**
 * Whether its Auto Scaling group has let an instance go, as it was asked to, before EC2 took it: the group deregisters
 * and drains first.
 */
const wasLetGo = ({ releaseAskedAtMs, deadlineMs = Number.POSITIVE_INFINITY }: Swap, nowMs: number): boolean =>
  releaseAskedAtMs !== undefined && nowMs < deadlineMs;

/**
 * What fell short for an instance that came to its end before it was seen to be drained: EC2 took it before its time,
 * or someone ended it.
 */
const earlyEndShortfall = ({ state, reason, releaseAskedAtMs }: Swap, nowMs: number): Shortfall =>
  state === 'draining' || releaseAskedAtMs !== undefined
    ? { code: 'still-draining', cutAtMs: nowMs, by: cutters[reason] }
    : { code: 'ended-before-drain' };

/** A swap whose instance has come to its end, with when it had drained before that, or else what fell short. */
export const asGone = (swap: Swap, nowMs: number): Swap => {
  const end = { state: 'gone', goneAtMs: nowMs } as const;
  if (swap.state === 'drained' || swap.state === 'gone') return { ...swap, ...end };
  if (wasLetGo(swap, nowMs)) return { ...asDrainedInTime(swap, nowMs), ...end };
  if (swap.state === 'draining' && swap.busyUntilMs !== undefined && swap.busyUntilMs <= nowMs)
    return { ...swap, ...end, drainedAtMs: swap.busyUntilMs };
  return { ...swap, ...end, shortfall: swap.shortfall ?? earlyEndShortfall(swap, nowMs) };
};
