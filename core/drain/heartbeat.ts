import type { LifecycleHook, Swap } from '../swap.ts';

/** The shortest time-out that a lifecycle hook can have (Auto Scaling API, PutLifecycleHook: `HeartbeatTimeout` 30 to 7200 s). */
const shortestHookTimeoutMs = 30_000;

const timeoutOf = (hook: LifecycleHook): number => hook.timeoutMs ?? shortestHookTimeoutMs;

/** When a heartbeat is due (epoch ms): half of the hook's time-out before it expires, so that one that fails can be repeated. */
export const heartbeatDueMs = (hook: LifecycleHook): number => hook.expiresAtMs - Math.floor(timeoutOf(hook) / 2);

/** The hook after a heartbeat: Auto Scaling starts its time-out anew (RecordLifecycleActionHeartbeat). Never earlier than it was. */
export const prolonged = (hook: LifecycleHook, nowMs: number): LifecycleHook => ({
  ...hook,
  expiresAtMs: Math.max(hook.expiresAtMs, nowMs + timeoutOf(hook)),
});

/** Swaps whose hook needs a heartbeat now. */
export const heartbeatsDue = (swaps: readonly Swap[], nowMs: number): readonly Swap[] =>
  swaps.filter(({ hook }) => hook !== undefined && heartbeatDueMs(hook) <= nowMs);

/** The next heartbeat to come. One that is overdue was just tried: it is tried again at the next look, and does not hasten it. */
export const nextHeartbeatMs = (swaps: readonly Swap[], nowMs: number): number =>
  Math.min(Number.POSITIVE_INFINITY, ...swaps.flatMap(({ hook }) => (hook ? [heartbeatDueMs(hook)] : [])).filter((dueMs) => dueMs > nowMs));
