import type { Leaving } from '../decision/decision.ts';
import { isOnDemand, onDemandToSpare } from '../placement/on-demand.ts';
import type { Headcount } from '../view/headcount.ts';
import type { Member } from '../view/view.ts';
import { isInEarlierTier } from './better-place.ts';
import { leaveOf } from './ground.ts';
import { inOrder, type Work } from './plan-return.ts';

/**
 * Members on demand that leave without a launch, because a spare in an earlier tier takes their place. For example, a
 * group of 4 has 4 members on spot and 1 on demand, and spot gives no fifth one: the member on demand leaves, and a
 * spare is missing. All members that stay serve. This is not done below `cheapest`, or for members on spot: the next
 * spare may cost more than the member that left, and members would move back and forth.
 *
 * @param most how many may leave
 */
export const standIns = (work: Work, headcount: Headcount, most: number): readonly Leaving[] => {
  const { view, tree } = work;
  const above = headcount.staying.length - view.state.desired;
  const { mayLeave, leave } = leaveOf(view, onDemandToSpare(view, headcount));
  const leaving: Leaving[] = [];
  for (const member of inOrder(headcount.staying, work)) {
    if (leaving.length >= Math.min(most, above)) break;
    if (!isOnDemand(member) || !mayLeave(member)) continue;
    const standIn = headcount.staying.find((one) => !isOnDemand(one) && isInEarlierTier(tree.root, one, member));
    if (standIn?.pool === undefined) continue;
    leaving.push(leavingFor(member, standIn.pool));
    leave(member);
  }
  return leaving;
};

const leavingFor = ({ instance }: Member, pool: string): Leaving => ({
  instance,
  reason: 'return',
  why: { code: 'stand-in', pool },
});

/** How many of these leave because a spare takes their place. They count for the budget of moves. */
export const standInsAmong = (removals: readonly Leaving[]): number =>
  removals.filter(({ why }) => why.code === 'stand-in').length;
