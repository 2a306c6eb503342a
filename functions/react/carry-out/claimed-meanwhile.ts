import type { Decision } from '../../../core/decision/decision.ts';
import { isKept } from '../../../core/swap/kept-members.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { View } from '../../../core/view/view.ts';
import type { ReactPorts } from '../ports.ts';

/**
 * Whether others claimed the member. A kept member, whose end was refused, is hidden from decisions and does not count.
 */
const isOnItsWay = (swap: Swap): boolean => swap.state !== 'waiting' && swap.state !== 'withdrawn' && !isKept(swap);

/**
 * Members that others claimed since a look read the swaps. Claims do not change the version of the state. So a decision
 * that removes members by choice reads the claims once more before it becomes binding: the group may need these members
 * in place of those that were warned meanwhile.
 */
export const claimedMeanwhile = async (
  { removals, drains }: Decision,
  { group, swaps }: View,
  { store }: Pick<ReactPorts, 'store'>,
): Promise<readonly string[]> => {
  if (removals.length + drains.length === 0) return [];
  const known = new Set(swaps.filter(isOnItsWay).map(({ instance }) => instance));
  const now = await store.swaps(group.name);
  return now.filter((swap) => isOnItsWay(swap) && !known.has(swap.instance)).map(({ instance }) => instance);
};
