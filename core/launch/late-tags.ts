import type { View } from '../view/view.ts';
import type { Reservation } from './reservation.ts';
import { awaitingTags } from './reservation-life.ts';

/** Describes show tags this long after they were written. */
const shownAfterMs = 10_000;

/** Instances of a launch that do not carry its tags. */
export type Untagged = { readonly reservation: Reservation; readonly instances: readonly string[] };

/**
 * Instances that an Auto Scaling group launched for us and that have no tags, because `LaunchInstances` takes no tags
 * and the call that follows it failed. The reservation names their group.
 */
export const untaggedIn = (view: Pick<View, 'group' | 'members' | 'state' | 'nowMs'>): readonly Untagged[] => {
  const awaiting = awaitingTags(view);
  return view.state.reservations
    .filter(({ atMs }) => view.nowMs - atMs >= shownAfterMs)
    .map((reservation) => ({ reservation, instances: awaiting(reservation) }))
    .filter(({ instances }) => instances.length > 0);
};
