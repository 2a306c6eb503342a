import type { Group } from '../group/group.ts';
import { describeLagMs } from '../times/times.ts';
import type { GroupState } from '../view/view.ts';
import { initialState, isLetGo } from './state.ts';

/**
 * The number of writes of a state item. It only grows. A new item, and one that was restored, begin at the time when
 * that was found, in milliseconds since 1970. So an item that was lost and is restored later has a lower number than
 * the new one.
 */
export const writesOf = ({ version, undone = 0 }: Pick<GroupState, 'version' | 'undone'>): number => version + undone;

/** The state as the first of a new item. An earlier item may have been lost, and its number of writes with it. */
export const asNew = (state: GroupState, nowMs: number): GroupState => ({ ...state, version: 0, undone: nowMs });

/** The state of a group without a state item. */
export const newState = (group: Group, nowMs: number): GroupState => asNew(initialState(group), nowMs);

/**
 * Whether the item was new, or found to be restored, a moment ago. The swaps may be as old, or gone. EC2 warns once. So
 * some of the members may be leaving and nothing says so, until EC2 has taken them and describes show that.
 */
export const mayLackSwaps = ({ undone = 0 }: Pick<GroupState, 'undone'>, nowMs: number): boolean =>
  nowMs - undone < describeLagMs;

/** A size section that no policy has, and that does not mark a group as let go. */
const unknownSize = '?';

/**
 * The parts of a restored older state item that still hold. Its alarms and schedule times may be over, and a group that
 * was let go may have come back. Its last reservation is removed, so that `catchUp` keeps the present number of
 * members. Its policy counts as not followed, so that the next look writes the item.
 *
 * @param writes the highest number of writes that is known
 */
export const asRestored = (state: GroupState, writes: number, nowMs: number): GroupState => {
  const { alarmStates: _over, scheduled: _followed, lastReservation: _latest, ...rest } = state;
  const policySize = isLetGo(state) ? unknownSize : state.policySize;
  return { ...rest, policySize, policyVersion: 0, undone: Math.max(nowMs, writes - state.version) };
};
