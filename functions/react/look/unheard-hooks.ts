import { isFromAws } from '../../../aws/calls/errors.ts';
import { allSettled, inParallel } from '../../../aws/calls/in-parallel.ts';
import { unlessTroubled } from '../../../aws/calls/unless-troubled.ts';
import { metrics } from '../../../core/contract.ts';
import type { TerminatingHook } from '../../../core/ports/lifecycle-actions.ts';
import type { LeavingFact } from '../../../core/swap/claim.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { tickEveryMs } from '../../../core/times/times.ts';
import type { Facts } from '../messages/facts.ts';
import type { ReactPorts } from '../ports.ts';
import type { Run } from '../run.ts';
import type { Gathered } from './gather.ts';

const asgsAtOnce = 3;

/** For this time after the first message, each tick looks for further hooks. */
const secondHookMs = 2 * tickEveryMs;

/** When the first message about a hook of a swap came (epoch ms). The swap may be much older. */
const firstMessageMs = ({ claimedAtMs, hooks = [] }: Swap): number =>
  Math.max(claimedAtMs, Math.min(...hooks.map(({ sinceMs = claimedAtMs }) => sinceMs)));

/**
 * Whether no further hook of a swap is looked for. An instance may wait on several hooks, and the message of one may be
 * lost. So a describe looks for further hooks soon after the first message, and when the drain is over.
 */
const knowsHooks = (swap: Swap, nowMs: number): boolean =>
  swap.state !== 'drained' && swap.state !== 'gone' && nowMs - firstMessageMs(swap) >= secondHookMs;

/** Whether Holdfast had an instance ended a moment ago, so that the first message about a hook is on its way. */
const isFresh = ({ hooks = [], releaseAskedAtMs = 0 }: Swap, nowMs: number): boolean =>
  hooks.length === 0 && nowMs - releaseAskedAtMs < tickEveryMs;

/**
 * Instances that a hook holds and that no drain completes, by Auto Scaling group: no message about it has come, or the
 * instance has ended since, and the function that received the message died or handed its group over.
 */
const unheardIn = ({ holdings: { waiting = {} }, swaps }: Gathered, { leaving }: Facts, nowMs: number) => {
  const known = [
    ...swaps.flatMap((swap) =>
      knowsHooks(swap, nowMs) ? (swap.hooks ?? []).map(({ asg }) => `${swap.instance} ${asg}`) : [],
    ),
    ...leaving.flatMap(({ instance, hook }) => (hook === undefined ? [] : [`${instance} ${hook.asg}`])),
  ];
  const heard = new Set(known);
  const fresh = new Set(swaps.flatMap((swap) => (isFresh(swap, nowMs) ? [swap.instance] : [])));
  const unheard = Object.entries(waiting).filter(
    ([instance, asg]) => !heard.has(`${instance} ${asg}`) && !fresh.has(instance),
  );
  return Map.groupBy(unheard, ([, asg]) => asg);
};

/** The hooks of open swaps. */
const namesIn = (swaps: readonly Swap[]): ReadonlySet<string> =>
  new Set(
    swaps
      .filter(({ state }) => state !== 'gone')
      .flatMap(({ instance, hooks = [] }) => hooks.map(({ asg, hook }) => `${instance} ${asg} ${hook}`)),
  );

type Ports = Pick<ReactPorts, 'store' | 'lifecycle' | 'owners' | 'clock' | 'telemetry'>;

/**
 * The hooks of open swaps of this group, and of those that held its Auto Scaling groups before. The drains of those go
 * on after the policy was renamed, and complete their hooks.
 */
const knownTo = async ({ group: { after = [] }, swaps }: Gathered, { store }: Ports): Promise<ReadonlySet<string>> => {
  const before = await allSettled(after.map((name) => store.swaps(name)));
  return namesIn([...swaps, ...before.flat()]);
};

/** The terminating hooks of a group. A read that AWS denies is reported, and holds up nothing else of the look. */
const hooksOf = async (asg: string, { lifecycle, telemetry }: Ports): Promise<readonly TerminatingHook[]> => {
  try {
    return (await unlessTroubled(lifecycle.terminating(asg))) ?? [];
  } catch (error) {
    if (!isFromAws(error)) throw error;
    telemetry.count(metrics.actionsFailed);
    telemetry.logger.error('The hooks of an Auto Scaling group could not be read.', { asg, error });
    return [];
  }
};

/**
 * Hooks whose messages were lost, as if their messages came now. Only the tick looks for them, because a message needs
 * a moment. Since when a hook waits is unknown, so its first heartbeat is due at once. A read that AWS cannot carry out
 * now is left to the next tick.
 */
export const unheardHooks = async (facts: Facts, gathered: Gathered, ports: Ports): Promise<readonly LeavingFact[]> => {
  const { owners, clock } = ports;
  const unheard = facts.isTick
    ? unheardIn(gathered, facts, clock.now())
    : new Map<string, readonly [string, string][]>();
  if (unheard.size === 0) return [];
  const hooks = new Map(
    await inParallel([...unheard.keys()], asgsAtOnce, async (asg) => [asg, await hooksOf(asg, ports)] as const),
  );
  const known = await knownTo(gathered, ports);
  const found = [...unheard].flatMap(([asg, held]) =>
    held.flatMap(([instance]) =>
      (hooks.get(asg) ?? [])
        .filter(({ hook }) => !known.has(`${instance} ${asg} ${hook}`))
        .map((hook) => ({ instance, hook: { asg, ...hook } })),
    ),
  );
  if (found.length === 0) return [];
  const owned = await unlessTroubled(owners.ownersOf([...new Set(found.map(({ instance }) => instance))]));
  if (owned === undefined) return [];
  const nowMs = clock.now();
  return found.map(({ instance, hook }) => {
    const owner = owned.get(instance);
    return {
      instance,
      reason: 'hook',
      atMs: nowMs,
      hook: { ...hook, sinceMs: nowMs, expiresAtMs: nowMs },
      ...(owner !== undefined && { owner }),
    };
  });
};

/** The run with the hooks whose messages were lost. */
export const withUnheard = async (run: Run, found: Gathered): Promise<Run> => {
  const unheard = await unheardHooks(run.facts, found, run.ports);
  return unheard.length === 0 ? run : { ...run, facts: { ...run.facts, leaving: [...run.facts.leaving, ...unheard] } };
};
