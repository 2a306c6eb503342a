import { unlessTroubled } from '../../../aws/calls/unless-troubled.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import { isKept } from '../../../core/swap/kept-members.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { View } from '../../../core/view/view.ts';
import type { ReactPorts } from '../ports.ts';

/**
 * Whether others claimed the member. A kept member, whose end was refused, is hidden from decisions and does not count.
 */
const isOnItsWay = (swap: Swap): boolean => swap.state !== 'waiting' && swap.state !== 'withdrawn' && !isKept(swap);

/** Members that others claimed since a look read the swaps. Claims do not change the version of the state. */
const claimedSince = async (
  { group, swaps }: View,
  { store }: Pick<ReactPorts, 'store'>,
): Promise<readonly string[]> => {
  const known = new Set(swaps.filter(isOnItsWay).map(({ instance }) => instance));
  const now = await store.swaps(group.name);
  return now.filter((swap) => isOnItsWay(swap) && !known.has(swap.instance)).map(({ instance }) => instance);
};

/**
 * The same for a decision that is about to become binding. It reads the claims only if it removes members by choice:
 * the group may need these members in place of those that were warned meanwhile.
 */
export const claimedMeanwhile = async (
  { removals, drains }: Decision,
  view: View,
  ports: Pick<ReactPorts, 'store'>,
): Promise<readonly string[]> => (removals.length + drains.length === 0 ? [] : claimedSince(view, ports));

/**
 * Members that may still join. Others may have claimed one since the look, and taken it out of service. If the claims
 * cannot be read now, all join, because the group needs them.
 */
export const stillJoining = async (
  { admissions }: Pick<Decision, 'admissions'>,
  view: View,
  ports: Pick<ReactPorts, 'store'>,
): Promise<readonly string[]> => {
  const claimed = new Set(await unlessTroubled(claimedSince(view, ports)));
  return admissions.filter((instance) => !claimed.has(instance));
};
