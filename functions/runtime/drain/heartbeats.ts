import { unlessTroubled } from '../../../aws/unless-troubled.ts';
import { heartbeatsDue, prolonged } from '../../../core/drain/heartbeat.ts';
import type { Clock, LifecycleActions, StateStore } from '../../../core/ports.ts';
import type { LifecycleHook, Swap } from '../../../core/swap.ts';
import { onEach } from './on-each.ts';

/** Auto Scaling takes one heartbeat a call, and publishes no rate for them. */
const heartbeatsAtOnce = 8;

export type HeartbeatPorts = { readonly store: StateStore; readonly lifecycle: LifecycleActions; readonly clock: Clock };

const keyOf = ({ asg, hook }: LifecycleHook): string => `${asg}/${hook}`;

/** Looks up the time-outs that the events did not tell: one call for all hooks of an Auto Scaling group. */
const timeoutsOf = async (lifecycle: LifecycleActions, hooks: readonly LifecycleHook[]): Promise<ReadonlyMap<string, number>> => {
  const unknown = Map.groupBy(
    hooks.filter(({ timeoutMs }) => timeoutMs === undefined),
    ({ asg }) => asg,
  );
  const found = await onEach([...unknown], heartbeatsAtOnce, async ([asg, of]) => {
    const timeouts = await unlessTroubled(lifecycle.timeouts(asg, [...new Set(of.map(({ hook }) => hook))]));
    return [...(timeouts ?? [])].map(([hook, timeoutMs]) => [`${asg}/${hook}`, timeoutMs] as const);
  });
  return new Map(found.flat());
};

const beat = async ({ store, lifecycle, clock }: HeartbeatPorts, swap: Swap, hook: LifecycleHook, drain: string): Promise<Swap> => {
  const sentAtMs = clock.now();
  const sent = await unlessTroubled(lifecycle.heartbeat(swap));
  if (sent === undefined) return swap;
  const kept = sent === 'done' ? prolonged(hook, sentAtMs) : { ...hook, overAtMs: sentAtMs };
  await store.advance(swap, { from: ['leaving', 'draining', 'drained'], drain, set: { hook: kept } });
  return { ...swap, hook: kept };
};

/**
 * Sends the heartbeats that are due and returns the swaps as they stand afterwards. A crash between heartbeat and record only repeats the heartbeat.
 * An action that is no longer active is noted as over: its instance goes on by itself. What AWS could not do now stays due, and is tried again soon.
 */
export const keepHooksAlive = async (ports: HeartbeatPorts, swaps: readonly Swap[], drain: string): Promise<readonly Swap[]> => {
  const due = new Set(heartbeatsDue(swaps, ports.clock.now()));
  const timeouts = await timeoutsOf(
    ports.lifecycle,
    [...due].flatMap(({ hook }) => hook ?? []),
  );
  return onEach(swaps, heartbeatsAtOnce, async (swap) => {
    if (!due.has(swap) || swap.hook === undefined) return swap;
    const timeoutMs = swap.hook.timeoutMs ?? timeouts.get(keyOf(swap.hook));
    return beat(ports, swap, { ...swap.hook, ...(timeoutMs !== undefined && { timeoutMs }) }, drain);
  });
};
