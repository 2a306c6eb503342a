import type { Leaving } from '../decision/decision.ts';
import { isOnDemand, onDemandToSpare } from '../placement/on-demand.ts';
import { hasSpares } from '../placement/spare.ts';
import type { Headcount } from '../view/headcount.ts';
import type { Member } from '../view/view.ts';
import { isInEarlierTier } from './better-place.ts';
import { leaveOf } from './ground.ts';
import { inOrder, type Work } from './plan-return.ts';

/**
 * Members on demand whose place a spare in an earlier one takes: they leave without a launch. So nobody stays on demand
 * beside a size that spot serves alone, because spot gives no more than the size. What is missing then is a spare. Both
 * lived side by side until now, and all that stay serve. Below `cheapest` nobody leaves so, and nobody on spot: the
 * spare that is then bought may cost more than who left, and members would move to and fro.
 *
 * @param most how many may leave
 */
export const standIns = (work: Work, headcount: Headcount, most: number): readonly Leaving[] => {
  const { view, tree } = work;
  if (!hasSpares(view.group)) return [];
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
