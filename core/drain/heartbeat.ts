import type { LifecycleHook, Swap } from '../swap/swap.ts';
import { drainAgainAtMs } from '../times/again.ts';
import { shortestHookTimeoutMs } from '../times/times.ts';

const timeoutOf = (hook: LifecycleHook): number => hook.timeoutMs ?? shortestHookTimeoutMs;

/**
 * When a heartbeat is due (epoch ms): half of the hook's time-out before it expires, so that there is time to repeat
 * one that fails.
 */
export const heartbeatDueMs = (hook: LifecycleHook): number => hook.expiresAtMs - Math.floor(timeoutOf(hook) / 2);

/**
 * The hook after a heartbeat. Auto Scaling starts its time-out anew (RecordLifecycleActionHeartbeat). The end never
 * moves to an earlier time.
 */
export const prolonged = (hook: LifecycleHook, nowMs: number): LifecycleHook => ({
  ...hook,
  expiresAtMs: Math.max(hook.expiresAtMs, nowMs + timeoutOf(hook)),
});

/**
 * The hook with its time-out, once that was looked up. Auto Scaling waits as long from when it began to. A heartbeat
 * that was sent meanwhile may have moved the end further.
 */
export const withTimeout = (hook: LifecycleHook, timeoutMs: number | undefined): LifecycleHook =>
  hook.timeoutMs !== undefined || timeoutMs === undefined
    ? hook
    : { ...hook, timeoutMs, expiresAtMs: Math.max(hook.expiresAtMs, (hook.sinceMs ?? 0) + timeoutMs) };

/** The hooks that Auto Scaling still waits for. */
export const openHooks = ({ hooks = [] }: Pick<Swap, 'hooks'>): readonly LifecycleHook[] =>
  hooks.filter(({ overAtMs }) => overAtMs === undefined);

/** The hooks of a swap that need a heartbeat now. */
export const heartbeatsDue = (swap: Pick<Swap, 'hooks'>, nowMs: number): readonly LifecycleHook[] =>
  openHooks(swap).filter((hook) => heartbeatDueMs(hook) <= nowMs);

/**
 * When the next heartbeat is due (epoch ms). One that was due when heartbeats were sent has failed, and is repeated
 * soon. One that came due since is sent at once: a step may wait for seconds until AWS takes its reads.
 *
 * @param sentMs when this step began to send heartbeats
 */
export const nextHeartbeatMs = (swaps: readonly Swap[], nowMs: number, sentMs: number): number =>
  Math.min(
    Number.POSITIVE_INFINITY,
    ...swaps.flatMap(openHooks).map((hook) => {
      const dueMs = heartbeatDueMs(hook);
      return dueMs > sentMs ? dueMs : drainAgainAtMs(nowMs, { sinceMs: dueMs, endsByMs: hook.expiresAtMs });
    }),
  );

/**
 * A heartbeat this late means that its drain no longer runs. A running drain sends it in time, and repeats it for a
 * while if it fails.
 */
const lateMs = 30_000;

/**
 * Whether no drain keeps a hook of a draining instance alive: its drain was stopped, or failed. A drain that was just
 * ordered has the same time to send the first heartbeat.
 */
export const isUnattended = (swap: Swap, nowMs: number): boolean =>
  openHooks(swap).some((hook) => nowMs - Math.max(heartbeatDueMs(hook), swap.drainOrderedAtMs ?? 0) >= lateMs);

/** Whether an Auto Scaling group still waits for this instance on a hook. */
export const isOnHook = (swap: Swap): boolean => openHooks(swap).length > 0;
