import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import type { Group } from '../../core/group/group.ts';
import { asgsFor } from '../../core/group/holders.ts';
import type { ActionResult } from '../../core/ports/capacity-provider.ts';
import { wasJustAsked } from '../../core/swap/asked-to-end.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { describeLagMs } from '../../core/times/times.ts';
import { chunks } from '../calls/chunks.ts';
import type { Instance } from '../calls/ec2-shapes.ts';
import { instancesNamedIn, notOurs } from '../calls/errors.ts';
import { allSettled, inParallel } from '../calls/in-parallel.ts';
import { createDraining } from '../draining/draining.ts';
import { asgTag, groupOf, instancesById, isAlive, isStopped, tagOf } from '../instances.ts';
import { actOn, ordinaryVerdict, together, type Verdict } from './act-on.ts';
import { type Asg, describeAsgs, standingsIn } from './auto-scaling-groups.ts';
import type { ProviderDeps } from './provider-deps.ts';

/** EC2 recommends no more ids than this in one TerminateInstances call. */
const idsPerCall = 1_000;

/**
 * One protected instance fails the call for others of its zone, and the error names only the protected one. The others
 * are tried again.
 */
const verdict = (error: unknown, instance: string): Verdict => {
  const ordinary = ordinaryVerdict(error);
  const named = instancesNamedIn(error);
  return ordinary === 'done' || named.length === 0 || named.includes(instance)
    ? ordinary
    : { ...ordinary, retry: 'later' };
};

const terminate = async (deps: ProviderDeps, instances: readonly string[]): Promise<ActionResult> => {
  const parts = await inParallel(chunks(instances, idsPerCall), 1, (part) =>
    actOn(part, (ids) => deps.ec2.send(new TerminateInstancesCommand({ InstanceIds: [...ids] })), verdict),
  );
  return together(parts);
};

/** When its end was requested through its Auto Scaling group, which took it out of service. */
const askedAtMs = ({ asg, releaseAskedAtMs, drainStartedAtMs }: Swap): number | undefined =>
  asg === undefined || drainStartedAtMs === undefined ? undefined : releaseAskedAtMs;

/**
 * Whether its end was requested through its Auto Scaling group, and describes of EC2 may not show that yet. The group
 * lets go of an instance sooner than describes of EC2 show its end.
 */
const isLettingGo = (swap: Swap, nowMs: number): boolean =>
  nowMs - (askedAtMs(swap) ?? Number.NEGATIVE_INFINITY) < describeLagMs;

/**
 * Whether it was launched by one of these Auto Scaling groups, none of which holds it any more: the group has ended it,
 * and describes of EC2 do not show that yet. A user who detaches an instance takes this tag from it.
 */
const wasLetGoBy = (asgs: readonly Asg[], found: Instance | undefined): boolean =>
  found !== undefined && asgs.some(({ name }) => name === tagOf(found, asgTag));

/**
 * Terminates instances. Members of an Auto Scaling group are terminated through it, so that its desired capacity falls
 * with them. The others are terminated by EC2, and only when they have this group's tag. The tag of a member of an Auto
 * Scaling group may have an earlier name of this group. An instance that is gone or ending already counts as done, also
 * where only its Auto Scaling group shows that.
 */
export const endMembers = async (deps: ProviderDeps, group: Group, swaps: readonly Swap[]): Promise<ActionResult> => {
  if (swaps.length === 0) return { done: [], failed: [] };
  const ids = swaps.map(({ instance }) => instance);
  const [known, asgs] = await allSettled([
    instancesById(deps.ec2, ids),
    describeAsgs(deps.autoScaling, asgsFor(group, swaps)),
  ]);
  const standings = standingsIn(asgs);
  const alive = swaps.filter(({ instance }) => isAlive(known.get(instance)) || isStopped(known.get(instance)));
  const isHeld = (swap: Swap): boolean => standings.has(swap.instance) && !wasJustAsked(askedAtMs(swap), deps.now());
  const held = alive.filter(isHeld);
  const loose = alive.filter(({ instance }) => !standings.has(instance));
  const ours = loose.filter(({ instance, asg }) => {
    const found = known.get(instance);
    const tagged = found && groupOf(found, deps.deployment);
    return tagged === group.name || (tagged !== undefined && asg !== undefined);
  });
  const isEnding = (swap: Swap): boolean => isLettingGo(swap, deps.now()) || wasLetGoBy(asgs, known.get(swap.instance));
  const foreign = loose.filter((swap) => !ours.includes(swap) && !isEnding(swap));
  const open = new Set([...held, ...ours, ...foreign].map(({ instance }) => instance));
  return together([
    await createDraining(deps).release(group, held),
    await terminate(
      deps,
      ours.map(({ instance }) => instance),
    ),
    { done: ids.filter((instance) => !open.has(instance)), failed: [] },
    { done: [], failed: foreign.map(({ instance }) => ({ instance, code: notOurs, retry: 'never' })) },
  ]);
};
