import { traitsOf } from '../removal/leave-reason.ts';
import type { LifecycleHook, Swap } from '../swap/swap.ts';
import { deadlineMarginMs, defaultDeregistrationDelayMs, startLeadMs } from '../times/times.ts';
import { heartbeatsDue, openHooks } from './heartbeat.ts';

/** The times that the start of a drain is computed from, in milliseconds. */
export type DrainBudget = {
  readonly nowMs: number;
  readonly deadlineMs: number;
  /**
   * The longest deregistration delay of the target groups that the instances are in. Unknown: the load balancer's
   * default is assumed.
   */
  readonly deregistrationDelayMs?: number | undefined;
  /** The policy's `drain.timeout`. */
  readonly timeoutMs: number;
  /** Time kept free for calls that follow the drain. Default: the margin. */
  readonly lastCallsMs?: number;
};

/** A step is taken at a whole second. One that is planned for later within a second would come after it. */
const wholeSecond = (atMs: number): number => Math.floor(atMs / 1_000) * 1_000;

/**
 * Latest time (epoch ms) at which a drain begins, whether replacements serve or not; never before `nowMs`.
 *
 * - The deregistration delay (or the time-out, if shorter) fits before the deadline: the drain begins early enough that
 *   the last connection may take all of it and the time for last calls stays free. Until then the instance serves,
 *   however long its replacement takes.
 * - It does not fit: some connections are cut whenever the drain begins, so half of the time up to the margin goes to
 *   replacements and half to connections.
 */
export const latestDrainStart = ({
  nowMs,
  deadlineMs,
  deregistrationDelayMs = defaultDeregistrationDelayMs,
  timeoutMs,
  lastCallsMs = deadlineMarginMs,
}: DrainBudget): number => {
  const leftMs = Math.max(0, deadlineMs - lastCallsMs - nowMs);
  const halvedMs = Math.max(0, deadlineMs - deadlineMarginMs - nowMs);
  const neededMs = Math.min(deregistrationDelayMs, timeoutMs);
  const waitMs = neededMs <= leftMs ? Math.max(0, leftMs - neededMs - startLeadMs) : Math.floor(halvedMs / 2);
  return Math.max(nowMs, wholeSecond(nowMs + waitMs));
};

/**
 * Time kept free between the end of a drain and the deadline. Where an Auto Scaling group holds the member, calls
 * follow the drain: a hook may have to be completed. EC2 ends every other member that it takes by itself.
 */
export const lastCallsMsOf = (swap: Swap): number =>
  traitsOf(swap).endedBy === 'ec2' && swap.asg === undefined && openHooks(swap).length === 0 ? 0 : deadlineMarginMs;

/** Whether its drain began after the deadline of its warning, so that EC2 did not take it in time. */
export const beganTooLate = ({
  drainStartedAtMs = Number.NEGATIVE_INFINITY,
  deadlineMs = Number.POSITIVE_INFINITY,
}: Swap): boolean => drainStartedAtMs >= deadlineMs;

/**
 * When the drain of one instance ends, whether connections are open or not (epoch ms). It ends when last calls have to
 * follow, and at the latest the policy's drain time-out after it began (or should have begun). The time-out does not
 * shorten the drain of an interrupted instance, because EC2 takes that one at its deadline anyway. A deadline that was
 * over when the drain began does not count: an instance that still runs was not taken, or was started again.
 */
export const drainEndsByMs = (swap: Swap, timeoutMs: number): number => {
  const begunAtMs = swap.drainStartedAtMs ?? swap.drainOrderedAtMs ?? swap.claimedAtMs;
  if (swap.deadlineMs === undefined || beganTooLate(swap)) return begunAtMs + timeoutMs;
  const lastMs = swap.deadlineMs - lastCallsMsOf(swap);
  return traitsOf(swap).endedBy === 'ec2' ? lastMs : Math.min(begunAtMs + timeoutMs, lastMs);
};

/** A look finds within this time after its deadline that a member has ended: the tick comes each minute. */
const foundEndedMs = 120_000;

/**
 * The hooks of a swap that need a heartbeat now. Connections may go on from the end of the drain until EC2 takes the
 * member, and no drain sends a heartbeat then. So the last look sends one, if the hook would expire before a look finds
 * the member ended.
 */
export const heartbeatsNow = (swap: Swap, nowMs: number, timeoutMs: number): readonly LifecycleHook[] => {
  const { deadlineMs = 0, state } = swap;
  const isLast =
    traitsOf(swap).endedBy === 'ec2' &&
    state === 'draining' &&
    nowMs < deadlineMs &&
    drainEndsByMs(swap, timeoutMs) <= nowMs;
  return isLast
    ? openHooks(swap).filter(({ expiresAtMs }) => expiresAtMs < deadlineMs + foundEndedMs)
    : heartbeatsDue(swap, nowMs);
};
