import { traitsOf } from '../removal/leave-reason.ts';
import { outlivedForGoodMs } from '../swap/outlived.ts';
import type { CutBy, Shortfall } from '../swap/shortfall.ts';
import type { Swap } from '../swap/swap.ts';
import { beganTooLate, drainEndsByMs } from './drain.ts';
import type { OpenSwap } from './look.ts';

/** The shortfall of an instance whose time ran out before AWS showed whether its connections had closed. */
export const unseenShortfall: Shortfall = { code: 'not-seen' };

/** When open connections are cut, and what cuts them. */
type Cut = { readonly cutAtMs: number; readonly by: CutBy };

const cutOf = (swap: Swap, timeoutMs: number): Cut => {
  const endsByMs = drainEndsByMs(swap, timeoutMs);
  const { endedBy } = traitsOf(swap);
  // EC2 did not take it at its deadline. It is put back into service, and Holdfast ends it only where that fails.
  if (beganTooLate(swap) && endedBy === 'ec2')
    return { cutAtMs: Math.max(endsByMs, (swap.deadlineMs ?? 0) + outlivedForGoodMs), by: 'holdfast' };
  return { cutAtMs: endedBy === 'ec2' ? (swap.deadlineMs ?? endsByMs) : endsByMs, by: endedBy };
};

/**
 * Whether others ended an instance before its drain was over, although Holdfast was to. Holdfast terminates only what
 * is recorded as drained.
 */
const isEndedElsewhere = (swap: Swap): boolean =>
  traitsOf(swap).endedBy === 'holdfast' && swap.releaseAskedAtMs === undefined;

/** Whether its drain began after its deadline, and no look has shown whether EC2 had taken it. */
const mayHaveBeenTaken = (swap: Swap): boolean => beganTooLate(swap) && swap.isUnread === true;

/**
 * Whether EC2 had taken it when its drain began: the drain began after its deadline, and no look of it found an
 * instance with connections that had run all the time.
 */
const hadBeenTaken = (swap: Swap): boolean =>
  beganTooLate(swap) &&
  (swap.shortfall?.code === 'ended-before-drain' || (swap.busyUntilMs ?? 0) <= (swap.drainStartedAtMs ?? 0));

/**
 * The shortfall of an instance that ended before it was seen to be drained: EC2 took it early, or someone terminated
 * it with EC2. Where no target group could be read, it is unknown whether it had connections.
 */
const earlyEndShortfall = (swap: Swap, nowMs: number): Shortfall => {
  const { endedBy } = traitsOf(swap);
  const error = failedDrainOf(swap);
  if (error !== undefined) return { code: 'drain-broke', error };
  if (swap.state === 'draining' && swap.isUnread) return unseenShortfall;
  return (swap.state === 'draining' || swap.releaseAskedAtMs !== undefined) && !hadBeenTaken(swap)
    ? { code: 'still-draining', cutAtMs: nowMs, by: isEndedElsewhere(swap) ? 'ec2' : endedBy }
    : { code: 'ended-before-drain' };
};

/**
 * The shortfall that is known as soon as a drain begins: the deregistration delay does not fit, or EC2 had stopped the
 * instance before. The delay counts from when the target group let the instance go, perhaps before its drain began.
 * Undefined when it fits.
 */
export const foreseenShortfall = (
  { swap, busyUntilMs, busySinceMs, wasStopped }: OpenSwap,
  timeoutMs: number,
): Shortfall | undefined => {
  if (wasStopped) return earlyEndShortfall(swap, swap.deadlineMs ?? 0);
  const cut = cutOf(swap, timeoutMs);
  if (busyUntilMs === undefined || busyUntilMs <= cut.cutAtMs) return undefined;
  const sinceMs = busySinceMs ?? swap.drainStartedAtMs ?? cut.cutAtMs;
  return {
    code: 'delay-exceeds-deadline',
    delayMs: busyUntilMs - sinceMs,
    leftMs: Math.max(0, cut.cutAtMs - sinceMs),
    ...cut,
  };
};

/** Whether the stored shortfall stays. A foreseen one goes when the time or the author of the cut has changed. */
const stillStands = (noted: Shortfall | undefined, found: Shortfall): boolean => {
  if (noted === undefined) return false;
  if (noted.code !== 'delay-exceeds-deadline' || found.code !== 'delay-exceeds-deadline') return true;
  return noted.cutAtMs === found.cutAtMs && noted.by === found.by;
};

/** Whether only target groups that could not be read may have it, in this look and in all before. */
const isUnreadStill = ({ swap, busyUntilMs, isUnread }: OpenSwap): boolean => {
  const wasRead = swap.busyUntilMs !== undefined && !swap.isUnread;
  // Without a finding nothing is new.
  return isUnread ? !wasRead : busyUntilMs === undefined && swap.isUnread === true;
};

/** What a look found about a swap, where it is not stored yet. */
const unstored = (one: OpenSwap, timeoutMs: number): Pick<Swap, 'busyUntilMs' | 'isUnread' | 'shortfall'> => {
  const { swap, busyUntilMs } = one;
  const isUnread = isUnreadStill(one);
  // Of an assumed delay nobody knows whether it exceeds anything. The end of the drain says that nothing showed it.
  const shortfall = isUnread && !one.wasStopped ? undefined : foreseenShortfall(one, timeoutMs);
  return {
    ...(busyUntilMs !== undefined && busyUntilMs !== swap.busyUntilMs && { busyUntilMs }),
    ...(isUnread !== (swap.isUnread ?? false) && { isUnread }),
    ...(shortfall !== undefined && !stillStands(lastingShortfall(swap), shortfall) && { shortfall }),
  };
};

/**
 * Swaps with what a look found about them: until when they are busy, and the shortfall that is foreseen. Only swaps of
 * which something is not stored yet. A warning for a member that drains already changes when its connections are cut.
 */
export const foreseen = (open: readonly OpenSwap[], timeoutMs: number): readonly Swap[] =>
  open.flatMap((one) => {
    const found = unstored(one, timeoutMs);
    return Object.keys(found).length === 0 ? [] : [{ ...one.swap, ...found }];
  });

/** The shortfall of an instance that could not be taken out of service. */
export const unreleasedShortfall = (awsCode: string): Shortfall => ({ code: 'not-released', awsCode });

/**
 * The shortfall of an instance that serves on, because it could not be taken out of service yet.
 *
 * @param error of a drain of it that failed, if any
 */
export const unreleasedYet = (awsCode: string, error?: string): Shortfall => ({
  code: 'still-in-service',
  awsCode,
  ...(error !== undefined && { error }),
});

/** The error of a failed drain that may have taken the instance out of service. Undefined where no drain failed. */
export const failedDrainOf = ({ shortfall }: Pick<Swap, 'shortfall'>): string | undefined =>
  shortfall?.code === 'still-in-service' ? shortfall.error : undefined;

/** The shortfall, unless it is `still-in-service`: a later drain can make up for that one. */
export const lastingShortfall = ({ shortfall }: Pick<Swap, 'shortfall'>): Shortfall | undefined =>
  shortfall?.code === 'still-in-service' ? undefined : shortfall;

/** The shortfall of an instance whose drain ended before it had drained, when none was foreseen. */
export const unfinishedShortfall = (swap: Swap, timeoutMs: number): Shortfall => ({
  code: swap.state === 'leaving' ? 'not-released-in-time' : 'still-draining',
  ...cutOf(swap, timeoutMs),
});

/**
 * When the connections of an instance end by themselves, if nothing cuts them before. EC2 leaves an instance running
 * for a while after its drain has ended. Undefined when they may be cut.
 */
export const endsUncutAtMs = (swap: Swap, timeoutMs: number): number | undefined => {
  const { state, busyUntilMs = Number.POSITIVE_INFINITY } = swap;
  const isUncut = busyUntilMs <= cutOf(swap, timeoutMs).cutAtMs && !mayHaveBeenTaken(swap);
  return state === 'draining' && isUncut ? busyUntilMs : undefined;
};

/** The error of a state machine's Catch, in JSONata form. */
export type DrainError = { readonly Error: string; readonly Cause?: string };

const longestCause = 200;

/** The shortfall of an instance whose drain ended by an error. */
export const brokenShortfall = ({ Error: error, Cause: cause = '' }: DrainError): Shortfall => ({
  code: 'drain-broke',
  error,
  ...(cause !== '' && { cause: cause.slice(0, longestCause) }),
});

/** The shortfall of a drained instance that cannot be terminated, and until when it is kept. Absent: it is left. */
export const unendedShortfall = (awsCode: string, keptUntilMs?: number): Shortfall => ({
  code: 'not-ended',
  awsCode,
  ...(keptUntilMs !== undefined && { keptUntilMs }),
});

/**
 * Whether a shortfall did not happen, for an instance that is out of service without connections. Holdfast and Auto
 * Scaling cut connections only after the drain, so they had none to cut. A later warning may have left the cut to EC2.
 */
const isDisproved = (shortfall: Shortfall, swap: Swap, nowMs: number): boolean =>
  shortfall.code === 'not-released' ||
  shortfall.code === 'still-in-service' ||
  shortfall.code === 'needed' ||
  (shortfall.code === 'delay-exceeds-deadline' &&
    (shortfall.cutAtMs > nowMs || shortfall.by !== 'ec2' || traitsOf(swap).endedBy !== 'ec2'));

/** A swap whose target groups have finished with it: a shortfall that did not happen is removed. */
export const asDrainedInTime = (swap: Swap, nowMs: number): Swap => {
  const { shortfall, ...rest } = swap;
  const stands = shortfall !== undefined && !isDisproved(shortfall, swap, nowMs);
  return { ...rest, state: 'drained', drainedAtMs: swap.drainedAtMs ?? nowMs, ...(stands && { shortfall }) };
};

/**
 * Whether an instance was terminated through its Auto Scaling group, as requested, before EC2 took it: the group
 * deregisters and drains it first. An instance that the group took after the deadline was not taken by EC2.
 */
const wasLetGo = (swap: Swap, nowMs: number): boolean => {
  const { state, releaseAskedAtMs, deadlineMs = Number.POSITIVE_INFINITY } = swap;
  return releaseAskedAtMs !== undefined && (nowMs < deadlineMs || (state === 'draining' && beganTooLate(swap)));
};

/**
 * Whether the connections of a drained instance are not closed yet. A drain that ran out of time records the end of the
 * deregistration delay as the time of draining, although that is still to come. A later `drainedAtMs` that was seen and
 * not computed comes from a function whose clock is ahead, and is over.
 */
const closesLater = ({ drainedAtMs = 0, busyUntilMs }: Swap, nowMs: number): boolean =>
  drainedAtMs === busyUntilMs && drainedAtMs > nowMs;

/**
 * Whether connections of an instance go on after its drain, until EC2 takes it. Completing its hooks before would cut
 * them.
 */
export const worksUntilTaken = (swap: Swap, nowMs: number): boolean =>
  traitsOf(swap).endedBy === 'ec2' && (swap.shortfall !== undefined || closesLater(swap, nowMs));

/**
 * Whether a cut was foreseen that nobody made: the instance ended before, by others than Holdfast, or after a warning
 * of EC2 that no look has noted since.
 */
const isOvertaken = (swap: Swap, nowMs: number): boolean =>
  swap.shortfall?.code === 'delay-exceeds-deadline' &&
  swap.shortfall.by !== 'ec2' &&
  (swap.shortfall.cutAtMs > nowMs || traitsOf(swap).endedBy === 'ec2' || isEndedElsewhere(swap));

/**
 * Closes the drain of an instance that no longer works, for any reason. Returns the swap as drained if the drain was
 * over before, otherwise with a shortfall.
 */
const cutShort = (swap: Swap, nowMs: number): Swap => {
  if (wasLetGo(swap, nowMs)) return asDrainedInTime(swap, nowMs);
  const { state, busyUntilMs = Number.POSITIVE_INFINITY } = swap;
  if (state === 'draining' && busyUntilMs <= nowMs && !hadBeenTaken(swap) && !mayHaveBeenTaken(swap))
    return asDrainedInTime({ ...swap, drainedAtMs: busyUntilMs }, nowMs);
  const noted = isOvertaken(swap, nowMs) ? undefined : lastingShortfall(swap);
  return { ...swap, shortfall: noted ?? earlyEndShortfall(swap, nowMs) };
};

/** A swap whose instance has ended. */
export const asGone = (swap: Swap, nowMs: number): Swap => {
  const end = { state: 'gone', goneAtMs: nowMs } as const;
  const { endedBy } = traitsOf(swap);
  // EC2 took it before its last connections could close. Others end it only after its drain, perhaps by another clock.
  if (swap.state === 'drained' && endedBy === 'ec2' && closesLater(swap, nowMs)) {
    const { drainedAtMs: _, ...rest } = swap;
    if (wasLetGo(swap, nowMs)) return { ...rest, ...end, drainedAtMs: nowMs };
    return { ...rest, ...end, shortfall: { code: 'still-draining', cutAtMs: nowMs, by: endedBy } };
  }
  if (swap.state === 'drained' || swap.state === 'gone') return { ...swap, ...end };
  return { ...cutShort(swap, nowMs), ...end };
};

/** A swap whose drain is over because its instance was stopped. It may start again, or is ended later. */
export const asStopped = (swap: Swap, nowMs: number): Swap => ({ ...cutShort(swap, nowMs), state: 'drained' });
