import type { Group } from './group.ts';
import type { Swap } from './swap.ts';
import type { AsgView, Member } from './view.ts';

/** A member without any Auto Scaling group is one only once describes have had time to show it in its own. */
const shownAfterMs = 300_000;

/**
 * Whether a member lives where the policy in force would never hold one: in the Auto Scaling group that it moved away
 * from, or in none where each pool is one. A pool that was dropped is no such place: a change of pools replaces nobody.
 */
export const isMisplaced = (
  { holding }: Pick<Group, 'holding'>,
  { asg, launchedAtMs }: Member,
  nowMs: number,
): boolean => {
  switch (holding.kind) {
    case 'attach':
      return asg !== undefined && asg !== holding.asg;
    case 'tag':
      return asg !== undefined;
    case 'launch-instances':
      return asg === undefined && nowMs - launchedAtMs >= shownAfterMs;
  }
};

type Look = {
  readonly group: Pick<Group, 'holding'>;
  readonly members: readonly Member[];
  readonly swaps: readonly Swap[];
  readonly asgs: readonly AsgView[];
  readonly nowMs: number;
};

/** How many more an Auto Scaling group may lose: its minimum is its owner's, and those that leave already count. */
const roomIn = ({ desired, min, holds }: AsgView, leaving: ReadonlySet<string>): number =>
  Math.max(0, desired - min - holds.filter((instance) => leaving.has(instance)).length);

/**
 * Misplaced members that are to be replaced by members where the policy holds them now. Protected ones stay, and as
 * many as a minimum keeps.
 */
export const toBeMoved = ({ group, members, swaps, asgs, nowMs }: Look): readonly Member[] => {
  const leaving = new Set(swaps.map(({ instance }) => instance));
  const room = new Map(asgs.map((asg) => [asg.name, roomIn(asg, leaving)]));
  return members.filter((member) => {
    if (leaving.has(member.instance) || member.protected || !isMisplaced(group, member, nowMs)) return false;
    if (member.asg === undefined) return true;
    const left = room.get(member.asg) ?? 0;
    room.set(member.asg, left - 1);
    return left > 0;
  });
};
