import { traitsOf } from '../../core/removal/leave-reason.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { rememberedByKey } from '../calls/remembered.ts';
import type { Asg } from '../providers/auto-scaling-groups.ts';
import type { ProviderDeps } from '../providers/provider-deps.ts';
import { deregisterTargets } from '../providers/target-groups.ts';

/** EC2 takes it, whatever Auto Scaling does. */
export const isTaken = (swap: Swap): boolean => traitsOf(swap).endedBy === 'ec2';

/**
 * When members were deregistered that stayed in their Auto Scaling group, by instance, warning and target groups. Every
 * repeat of a release would deregister them again without this. Kept for each client of a Lambda execution environment.
 */
const spared = rememberedByKey<ProviderDeps['elb'], number>();

/**
 * Interrupted members that Auto Scaling does not end now: they are deregistered at least, because EC2 takes them at
 * their deadline whatever Auto Scaling does. Returns since when each is out of service. The next look tries again to
 * end them. A member whose deadline is over is left alone: EC2 has ended it, so it gets no requests any more.
 */
export const spareRequests = async (
  { elb, now }: ProviderDeps,
  { targetGroups }: Pick<Asg, 'targetGroups'>,
  swaps: readonly Swap[],
): Promise<Readonly<Record<string, number>>> => {
  const known = spared(elb);
  const keyOf = ({ instance, deadlineMs }: Swap): string => [instance, deadlineMs, ...targetGroups].join(' ');
  const stuck = swaps.filter(isTaken);
  const atMs = now();
  const isOver = ({ deadlineMs = Number.POSITIVE_INFINITY }: Swap): boolean => deadlineMs <= atMs;
  const fresh = stuck.filter((swap) => !known.has(keyOf(swap)) && !isOver(swap));
  const ids = fresh.map(({ instance }) => instance);
  const { done } = await deregisterTargets(elb, targetGroups, ids);
  for (const swap of fresh) if (done.includes(swap.instance)) known.set(keyOf(swap), atMs);
  return Object.fromEntries(
    stuck.flatMap((swap) => {
      const sinceMs = known.get(keyOf(swap));
      return sinceMs === undefined ? [] : [[swap.instance, sinceMs]];
    }),
  );
};
