import type { Decision } from '../../../core/decision/decision.ts';
import { isKept } from '../../../core/swap/kept-members.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { View } from '../../../core/view/view.ts';
import type { ReactPorts } from '../ports.ts';

/** A member that is kept, because its end was refused, is hidden from decisions: nobody has claimed it meanwhile. */
const isOnItsWay = (swap: Swap): boolean => swap.state !== 'waiting' && swap.state !== 'withdrawn' && !isKept(swap);

/**
 * Members that others claimed since a look read the swaps. Claims are written without the version of the state, so a
 * decision that lets members leave by choice reads them once more before it becomes binding: each may serve in place of
 * one that has been warned meanwhile.
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
