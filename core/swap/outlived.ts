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
 * Swaps of members that still run although EC2 warned about them. They stay, and their replacements are above the size.
 * An instance that EC2 stopped and started again has a later launch time, and counts as taken.
 */
export const outlivedIn = (
  swaps: readonly Swap[],
  members: readonly Pick<Member, 'instance' | 'state' | 'launchedAtMs'>[],
  nowMs: number,
): readonly Swap[] => {
  const known = new Map(members.map((member) => [member.instance, member]));
  return swaps.filter((swap) => {
    const member = known.get(swap.instance);
    const runsOn = member?.state === 'running' && member.launchedAtMs < (swap.deadlineMs ?? 0);
    return runsOn && swap.state !== 'gone' && hasOutlived(swap, nowMs, outlivedAfterMs);
  });
};
