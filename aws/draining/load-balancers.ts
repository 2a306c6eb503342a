import type { Group } from '../../core/group/group.ts';
import { asgsFor, namedTargetGroups } from '../../core/group/holders.ts';
import type { DrainTarget, TargetStanding } from '../../core/ports/drain-target.ts';
import { traitsOf } from '../../core/removal/leave-reason.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { defaultDeregistrationDelayMs } from '../../core/times/times.ts';
import type { Asg } from '../providers/auto-scaling-groups.ts';
import { targetGroupsOf } from '../providers/member-of.ts';
import type { ProviderDeps } from '../providers/provider-deps.ts';
import { recentAsgs } from '../providers/recent-asgs.ts';
import {
  deregisterTargets,
  describeDelays,
  describeHealth,
  registerTargets,
  type TargetState,
} from '../providers/target-groups.ts';
import type { MovesMembers } from './draining.ts';

const idsOf = (swaps: readonly Swap[]): readonly string[] => swaps.map(({ instance }) => instance);

/** Deregistration delays change rarely: they are read once per function instance and target group for this long. */
const delaysKeptMs = 600_000;

/**
 * Target groups of Elastic Load Balancing: those that the policy names are ours to deregister, and those of an Auto
 * Scaling group are that group's.
 */
export const loadBalancers: MovesMembers = (deps) => ({
  release: (group, swaps) => {
    const registered = [...namedTargetGroups(group), ...(group.formerTargetGroups ?? [])];
    return deregisterTargets(deps.elb, registered, idsOf(swaps));
  },
  putBack: (group, instances) => registerTargets(deps.elb, namedTargetGroups(group), instances),
});

/**
 * When a target group let a member go. Some may have done so before the drain took it out of the others. An Auto
 * Scaling group takes a member out of its own before a hook holds it, and the message about the hook may be late.
 */
const leftAtMs = (swap: Swap, arn: string, named: readonly string[], nowMs: number): number => {
  const { drainStartedAtMs = nowMs, warnedAtMs = drainStartedAtMs, leftTargetGroupsAtMs = {}, hooks = [] } = swap;
  const isLeftToAsg = traitsOf(swap).endedBy === 'auto-scaling' && !named.includes(arn);
  // A warning of EC2, before the hook or after it, changes `warnedAtMs`.
  const heldAtMs = (): number => Math.min(...hooks.map(({ sinceMs = warnedAtMs }) => sinceMs), drainStartedAtMs);
  return leftTargetGroupsAtMs[arn] ?? (isLeftToAsg ? heldAtMs() : drainStartedAtMs);
};

/**
 * What is known of a member that no target group shows, where its Auto Scaling group is gone: nothing, unless it was
 * seen to drain before. Whoever deletes an Auto Scaling group ends its members, which may have work, and EC2 may still
 * show them alive.
 */
const knownOf = (
  { drain: { asgTargetGroups = [] } }: Group,
  asgs: readonly Asg[],
  { asg, busyUntilMs }: Swap,
  seen: TargetStanding,
): TargetStanding => {
  const isAsgGone = asg !== undefined && !asgs.some(({ name }) => name === asg);
  const mayHaveWork = isAsgGone && asgTargetGroups.length > 0 && busyUntilMs === undefined;
  return mayHaveWork && !seen.isHeld ? { isHeld: true, isUnread: true } : seen;
};

/**
 * The states of leaving members in target groups. A target stays `draining` for the whole deregistration delay of its
 * target group, with or without connections. So a drain waits for that delay, from when it let go. If a delay cannot
 * be read, the delay at the acceptance of the policy counts. If that is unknown too, it is not recorded until when the
 * member is busy, and later steps read the delay again.
 */
export const standingsInTargetGroups = (deps: ProviderDeps): DrainTarget['standings'] => {
  const delays = new Map<string, { readonly delayMs: number; readonly readAtMs: number }>();

  const knownDelays = async (group: Group, arns: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    const nowMs = deps.now();
    const stale = arns.filter((arn) => nowMs - (delays.get(arn)?.readAtMs ?? Number.NEGATIVE_INFINITY) > delaysKeptMs);
    for (const [arn, delayMs] of await describeDelays(deps, stale)) delays.set(arn, { delayMs, readAtMs: nowMs });
    const looked = [...namedTargetGroups(group), ...(group.drain.asgTargetGroups ?? [])];
    const acceptedOf = (arn: string) => (looked.includes(arn) ? group.drain.deregistrationDelayMs : undefined);
    return new Map(
      arns.flatMap((arn) => {
        const delayMs = delays.get(arn)?.delayMs ?? acceptedOf(arn);
        return delayMs === undefined ? [] : [[arn, delayMs] as const];
      }),
    );
  };

  return async (group, swaps) => {
    const ids = idsOf(swaps);
    const asgs = await recentAsgs(deps, asgsFor(group, swaps));
    const targetGroups = new Set([...targetGroupsOf(group, asgs), ...(group.formerTargetGroups ?? [])]);
    const health = await describeHealth(deps, [...targetGroups]);
    const mayHave = [...health].filter(([, targets]) => targets === 'unread' || ids.some((id) => targets.has(id)));
    const mayWait = mayHave.map(([arn]) => arn);
    const known = await knownDelays(group, mayWait);
    const delayOf = (arn: string): number => known.get(arn) ?? defaultDeregistrationDelayMs;
    const registered = [...namedTargetGroups(group), ...(group.formerTargetGroups ?? [])];
    const leftAt = (swap: Swap, arn: string): number => leftAtMs(swap, arn, registered, deps.now());
    // The targets of an unread target group are unknown. A deregistered target counts as gone once its delay is over.
    const stateIn = (arn: string, swap: Swap): TargetState | undefined => {
      const targets = health.get(arn);
      if (targets !== 'unread') return targets?.get(swap.instance);
      return deps.now() < leftAt(swap, arn) + Math.max(1, delayOf(arn)) ? 'draining' : undefined;
    };
    const standingOf = (swap: Swap): TargetStanding => {
      const held = [...health.keys()].filter((arn) => stateIn(arn, swap) !== undefined);
      const waits = held.filter((arn) => stateIn(arn, swap) === 'draining');
      const isKnown = waits.length > 0 && waits.every((arn) => known.has(arn));
      const busy = waits
        .map((arn) => ({ busySinceMs: leftAt(swap, arn), busyUntilMs: leftAt(swap, arn) + delayOf(arn) }))
        .sort((a, b) => b.busyUntilMs - a.busyUntilMs);
      return {
        isHeld: held.length > 0,
        ...(held.length > 0 && held.every((arn) => health.get(arn) === 'unread') && { isUnread: true as const }),
        ...(held.every((arn) => known.has(arn)) && { delayMs: Math.max(0, ...held.map(delayOf)) }),
        ...(isKnown && busy[0]),
      };
    };
    return new Map(swaps.map((swap) => [swap.instance, knownOf(group, asgs, swap, standingOf(swap))]));
  };
};
