import type { Group } from '../../core/group.ts';
import { asgsFor } from '../../core/holders.ts';
import type { DrainProgress } from '../../core/ports.ts';
import type { Swap } from '../../core/swap.ts';
import { instancesById, isAlive, isStopped } from '../instances.ts';
import { targetGroupsOf } from './describe-members.ts';
import type { ProviderDeps } from './provider-deps.ts';
import { recentAsgs } from './recent-asgs.ts';
import { defaultDelayMs, describeDelays, describeHealth, type TargetState } from './target-groups.ts';

/** Deregistration delays change rarely: they are read once per function instance and target group for this long. */
const delaysKeptMs = 600_000;

/**
 * The connections of leaving instances. A target stays `draining` for the whole deregistration delay of its target
 * group, whether connections are left or not. So a drain waits for that delay, counted from its begin.
 */
export const createInspectDrain = (deps: ProviderDeps) => {
  const delays = new Map<string, { readonly delayMs: number; readonly readAtMs: number }>();

  const delaysOf = async (arns: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    const nowMs = deps.now();
    const stale = arns.filter((arn) => nowMs - (delays.get(arn)?.readAtMs ?? Number.NEGATIVE_INFINITY) > delaysKeptMs);
    for (const [arn, delayMs] of await describeDelays(deps, stale)) delays.set(arn, { delayMs, readAtMs: nowMs });
    return new Map(arns.map((arn) => [arn, delays.get(arn)?.delayMs ?? defaultDelayMs]));
  };

  return async (group: Group, swaps: readonly Swap[]): Promise<readonly DrainProgress[]> => {
    if (swaps.length === 0) return [];
    const ids = swaps.map(({ instance }) => instance);
    const [known, asgs] = await Promise.all([instancesById(deps.ec2, ids), recentAsgs(deps, asgsFor(group, swaps))]);
    const targetGroups = new Set([...targetGroupsOf(group, asgs), ...(group.formerTargetGroups ?? [])]);
    const health = await describeHealth(deps, [...targetGroups]);
    const mayHave = [...health].filter(([, targets]) => targets === 'unread' || ids.some((id) => targets.has(id)));
    const delayOf = await delaysOf(mayHave.map(([arn]) => arn));
    // The targets of a target group that could not be read are unknown. A target that was deregistered is gone when its
    // delay has run out, and not before.
    const stateIn = (arn: string, { instance, drainStartedAtMs = deps.now() }: Swap): TargetState | undefined => {
      const targets = health.get(arn);
      if (targets !== 'unread') return targets?.get(instance);
      return deps.now() < drainStartedAtMs + Math.max(1, delayOf.get(arn) ?? 0) ? 'draining' : undefined;
    };
    const heldIn = (swap: Swap) => [...health.keys()].filter((arn) => stateIn(arn, swap) !== undefined);

    return swaps.map((swap) => {
      const { instance, drainStartedAtMs } = swap;
      const found = known.get(instance);
      const gone = !isAlive(found) && !isStopped(found);
      const held = isAlive(found) ? heldIn(swap) : [];
      const waits = held
        .filter((arn) => stateIn(arn, swap) === 'draining')
        .map((arn) => (drainStartedAtMs ?? deps.now()) + (delayOf.get(arn) ?? 0));
      return {
        instance,
        gone,
        drained: held.length === 0,
        deregistrationDelayMs: Math.max(0, ...held.map((arn) => delayOf.get(arn) ?? 0)),
        ...(waits.length > 0 && { busyUntilMs: Math.max(...waits) }),
      };
    });
  };
};
