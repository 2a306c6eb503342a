import { deadlineMarginMs } from './deadline.ts';
import type { Swap } from './swap.ts';

/**
 * What a target group waits for connections unless it is told otherwise (Elastic Load Balancing, edit target group
 * attributes: `deregistration_delay.timeout_seconds`).
 */
const defaultDeregistrationDelayMs = 300_000;

/**
 * What the start itself may take, before the deregistration delay runs: a cold function, a throttled call repeated, a
 * describe that lags.
 */
const startSlackMs = 5_000;

/** What the start of a drain is budgeted against. All times in milliseconds. */
export type DrainBudget = {
  readonly nowMs: number;
  readonly deadlineMs: number;
  /**
   * Longest deregistration delay of the target groups that the instances are in; unknown: the load balancer's default.
   */
  readonly deregistrationDelayMs?: number;
  /** The policy's `drain.timeout`. */
  readonly timeoutMs: number;
};

/**
 * Latest time (epoch ms) at which a drain begins, whether replacements serve or not; never before `nowMs`.
 *
 * - The deregistration delay (or the time-out, if shorter) fits before the deadline: early enough that the last
 *   connection may take all of it, and
 *   the margin stays free. Until then the instance serves, however long its replacement takes.
 * - It does not fit: some connections are cut whenever the drain begins, so the time left is halved between
 *   replacements and connections.
 */
export const latestDrainStart = ({
  nowMs,
  deadlineMs,
  deregistrationDelayMs = defaultDeregistrationDelayMs,
  timeoutMs,
}: DrainBudget): number => {
  const leftMs = Math.max(0, deadlineMs - deadlineMarginMs - nowMs);
  const neededMs = Math.min(deregistrationDelayMs, timeoutMs);
  const waitMs = neededMs <= leftMs ? Math.max(0, leftMs - neededMs - startSlackMs) : Math.floor(leftMs / 2);
  return nowMs + waitMs;
};

/**
 * When the drain of one instance is over, connections open or not (epoch ms): the margin before its deadline, and at
 * the latest the policy's drain time-out after it began (or should have begun). The time-out does not hurry an
 * interrupted instance: EC2 takes it at the deadline anyway.
 */
export const drainEndsByMs = (swap: Swap, timeoutMs: number): number => {
  const begunAtMs = swap.drainStartedAtMs ?? swap.drainOrderedAtMs ?? swap.claimedAtMs;
  if (swap.deadlineMs === undefined) return begunAtMs + timeoutMs;
  const lastMs = swap.deadlineMs - deadlineMarginMs;
  return swap.reason === 'interruption' ? lastMs : Math.min(begunAtMs + timeoutMs, lastMs);
};
