import type { Group } from '../group/group.ts';
import type { AlarmFact } from '../scaling/lasting-alarms.ts';
import type { Swap } from '../swap/swap.ts';
import { describeLagMs } from '../times/times.ts';
import type { GroupState, Member } from '../view/view.ts';
import { isLetGo } from './state.ts';

/**
 * The number of writes of a state item. It only grows. The first item of a group begins at 0. An item that was lost or
 * restored begins at the time when that was found, in milliseconds since 1970. So an item that was lost and is restored
 * later has a lower number than the new one.
 */
export const writesOf = ({ version, renewedAtMs = 0 }: Pick<GroupState, 'version' | 'renewedAtMs'>): number =>
  version + renewedAtMs;

/** The state as that of a new item. An earlier item may have been lost, and its number of writes with it. */
export const asNew = (state: GroupState, nowMs: number): GroupState => ({ ...state, version: 0, renewedAtMs: nowMs });

/**
 * The state that a run goes on with, after another write came first. The run's own state, if the item was lost or has
 * fewer writes: a user restored it, and it lacks what the run has launched.
 */
export const lastOf = (own: GroupState, stored: GroupState | undefined, nowMs: number): GroupState => {
  if (stored === undefined) return asNew(own, nowMs);
  const { version } = stored;
  const isOlder = writesOf(stored) < writesOf(own);
  return isOlder ? { ...own, version, renewedAtMs: Math.max(nowMs, writesOf(own) - version) } : stored;
};

/** What a look shows of a group without a state item. */
type Shown = { readonly members: readonly Member[]; readonly swaps: readonly Swap[] };

/**
 * Whether a group that has no state item never had one: its policy is its first, and Holdfast has launched none of its
 * members for it. Those that came with an Auto Scaling group of another group were never in an item of this one. An
 * item that was lost may have had swaps of members that EC2 takes. But without replacements of these, none can be
 * removed by mistake.
 */
export const isFirstItem = ({ policyVersion }: Group, { members, swaps }: Shown): boolean =>
  policyVersion === 1 &&
  swaps.length === 0 &&
  members.every(({ reservation, launchedFor }) => reservation === undefined || launchedFor !== undefined);

/**
 * Whether the item was lost, or found to be restored, a moment ago. The swaps may be as old, or gone. EC2 warns once.
 * So some of the members may be leaving and nothing says so, until EC2 has taken them and describes show that.
 */
export const mayLackSwaps = ({ renewedAtMs = 0 }: Pick<GroupState, 'renewedAtMs'>, nowMs: number): boolean =>
  nowMs - renewedAtMs < describeLagMs;

/** Functions that find a restore at the same moment, and their clocks, may differ by this. */
const foundTogetherMs = 5_000;

/**
 * The alarms of which it is known whether they still last. One that went off before the item was lost or restored may
 * be over: its end may have been stored in the item.
 */
export const sinceRenewed = (
  alarms: readonly AlarmFact[],
  { renewedAtMs = 0 }: Pick<GroupState, 'renewedAtMs'>,
): readonly AlarmFact[] => alarms.filter(({ isOn, atMs }) => !isOn || atMs >= renewedAtMs - foundTogetherMs);

/**
 * The alarms that may act. One that went off before the item was lost or restored may have acted, and the item does not
 * say so. The look that finds this cannot know how old the item is, so whatever it receives acts.
 */
export const withoutEarlierAlarms = (alarms: readonly AlarmFact[], stored: GroupState): readonly AlarmFact[] => {
  const isFoundNow = stored.policyVersion === 0 || stored.version === 0;
  return isFoundNow ? alarms : sinceRenewed(alarms, stored);
};

/** A size section that no policy has, and that does not mark a group as let go. */
const unknownSize = '?';

/**
 * Whether the item lacks that the group was let go: its policy was deleted after this item was written. So a user may
 * have restored an older item, and the swaps of members that EC2 warned about meanwhile are lost. Or no look has let
 * the group go yet.
 */
export const missedLetGo = (state: GroupState, { backWith = 0 }: Pick<Group, 'backWith'>): boolean =>
  !isLetGo(state) && state.policyVersion < backWith;

/** The state as one that may lack swaps. Its number of writes grows, as where an item is found to be restored. */
export const asRenewed = (state: GroupState, nowMs: number): GroupState => ({
  ...state,
  renewedAtMs: Math.max(nowMs, state.renewedAtMs ?? 0),
});

/**
 * The parts of a restored older state item that still hold. Its alarms and schedule times may be over, its new members
 * may have served since, and a group that was let go may have come back. Its last reservation is removed, so that
 * `catchUp` keeps the present number of members. Its policy counts as not followed, so that the next look writes the
 * item.
 *
 * @param writes the highest number of writes that is known
 */
export const asRestored = (state: GroupState, writes: number, nowMs: number): GroupState => {
  const { alarmStates: _over, scheduled: _followed, newcomers: _served, lastReservation: _latest, ...rest } = state;
  const policySize = isLetGo(state) ? unknownSize : state.policySize;
  return { ...rest, policySize, policyVersion: 0, renewedAtMs: Math.max(nowMs, writes - state.version) };
};
