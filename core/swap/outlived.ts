import { traitsOf } from '../removal/leave-reason.ts';
import type { Member } from '../view/view.ts';
import type { Swap } from './swap.ts';

/**
 * A warned member that still runs this long after its deadline is put back into service, because EC2 did not take it.
 */
const outlivedAfterMs = 300_000;

/** A member that cannot be put back by then is terminated, so that no idle instance costs money. */
export const outlivedForGoodMs = 900_000;

/** Whether EC2 warned about an instance, and its deadline was over this long ago. */
export const hasOutlived = (swap: Swap, nowMs: number, afterMs: number): boolean =>
  traitsOf(swap).endedBy === 'ec2' && swap.deadlineMs !== undefined && nowMs - swap.deadlineMs >= afterMs;

/** A swap whose member stays. Nobody ended it, so a shortfall that says who cuts its connections did not happen. */
export const asOutlived = ({ shortfall, ...swap }: Swap): Swap =>
  shortfall === undefined || 'by' in shortfall ? swap : { ...swap, shortfall };

/**
 * Members that EC2 warned about, stopped and started again: they have a later launch time. They count as taken, unless
 * the group is short without them.
 */
export const startedAgainIn = (
  swaps: readonly Swap[],
  members: readonly Pick<Member, 'instance' | 'launchedAtMs'>[],
): ReadonlySet<string> => {
  const deadlines = new Map(swaps.map(({ instance, deadlineMs = Number.POSITIVE_INFINITY }) => [instance, deadlineMs]));
  return new Set(
    members.flatMap(({ instance, launchedAtMs }) =>
      launchedAtMs >= (deadlines.get(instance) ?? Number.POSITIVE_INFINITY) ? [instance] : [],
    ),
  );
};

/**
 * Swaps of members that run although EC2 warned about them, without those that count as taken. They stay, and their
 * replacements may be above the size.
 */
export const outlivedIn = (
  swaps: readonly Swap[],
  members: readonly Pick<Member, 'instance' | 'state' | 'launchedAtMs'>[],
  nowMs: number,
  taken = startedAgainIn(swaps, members),
): readonly Swap[] => {
  const running = new Set(members.flatMap(({ instance, state }) => (state === 'running' ? [instance] : [])));
  return swaps.filter((swap) => {
    const runsOn = running.has(swap.instance) && !taken.has(swap.instance);
    return runsOn && swap.state !== 'gone' && hasOutlived(swap, nowMs, outlivedAfterMs);
  });
};
