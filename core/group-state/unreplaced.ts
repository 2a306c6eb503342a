import { drainsFirst, takeHeadcount } from '../view/headcount.ts';
import type { GroupState, View } from '../view/view.ts';

/**
 * The state with the draining members that are not replaced. With `drain-first`, a draining member keeps its place for
 * its replacement. When the size falls, as many places go as the group no longer needs, at most as many as the size
 * fell by. If they stayed, a member that is lost later would get no replacement until the drains are over.
 *
 * @param before the desired size as it was stored before this look
 */
export const withUnreplaced = (view: View, before: number): GroupState => {
  const { unreplaced: known = [], ...state } = view.state;
  const still = view.swaps.flatMap((swap) =>
    known.includes(swap.instance) && drainsFirst(swap, view) ? [swap.instance] : [],
  );
  const unreplaced = [...still, ...freed(view, before)];
  return unreplaced.length === 0 ? state : { ...state, unreplaced };
};

/** Places that go now. A member that is only chosen to leave keeps its place, because its drain may never begin. */
const freed = (view: View, before: number): readonly string[] => {
  const { desired } = view.state;
  if (before <= desired || view.group.swap.order !== 'drain-first') return [];
  const { staying, inFlightCount, holdingPlace } = takeHeadcount(view);
  const needed = Math.max(0, desired - staying.length - inFlightCount);
  return holdingPlace
    .filter(({ drain }) => drain !== undefined)
    .slice(0, Math.max(0, Math.min(before - desired, holdingPlace.length - needed)))
    .map(({ instance }) => instance);
};
