import { traitsOf } from '../removal/leave-reason.ts';
import type { Member } from '../view/view.ts';
import type { Swap } from './swap.ts';

/**
 * So long after its deadline, a member that EC2 announced to take and that still runs is put back into service: the
 * warning did not come true.
 */
const outlivedAfterMs = 300_000;

/** A member that cannot be put back by then is ended after all, so that nothing is paid that does not work. */
export const outlivedForGoodMs = 900_000;

/** Whether EC2 announced to take an instance, and its deadline was over so long ago. */
export const hasOutlived = (swap: Swap, nowMs: number, afterMs: number): boolean =>
  traitsOf(swap).endedBy === 'ec2' && swap.deadlineMs !== undefined && nowMs - swap.deadlineMs >= afterMs;

/** A swap whose member stays. What EC2 was to cut short at its deadline was not. */
export const asOutlived = ({ shortfall, ...swap }: Swap): Swap =>
  shortfall === undefined || ('by' in shortfall && shortfall.by === 'ec2') ? swap : { ...swap, shortfall };

/**
 * Swaps of members that keep running although EC2 announced to take them. They stay, and their replacements are above
 * the size. What EC2 stopped and started again has a later launch time: it was taken.
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
