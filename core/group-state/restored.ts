import type { Group } from '../group/group.ts';
import type { GroupState } from '../view/view.ts';
import { initialState, isLetGo } from './state.ts';

/**
 * The number of writes of a state item, including writes that a restored older item undid. It only grows. A new item
 * begins at the time of its first write, in milliseconds since 1970. So an item that was lost and is restored later has
 * a lower number than the new one.
 */
export const writesOf = ({ version, undone = 0 }: Pick<GroupState, 'version' | 'undone'>): number => version + undone;

/** The state as the first of a new item. An earlier item may have been lost, and its number of writes with it. */
export const asNew = (state: GroupState, nowMs: number): GroupState => ({ ...state, version: 0, undone: nowMs });

/** The state of a group without a state item. */
export const newState = (group: Group, nowMs: number): GroupState => asNew(initialState(group), nowMs);

/** A size section that no policy has, and that does not mark a group as let go. */
const unknownSize = '?';

/**
 * The parts of a restored older state item that still hold. Its alarms and schedule times may be over, and a group that
 * was let go may have come back. Its last reservation is removed, so that `catchUp` keeps the present number of
 * members. Its policy counts as not followed, so that the next look writes the item.
 */
export const asRestored = (state: GroupState, writes: number): GroupState => {
  const { alarmStates: _over, scheduled: _followed, lastReservation: _latest, ...rest } = state;
  const policySize = isLetGo(state) ? unknownSize : state.policySize;
  return { ...rest, policySize, policyVersion: 0, undone: writes - state.version };
};
