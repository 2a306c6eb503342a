import type { DrainProgress } from '../ports/drain-target.ts';
import type { Swap } from '../swap/swap.ts';
import { drainEndsByMs } from './drain.ts';
import { nextHeartbeatMs } from './heartbeat.ts';
import { growingStepMs } from './steps.ts';

/** A swap whose instance may still have connections, and the latest time at which they end. */
export type OpenSwap = {
  readonly swap: Swap;
  readonly busyUntilMs?: number;
  /** Since when it is out of service where its connections may last that long. */
  readonly busySinceMs?: number;
  /** No target that could be read has it, or this look found nothing about it. */
  readonly isUnread?: true;
  /** EC2 stopped it at its deadline, and it was started again. */
  readonly wasStopped?: true;
};

/** What a look at a batch found. Every swap is in exactly one list. */
export type Sorted = {
  readonly open: readonly OpenSwap[];
  readonly drained: readonly Swap[];
  /** Their instances were stopped, which ended the connections that were still open. */
  readonly stopped: readonly Swap[];
  readonly gone: readonly Swap[];
};

const knownOf = (seen: DrainProgress | undefined): Omit<OpenSwap, 'swap'> =>
  seen === undefined
    ? { isUnread: true }
    : {
        ...(seen.busyUntilMs !== undefined && { busyUntilMs: seen.busyUntilMs }),
        ...(seen.busySinceMs !== undefined && { busySinceMs: seen.busySinceMs }),
        ...(seen.isUnread && { isUnread: true }),
        ...(seen.stopped && { wasStopped: true }),
      };

/**
 * Sorts the swaps of a batch by the findings about them. A swap without a finding is still open, because missing data
 * proves nothing.
 */
export const sortByProgress = (swaps: readonly Swap[], progress: readonly DrainProgress[]): Sorted => {
  const byInstance = new Map(progress.map((seen) => [seen.instance, seen]));
  const sorted = { open: [] as OpenSwap[], drained: [] as Swap[], stopped: [] as Swap[], gone: [] as Swap[] };
  for (const swap of swaps) {
    const seen = byInstance.get(swap.instance);
    if (seen?.gone) sorted.gone.push(swap);
    else if (seen?.stopped && seen.drained && swap.state !== 'drained') sorted.stopped.push(swap);
    else if (seen?.drained || swap.state === 'drained') sorted.drained.push(swap);
    else sorted.open.push({ swap, ...knownOf(seen) });
  }
  return sorted;
};

/** A target group goes on showing a target as draining for a moment after its delay has ended. */
const settleMs = 1_000;

const lookForOne = ({ swap, busyUntilMs }: OpenSwap, nowMs: number): number => {
  const settledMs = (busyUntilMs ?? Number.NEGATIVE_INFINITY) + settleMs;
  if (settledMs > nowMs) return settledMs;
  return nowMs + growingStepMs(nowMs - (busyUntilMs ?? swap.drainStartedAtMs ?? nowMs));
};

/** `alive`: whose hooks this step kept alive. `sentMs`: when it began to send their heartbeats, epoch milliseconds. */
export type LookAt = Readonly<Record<'timeoutMs' | 'nowMs' | 'sentMs', number>> & { readonly alive: readonly Swap[] };

/** The next step of a drain that has begun. `lookAtMs`: heartbeats alone are due before that. */
export type NextLook = { readonly atMs: number; readonly lookAtMs?: number };

/** When a batch is called again: at its next look, or before if its hooks need a heartbeat. */
const withHeartbeats = (lookAtMs: number, { alive, nowMs, sentMs }: Omit<LookAt, 'timeoutMs'>): NextLook => {
  const heartbeatMs = nextHeartbeatMs(alive, nowMs, sentMs);
  return heartbeatMs < lookAtMs ? { atMs: heartbeatMs, lookAtMs } : { atMs: lookAtMs };
};

/**
 * When to look at a batch again (epoch ms). Undefined when its drain is over: nothing is open, or the time of
 * everything open has run out. The swap that ends last decides, because nothing is done for the batch before that,
 * except heartbeats for instances in `alive` that wait on a hook.
 */
export const nextDrainLook = (open: readonly OpenSwap[], look: LookAt): NextLook | undefined => {
  const { timeoutMs, nowMs } = look;
  const inTime = open.filter(({ swap }) => drainEndsByMs(swap, timeoutMs) > nowMs);
  if (inTime.length === 0) return undefined;
  const looks = inTime.map((one) => Math.min(lookForOne(one, nowMs), drainEndsByMs(one.swap, timeoutMs)));
  return withHeartbeats(Math.max(...looks), look);
};

/**
 * The next step of a batch whose look is not due yet, because only heartbeats were. Since the look was planned, a
 * warning may have brought its end nearer.
 */
export const stillWaiting = (own: readonly Swap[], plannedMs: number, look: LookAt): NextLook =>
  withHeartbeats(Math.min(plannedMs, Math.max(...own.map((swap) => drainEndsByMs(swap, look.timeoutMs)))), look);
