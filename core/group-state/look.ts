import { stillChosen } from '../decision/chosen-members.ts';
import type { SizeChange } from '../decision/decision-record.ts';
import { withoutSetSince } from '../group/attached-number.ts';
import type { Group } from '../group/group.ts';
import { modeOf } from '../group/mode.ts';
import { addedNow, type OutsideSize, outsideSizeOf, withOutsideSize } from '../group/outside-size.ts';
import { withoutLaunches } from '../limits/launch-limit.ts';
import { sizeAsSet } from '../observe/observe.ts';
import { withoutFailures } from '../pool-memory/boot-memory.ts';
import { withoutRest } from '../pool-memory/denials.ts';
import { withoutFailing } from '../pool-memory/failing-refills.ts';
import { forgetRefusals } from '../pool-memory/pool-memory.ts';
import type { Holdings } from '../ports/capacity-provider.ts';
import { noteRefusedReleases } from '../removal/refused-releases.ts';
import { outlivedIn } from '../swap/outlived.ts';
import type { Swap } from '../swap/swap.ts';
import { allNotes, type Notes, withNotes } from '../view/notes.ts';
import { openRaises } from '../view/raised-max.ts';
import { openSuspensions } from '../view/suspension.ts';
import type { GroupState } from '../view/view.ts';
import { surelyDetached } from './detached.ts';
import { alarmChanges, followAlarms } from './follow-alarms.ts';
import { asRenewed, withoutEarlierAlarms } from './restored.ts';
import { noteChange } from './returns.ts';
import { followSchedule } from './schedule.ts';
import { catchUp, followPolicy, type Heard, isLetGo } from './state.ts';

const withDetached = ({ detached: _before, ...state }: GroupState, holdings: Holdings): GroupState => {
  const detached = surelyDetached(holdings);
  return detached.length === 0 ? state : { ...state, detached };
};

const withChoices = (before: GroupState, swaps: readonly Swap[], nowMs: number): GroupState => {
  const { chosen: _before, ...state } = before;
  const chosen = stillChosen(before, swaps, nowMs);
  return chosen.length === 0 ? state : { ...state, chosen };
};

const sizeChange = (
  code: 'policy' | 'caught-up' | 'outside',
  before: GroupState,
  after: GroupState,
): readonly SizeChange[] =>
  before.desired === after.desired ? [] : [{ code, from: before.desired, to: after.desired }];

/**
 * A user who writes the policy may have fixed what had failed until then, so everything may be requested again at once.
 * A denial still holds back members that wait for a launch, until a launch gets a response.
 */
const afterRewrite = (
  { refusedReleases: _before, ...state }: GroupState,
  writtenAtMs: number,
  nowMs: number,
): GroupState => ({
  ...withoutLaunches(withoutFailing(withoutFailures(state, writtenAtMs), writtenAtMs), writtenAtMs, nowMs),
  ...(state.denials && { denials: withoutRest(state.denials, writtenAtMs) }),
  memory: forgetRefusals(state.memory, writtenAtMs),
});

/**
 * Until when what was learned is older than the policy. All of it is, at the first look that follows a version. The
 * message about a write may come later, and more than once: what was learned since the write stays.
 */
const rewrittenAt = ({ stored, group, writtenAtMs }: Look): number | undefined =>
  stored.version > 0 && stored.policyVersion !== group.policyVersion ? Number.POSITIVE_INFINITY : writtenAtMs;

/** A group as it was read. */
type Look = Pick<Heard, 'alarms'> & {
  readonly group: Group;
  /** The state item as it is stored. */
  readonly stored: GroupState;
  /** The same, without Auto Scaling groups that other groups hold now. */
  readonly known: GroupState;
  /** What earlier holders of its Auto Scaling groups changed there and have not put back. */
  readonly inherited: Notes;
  readonly swaps: readonly Swap[];
  readonly holdings: Holdings;
  /** When its policy was written, where a message about that write has come. */
  readonly writtenAtMs?: number | undefined;
  readonly nowMs: number;
};

const withoutAlarmStates = ({ alarmStates: _before, ...state }: GroupState): GroupState => state;

type Sized = {
  readonly state: GroupState;
  readonly sizes: readonly SizeChange[];
  /**
   * The desired size after the alarms that are now in alarm. In mode `observe` the state keeps the size without them.
   */
  readonly desired: number;
};

const sizedByPolicy = (found: GroupState, { group, stored, holdings, swaps, alarms: told, nowMs }: Look): Sized => {
  const alarms = withoutEarlierAlarms(told, stored);
  const { added: _before, ...rest } = found;
  const added = addedNow(group, found, holdings.asgs, nowMs);
  const byPolicy: GroupState = { ...rest, beyondMax: undefined, ...(added.length > 0 && { added }) };
  // Members that EC2 did not take stay: this look puts them back into service.
  const back = new Set(outlivedIn(swaps, holdings.members, nowMs));
  const leaving = swaps.filter((swap) => !back.has(swap));
  const there = { members: holdings.members, swaps: leaving, comesBack: isLetGo(stored) };
  const caughtUp = catchUp(byPolicy, group, there);
  const isObserved = modeOf(group) === 'observe';
  const sized = isObserved ? sizeAsSet(caughtUp, group, holdings.asgs) : caughtUp;
  // Where the size or the group was unknown for a while, earlier times of the schedule no longer count, and earlier
  // states of alarms are unknown.
  const isNew = isLetGo(stored) || caughtUp.lastReservation !== byPolicy.lastReservation;
  const onTime = followSchedule(isNew ? withoutAlarmStates(sized) : sized, group, { isNew, nowMs });
  const alarmed = alarmChanges(onTime.state, group, { alarms }, nowMs);
  const followed = followAlarms(onTime.state, group, { alarms }, nowMs);
  return {
    state: isObserved ? { ...followed, desired: sized.desired } : followed,
    sizes: [
      ...sizeChange('policy', stored, byPolicy),
      ...sizeChange('caught-up', byPolicy, caughtUp),
      ...sizeChange('outside', caughtUp, sized),
      ...onTime.sizes,
      ...alarmed,
    ],
    desired: followed.desired,
  };
};

const sizedByOthers = ({ scheduled: _byPolicy, ...state }: GroupState, stored: GroupState): Sized => ({
  state,
  sizes: sizeChange('outside', stored, state),
  desired: state.desired,
});

/**
 * The state of a group after it was read. It follows the policy in force, alarms, and the size that others set. The
 * result includes the changes of the desired size.
 */
export const followLook = (look: Look): Sized & { readonly outside?: OutsideSize } => {
  const { group, stored, known, inherited, holdings, swaps, nowMs } = look;
  const writtenAtMs = rewrittenAt(look);
  const learned = writtenAtMs === undefined ? known : afterRewrite(known, writtenAtMs, nowMs);
  const notes = allNotes([known, inherited]);
  const open = {
    ...notes,
    raised: withoutSetSince({ ...notes, raised: openRaises(notes.raised, nowMs) }, holdings.asgs),
    suspended: openSuspensions(notes.suspended, nowMs),
  };
  const byPolicy = followPolicy(withNotes(learned, open), group);
  const outside = outsideSizeOf(group, byPolicy, holdings, nowMs);
  const sized =
    outside === undefined
      ? sizedByPolicy(byPolicy, look)
      : sizedByOthers(withOutsideSize(byPolicy, group, outside), stored);
  const chosen = withDetached(withChoices(sized.state, swaps, nowMs), holdings);
  const refused = noteRefusedReleases(chosen, { members: holdings.members, swaps, nowMs });
  // Members alone show here that the item is an older one, because this environment saw none that was newer.
  const isOlder = refused.lastReservation !== stored.lastReservation;
  const state = noteChange(isOlder ? asRenewed(refused, nowMs) : refused, stored, group, nowMs);
  return { ...sized, state, ...(outside && { outside }) };
};
