import { allSettled } from '../../../aws/calls/in-parallel.ts';
import { unlessTroubled } from '../../../aws/calls/unless-troubled.ts';
import { heartbeatsNow } from '../../../core/drain/drain.ts';
import { prolonged, withTimeout } from '../../../core/drain/heartbeat.ts';
import type { LifecycleActions } from '../../../core/ports/lifecycle-actions.ts';
import type { StateStore } from '../../../core/ports/state-store.ts';
import type { Clock } from '../../../core/ports/surroundings.ts';
import type { LifecycleHook, Swap } from '../../../core/swap/swap.ts';
import { onEach } from './on-each.ts';

/** Auto Scaling takes one heartbeat a call, and publishes no rate for them. */
const heartbeatsAtOnce = 8;

export type HeartbeatPorts = {
  readonly store: StateStore;
  readonly lifecycle: LifecycleActions;
  readonly clock: Clock;
};

const keyOf = ({ asg, hook }: LifecycleHook): string => `${asg}/${hook}`;

/** Looks up the time-outs that the events did not contain: one call for all hooks of an Auto Scaling group. */
const timeoutsOf = async (
  lifecycle: LifecycleActions,
  hooks: readonly LifecycleHook[],
): Promise<ReadonlyMap<string, number>> => {
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

/** The hook as it is after a heartbeat; unchanged when AWS could not take the heartbeat now. */
const beat = async (
  { lifecycle, clock }: HeartbeatPorts,
  instance: string,
  hook: LifecycleHook,
): Promise<LifecycleHook> => {
  const sentAtMs = clock.now();
  const sent = await unlessTroubled(lifecycle.heartbeat(instance, hook));
  if (sent === undefined) return hook;
  return sent === 'done' ? prolonged(hook, sentAtMs) : { ...hook, overAtMs: sentAtMs };
};

/**
 * Sends the heartbeats that are due and returns the swaps as they are afterwards. The time-outs of these hooks are
 * looked up before, and a heartbeat that is not due by then is not sent. A crash between heartbeat and record only
 * repeats the heartbeat. So does a hook that was added meanwhile, because the record does not overwrite it. An action
 * that is no longer active is recorded as over, because its instance continues without us. A heartbeat that AWS could
 * not take now stays due, and is repeated soon.
 *
 * @param timeoutMs the drain time-out of the policy
 */
export const keepHooksAlive = async (
  ports: HeartbeatPorts,
  swaps: readonly Swap[],
  drain: string,
  timeoutMs: number,
): Promise<readonly Swap[]> => {
  const nowMs = ports.clock.now();
  const timeouts = await timeoutsOf(
    ports.lifecycle,
    swaps.flatMap((swap) => heartbeatsNow(swap, nowMs, timeoutMs)),
  );
  const known = (hook: LifecycleHook): LifecycleHook => withTimeout(hook, timeouts.get(keyOf(hook)));
  return onEach(swaps, heartbeatsAtOnce, async (swap) => {
    const due = heartbeatsNow(swap, nowMs, timeoutMs);
    if (due.length === 0) return swap;
    const informed = { ...swap, hooks: (swap.hooks ?? []).map(known) };
    const sent = await allSettled(
      heartbeatsNow(informed, nowMs, timeoutMs).map(
        async (hook) => [hook, await beat(ports, swap.instance, hook)] as const,
      ),
    );
    const after = new Map(sent);
    const hooks = informed.hooks.map((hook) => after.get(hook) ?? hook);
    await ports.store.advance(swap, {
      from: ['leaving', 'draining', 'drained'],
      drain,
      hooksSeen: swap.hooks ?? [],
      set: { hooks },
    });
    return { ...swap, hooks };
  });
};
