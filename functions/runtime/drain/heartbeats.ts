import { heartbeatsDue, prolonged } from '../../../core/drain/heartbeat.ts';
import type { Clock, LifecycleActions, StateStore } from '../../../core/ports.ts';
import type { LifecycleHook, Swap } from '../../../core/swap.ts';
import { onEach } from './on-each.ts';

/** Auto Scaling takes one heartbeat a call, and publishes no rate for them. */
const heartbeatsAtOnce = 8;

export type HeartbeatPorts = { readonly store: StateStore; readonly lifecycle: LifecycleActions; readonly clock: Clock };

const beat = async ({ store, lifecycle, clock }: HeartbeatPorts, swap: Swap, hook: LifecycleHook, drain: string): Promise<Swap> => {
  const sentAtMs = clock.now();
  if ((await lifecycle.heartbeat(swap)) === 'not-active') return swap;
  const kept = prolonged(hook, sentAtMs);
  await store.advance(swap, { from: ['leaving', 'draining', 'drained'], drain, set: { hook: kept } });
  return { ...swap, hook: kept };
};

/**
 * Sends the heartbeats that are due and returns the swaps as they stand afterwards. A crash between heartbeat and record only repeats the heartbeat.
 * An action that is no longer active is left as it is: its instance goes on by itself.
 */
export const keepHooksAlive = async (ports: HeartbeatPorts, swaps: readonly Swap[], drain: string): Promise<readonly Swap[]> => {
  const due = new Set(heartbeatsDue(swaps, ports.clock.now()));
  return onEach(swaps, heartbeatsAtOnce, async (swap) => (due.has(swap) && swap.hook ? beat(ports, swap, swap.hook, drain) : swap));
};
