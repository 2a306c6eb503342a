import type { SizeChange } from '../decision/decision-record.ts';
import type { Group } from '../group/group.ts';
import { lastDue } from '../schedule/due.ts';
import type { GroupState } from '../view/view.ts';

type Following = {
  /** What the schedule set before is unknown, so it counts from now on. */
  readonly isNew: boolean;
  readonly nowMs: number;
};

type Followed = { readonly state: GroupState; readonly sizes: readonly SizeChange[] };

/**
 * The state after the schedule of the policy was followed until now. The last time that was due sets the size. Earlier
 * ones no longer count. A schedule that comes into force sets nothing until its next time.
 */
export const followSchedule = (state: GroupState, group: Group, { isNew, nowMs }: Following): Followed => {
  const { scheduled: before, ...rest } = state;
  if (group.schedule === undefined) return { state: rest, sizes: [] };
  const schedule = JSON.stringify(group.schedule);
  if (before?.schedule !== schedule || isNew)
    return { state: { ...state, scheduled: { schedule, atMs: nowMs } }, sizes: [] };
  const due = lastDue(group.schedule, before.atMs, nowMs);
  if (due === undefined) return { state, sizes: [] };
  const { at, timezone, size } = due.scheduled;
  const to = Math.min(group.size.max, Math.max(group.size.min, size));
  const sizes: readonly SizeChange[] =
    to === state.desired ? [] : [{ code: 'schedule', at, timezone, atMs: due.atMs, from: state.desired, to }];
  return { state: { ...state, desired: to, scheduled: { schedule, atMs: due.atMs } }, sizes };
};
