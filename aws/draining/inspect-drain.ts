import { beganTooLate } from '../../core/drain/drain.ts';
import type { DrainTargetName } from '../../core/drain/targets.ts';
import { asgsFor } from '../../core/group/holders.ts';
import type { CapacityProvider } from '../../core/ports/capacity-provider.ts';
import type { DrainProgress, DrainTarget, TargetStanding } from '../../core/ports/drain-target.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { describeLagMs } from '../../core/times/times.ts';
import type { Instance } from '../calls/ec2-shapes.ts';
import { allSettled } from '../calls/in-parallel.ts';
import { unlessTroubled } from '../calls/unless-troubled.ts';
import { instancesById, isAlive, isStopped } from '../instances.ts';
import type { ProviderDeps } from '../providers/provider-deps.ts';
import { wereThrottled } from '../providers/recent-asgs.ts';
import { standingsInTargetGroups } from './load-balancers.ts';

/**
 * The states of leaving members in each target. A member is never busy because of its Auto Scaling group: the
 * heartbeats of the drain keep its hook alive, and the end of the drain completes the hook.
 */
const standings: Readonly<Record<DrainTargetName, (deps: ProviderDeps) => DrainTarget['standings']>> = {
  'load-balancers': standingsInTargetGroups,
  'auto-scaling': () => async () => new Map(),
};

const notHeld: TargetStanding = { isHeld: false, delayMs: 0 };

/** Whether it is stopped, or was stopped at its deadline and started again, which gives it a later launch time. */
const wasStopped = ({ deadlineMs = Number.POSITIVE_INFINITY }: Swap, found: Instance | undefined): boolean =>
  isStopped(found) || (isAlive(found) && (found?.LaunchTime?.getTime() ?? 0) > deadlineMs);

/** Combines the states of one living member in several targets. */
const progressIn = ({ instance }: Swap, standings: readonly TargetStanding[]): DrainProgress => {
  const waits = standings.flatMap(({ busyUntilMs, busySinceMs }) =>
    busyUntilMs === undefined || busySinceMs === undefined ? [] : [{ busyUntilMs, busySinceMs }],
  );
  const delays = standings.flatMap(({ delayMs }) => delayMs ?? []);
  const held = standings.filter(({ isHeld }) => isHeld);
  return {
    instance,
    gone: false,
    drained: held.length === 0,
    ...(held.length > 0 && held.every(({ isUnread }) => isUnread) && { isUnread: true as const }),
    ...(delays.length === standings.length && { deregistrationDelayMs: Math.max(0, ...delays) }),
    ...waits.sort((a, b) => b.busyUntilMs - a.busyUntilMs)[0],
  };
};

const progressOf = (swap: Swap, found: Instance | undefined, standings: readonly TargetStanding[]): DrainProgress => ({
  ...progressIn(swap, standings),
  gone: !isAlive(found) && !isStopped(found),
  ...(wasStopped(swap, found) && { stopped: true }),
});

/** EC2 may show a new instance late. It shows one that has ended for about an hour. */
const mayBeUnshown = ({ launchedAtMs = 0 }: Swap, found: Instance | undefined, nowMs: number): boolean =>
  found === undefined && nowMs - launchedAtMs < describeLagMs;

/**
 * What targets alone show of a member, where EC2 could not be read or does not show it yet: one that a target still
 * holds has work. Without a target, it is unknown whether the member has drained or ended. Where its drain began after
 * its deadline, EC2 may have taken it before, and a target does not show that.
 */
const heldProgress = (swap: Swap, standings: readonly TargetStanding[]): readonly DrainProgress[] =>
  standings.some(({ isHeld }) => isHeld)
    ? [{ ...progressIn(swap, standings), ...(beganTooLate(swap) && { isUnread: true }) }]
    : [];

/**
 * Looks at leaving members in all targets together. A member of which too little could be read is missing. Only drains
 * look, so that no other bundle has this code.
 */
export const createInspectDrain = (deps: ProviderDeps): CapacityProvider['inspectDrain'] => {
  const all = Object.values(standings).map((inTarget) => inTarget(deps));
  return async (group, swaps) => {
    if (swaps.length === 0) return [];
    const ids = swaps.map(({ instance }) => instance);
    const standing = all.map((inTarget) => inTarget(group, swaps));
    const read = () => unlessTroubled(instancesById(deps.ec2, ids));
    // Where Auto Scaling throttled the last step, nothing else would be used if it does so again.
    const isDoubtful = wereThrottled(deps, asgsFor(group, swaps));
    const instances = isDoubtful ? allSettled(standing).then(read) : read();
    const [known, ...stands] = await allSettled([instances, ...standing]);
    const standingsOf = ({ instance }: Swap): readonly TargetStanding[] =>
      stands.map((standing) => standing.get(instance) ?? notHeld);
    return swaps.flatMap((swap) => {
      const found = known?.get(swap.instance);
      if (known === undefined || mayBeUnshown(swap, found, deps.now())) return heldProgress(swap, standingsOf(swap));
      return [progressOf(swap, found, isAlive(found) ? standingsOf(swap) : [])];
    });
  };
};
