import type { GroupState } from '../view/view.ts';
import { isLetGo } from './state.ts';

/** How often a state item was written, with the writes that somebody undid by restoring an older one. It only grows. */
export const writesOf = ({ version, undone = 0 }: Pick<GroupState, 'version' | 'undone'>): number => version + undone;

/** The size section of no policy, and not that of a group that was let go. */
const unknownSize = '?';

/**
 * What still holds of a state item that somebody restored from an older time. What alarms and a schedule said by then
 * may be over, and a group that was let go may have come back. No reservation counts as known, so the present number of
 * members stays (`catchUp`); and no policy as followed, so that the next look writes the item.
 */
export const asRestored = (state: GroupState, writes: number): GroupState => {
  const { alarmStates: _over, scheduled: _followed, lastReservation: _latest, ...rest } = state;
  const policySize = isLetGo(state) ? unknownSize : state.policySize;
  return { ...rest, policySize, policyVersion: 0, undone: writes - state.version };
};
