import { type Deadline, deadlineMarginMs, tighter } from './deadline.ts';
import type { DrainOrder } from './ports.ts';
import type { Swap } from './swap.ts';

/**
 * What a target group waits for connections unless it is told otherwise
 * (Elastic Load Balancing, edit target group attributes: `deregistration_delay.timeout_seconds`).
 */
const defaultDeregistrationDelayMs = 300_000;

/** What the start itself may take, before the deregistration delay runs: a cold function, a throttled call repeated, a describe that lags. */
const startSlackMs = 5_000;

/** What the start of a drain is budgeted against. All times in milliseconds. */
export type DrainBudget = {
  readonly nowMs: number;
  readonly deadlineMs?: number;
  /** Longest deregistration delay of the target groups that the instances are in; unknown: the load balancer's default. */
  readonly deregistrationDelayMs?: number;
  /** The policy's `drain.timeout`. */
  readonly timeoutMs: number;
};

/**
 * Latest time (epoch ms) at which a drain begins, whether replacements serve or not; never before `nowMs`.
 *
 * - No deadline: replacements are given the policy's drain time-out to come.
 * - The deregistration delay (or the time-out, if shorter) fits before the deadline: early enough that the last connection may take all of it, and
 *   the margin stays free. Until then the instance serves, however long its replacement takes.
 * - It does not fit: some connections are cut whenever the drain begins, so the time left is halved between replacements and connections.
 */
export const latestDrainStart = ({ nowMs, deadlineMs, deregistrationDelayMs = defaultDeregistrationDelayMs, timeoutMs }: DrainBudget): number => {
  if (deadlineMs === undefined) return nowMs + timeoutMs;
  const leftMs = Math.max(0, deadlineMs - deadlineMarginMs - nowMs);
  const neededMs = Math.min(deregistrationDelayMs, timeoutMs);
  const waitMs = neededMs <= leftMs ? Math.max(0, leftMs - neededMs - startSlackMs) : Math.floor(leftMs / 2);
  return nowMs + waitMs;
};

/** The deadline of one instance of a drain: a swap that learned of a tighter one than its order said is held to that. */
export const deadlineOf = (swap: Swap, order: DrainOrder): Deadline => tighter(swap.deadlineMs, order.deadlineMs);

/**
 * When the drain of one instance is over, connections open or not (epoch ms): the margin before its deadline, and at the latest the policy's
 * drain time-out after it began (or should have begun). The time-out does not hurry an interrupted instance: EC2 takes it at the deadline anyway.
 */
export const drainEndsByMs = (swap: Swap, order: DrainOrder, timeoutMs: number): number => {
  const begunAtMs = swap.drainStartedAtMs ?? order.awaitServingUntilMs ?? swap.drainOrderedAtMs ?? swap.claimedAtMs;
  const deadlineMs = deadlineOf(swap, order);
  if (deadlineMs === undefined) return begunAtMs + timeoutMs;
  const lastMs = deadlineMs - deadlineMarginMs;
  return swap.reason === 'interruption' ? lastMs : Math.min(begunAtMs + timeoutMs, lastMs);
};
