import type { Group } from '../group/group.ts';
import { howHeld } from '../group/holding.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import type { AsgView, Member } from '../view/view.ts';
import type { Swap } from './swap.ts';

/**
 * Whether a member is where the policy in force would not hold one. It may be in an Auto Scaling group that the policy
 * no longer names, or in none although each pool is an Auto Scaling group. Removing a pool from the policy does not
 * make its members misplaced: a change of pools replaces no member.
 */
export const isMisplaced = (group: Pick<Group, 'holding'>, member: Member): boolean =>
  howHeld(group).isMisplaced(member);

type Look = {
  readonly group: Pick<Group, 'holding'>;
  readonly members: readonly Member[];
  readonly swaps: readonly Swap[];
  readonly asgs: readonly AsgView[];
};

/**
 * How many more members an Auto Scaling group may lose. Its minimum belongs to its owner, and members that leave
 * already count.
 */
const roomIn = ({ desired, min, holds }: AsgView, leaving: ReadonlySet<string>): number =>
  Math.max(0, desired - min - holds.filter((instance) => leaving.has(instance)).length);

/**
 * Members to be replaced, because the policy holds its members elsewhere now. Protected members stay, and as many as
 * the minimum size keeps.
 */
export const toBeMoved = ({ group, members, swaps, asgs }: Look): readonly Member[] => {
  const leaving = new Set(swaps.map(({ instance }) => instance));
  const room = new Map(asgs.map((asg) => [asg.name, roomIn(asg, leaving)]));
  return members.filter((member) => {
    if (leaving.has(member.instance) || member.protected || !isMisplaced(group, member)) return false;
    if (member.asg === undefined) return true;
    const left = room.get(member.asg) ?? 0;
    room.set(member.asg, left - 1);
    return left > 0;
  });
};

const isOpen = ({ state }: Swap): boolean => state !== 'gone' && state !== 'withdrawn';

/**
 * Members that were to be moved, and that the minimum size of their Auto Scaling group keeps now, because others left
 * it meanwhile. A running drain goes on to its end. The members that were claimed last are kept first.
 */
export const keptByMinimum = (swaps: readonly Swap[], asgs: readonly AsgView[]): ReadonlySet<string> => {
  const kept = asgs.flatMap(({ desired, min, holds }) => {
    const held = new Set(holds);
    const leaving = swaps.filter((swap) => isOpen(swap) && held.has(swap.instance));
    const idle = leaving
      .filter(
        ({ reason, state }) =>
          traitsOf({ reason }).withdrawnWhen === 'in-place' && (state === 'waiting' || state === 'drained'),
      )
      .sort((a, b) => a.claimedAtMs - b.claimedAtMs || (a.instance < b.instance ? -1 : 1));
    const room = Math.max(0, desired - min - (leaving.length - idle.length));
    return idle.slice(room).map(({ instance }) => instance);
  });
  return new Set(kept);
};
