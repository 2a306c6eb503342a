import { inParallel } from '../../../aws/calls/in-parallel.ts';
import { afterTakingDown, type TakenDown } from '../../../core/group/attached-number.ts';
import { namedTargetGroups } from '../../../core/group/holders.ts';
import { modeOf } from '../../../core/group/mode.ts';
import { takenDownAgain } from '../../../core/group/outside-size.ts';
import { grantedBy, type Launched, mustRepeat } from '../../../core/group-state/answers.ts';
import { withHeldBack } from '../../../core/group-state/held-back.ts';
import { untaggedIn } from '../../../core/launch/late-tags.ts';
import { heldBackTimes, isOpen, repeatedAtMs } from '../../../core/launch/reservation-life.ts';
import { comeUpLookAtMs } from '../../../core/limits/common-looks.ts';
import { againAtMs, againInMs, isWorthALook } from '../../../core/times/again.ts';
import { tickEveryMs } from '../../../core/times/times.ts';
import type { Added } from '../../../core/view/added.ts';
import { type RaisedMax, raisedAfter } from '../../../core/view/raised-max.ts';
import { withRegistered } from '../../../core/view/registered.ts';
import type { Suspension } from '../../../core/view/suspension.ts';
import type { GroupState } from '../../../core/view/view.ts';
import { putState } from '../record/put-state.ts';
import { heldBackIn } from '../rounds.ts';
import type { Round, Run } from '../run.ts';
import { wakeOf } from '../turns/lasting.ts';
import { type Admissions, admit, joinsAgainMs } from './admit.ts';
import { writesAtOnce } from './claims.ts';
import { settleMaxima } from './maxima.ts';
import {
  type Attached,
  isUnused,
  noteOf,
  resumeAll,
  suspendedAfter,
  takeDownAll,
  tellOverwritten,
  triedIn,
} from './outside-size.ts';
import { letGo } from './unnoticed-members.ts';

/**
 * Tags members that joined, if the function that attached them died before it did. The same call tags those whose tags
 * wait in other environments, because these may not look again soon.
 */
const noteJoined = async ({ group, provider }: Run, { view }: Round): Promise<void> => {
  const unnoted = view.members.filter((member) => member.unnoted !== undefined);
  if (unnoted.every((member) => member.unnoted === 'lately')) return;
  for (const [asg = '', members] of Map.groupBy(unnoted, (member) => member.asg)) {
    const instances = members.map(({ instance }) => instance);
    await provider.noteJoined(group, asg, instances);
  }
};

/** Tags members whose tags could not be written before. Returns when to try again what failed. */
const tagLate = async (run: Run, round: Round): Promise<readonly number[]> => {
  await noteJoined(run, round);
  const againMs: number[] = [];
  for (const { reservation, instances } of untaggedIn(round.view)) {
    const tagged = await run.provider.tagLaunched(run.group, reservation, instances);
    if (tagged === 'later') againMs.push(againAtMs(run.ports.clock.now(), reservation.atMs));
  }
  return againMs;
};

/** The results besides launches and drains. */
export type Acted = {
  readonly admitted: readonly string[];
  readonly failed: readonly { readonly instance: string; readonly code: string }[];
  readonly restored: readonly string[];
  readonly wakeAtMs?: number;
};

/** Notes on the swaps of ended instances that only their Auto Scaling groups can replace them now. */
const leaveToGroups = async ({ ports }: Run, { decision: { leftToGroups = [] }, view }: Round): Promise<void> => {
  const left = new Set(leftToGroups);
  const swaps = view.swaps.filter(({ instance }) => left.has(instance));
  await inParallel(swaps, writesAtOnce, (swap) =>
    ports.store.advance(swap, { from: [swap.state], set: { leftToGroup: true } }),
  );
};

/** When requests without a response are repeated by a look of their own. */
const repeatTimes = (state: GroupState | undefined, nowMs: number): readonly number[] =>
  (state?.reservations ?? [])
    .filter(isOpen)
    .map(repeatedAtMs)
    .filter((atMs) => isWorthALook(atMs, nowMs));

/** Whether a launch brings instances. A launch without a response is repeated instead. */
const bringsInstances = (launched: Launched): boolean => grantedBy(launched) > 0;

/** How long the launches waited for their turn at the account's buckets. */
const waitedMs = (rounds: readonly Round[]): number =>
  Math.max(
    0,
    ...rounds.flatMap(({ decision: { remarks = [] } }) =>
      remarks.flatMap((remark) => (remark.code === 'waited-for-turn' ? [remark.waitedMs] : [])),
    ),
  );

/** When to look at members that have just been launched or have just joined. */
const comesUpMs = 10_000;

const wakeTime = (rounds: readonly Round[], nowMs: number, soon: readonly number[]): number | undefined => {
  const last = rounds.at(-1);
  const repeat = [
    ...(rounds.some(({ launched }) => mustRepeat(launched)) ? repeatTimes(last?.state, nowMs) : []),
    ...soon,
  ];
  const comingUp = rounds.some(({ launched }) => launched.some(bringsInstances))
    ? [comeUpLookAtMs(nowMs + comesUpMs, waitedMs(rounds))]
    : [];
  // An Auto Scaling group does not launch what it was about to, once it is suspended. The rounds after that have the
  // same look, which still counts it.
  const cutOff = rounds.flatMap(({ decision: { suspend = [], wakeAtMs } }) => (suspend.length > 0 ? [wakeAtMs] : []));
  const throttled = last?.state === undefined ? [] : heldBackTimes(last.state, nowMs);
  const times = [
    ...repeat,
    ...throttled,
    ...comingUp,
    // These times may have passed during the work.
    ...[...cutOff, last?.decision.wakeAtMs].flatMap((atMs) => (atMs === undefined ? [] : [Math.max(atMs, nowMs + 1)])),
  ].filter((atMs) => atMs > nowMs);
  const earliest = Math.min(...times);
  return earliest < nowMs + tickEveryMs ? earliest : undefined;
};

/**
 * When to look again for tags that wait for other new members: these may never join. Most tags are written within a
 * minute of a launch. A member without one for longer is looked at ever more rarely: its tag is written once describes
 * must show it.
 */
const noteTimes = ({ view }: Round, nowMs: number): readonly number[] =>
  view.members
    .filter(({ unnoted }) => unnoted === 'lately')
    .map(({ launchedAtMs }) => nowMs + Math.max(comesUpMs, againInMs(nowMs - launchedAtMs)))
    .filter((atMs) => isWorthALook(atMs, nowMs));

/** Rounds that ran out of time continue at once in another invocation. */
const afterCutMs = 1;

/** When to look again at additions that could not be taken off: a describe was late to show the members. */
const openTimes = (notes: readonly Added[], takenDown: TakenDown, nowMs: number): readonly number[] => {
  const { wakeAtMs } = takenDownAgain(afterTakingDown(notes, takenDown, nowMs), nowMs);
  return wakeAtMs === undefined ? [] : [wakeAtMs];
};

type Acting = Run & { readonly rounds: readonly Round[]; readonly isCut?: true };

/** Everything that follows the launches: admits members, puts maximum sizes back, arranges the next look. */
export const carryOutRounds = async (context: Acting): Promise<Acted> => {
  const { rounds, ports, group } = context;
  const first = rounds[0];
  const last = rounds.at(-1);
  if (first === undefined || last === undefined) return { admitted: [], failed: [], restored: [] };
  const endAgainMs = await letGo(context, rounds);
  await leaveToGroups(context, first);
  const tagAgainMs = modeOf(group) === 'observe' ? [] : await tagLate(context, first);
  const added = noteOf(group, last.state, first.decision);
  const { laterAtMs, ...admissions }: Admissions = await admit(context, first, added);
  const toTakeDown = [
    ...(first.decision.takeDown ?? []),
    ...(added === undefined || admissions.admitted.length === 0 ? [] : [added]),
  ];
  const lowered = await takeDownAll(context, toTakeDown, last.state.raised);
  const { takenDown } = lowered;
  tellOverwritten(context, takenDown.overwritten);
  const learned = await settleMaxima(context, [first, ...rounds.slice(1)], lowered);
  const resumed = await resumeAll(context, first.decision.resume);
  const nowMs = ports.clock.now();
  const { isCut } = context;
  const admitAgainMs = joinsAgainMs(context, first, admissions);
  const soonest = wakeTime(rounds, nowMs, [
    ...[...endAgainMs, ...admitAgainMs, ...tagAgainMs].filter((atMs) => isWorthALook(atMs, nowMs)),
    ...(admissions.admitted.length > 0 ? [nowMs + comesUpMs] : []),
    ...(laterAtMs === undefined ? [] : [laterAtMs]),
    ...openTimes(toTakeDown, takenDown, nowMs),
    ...noteTimes(first, nowMs),
    ...(isCut ? [nowMs + afterCutMs] : []),
  ]);
  const { atMs: wakeAtMs, how } = soonest === undefined ? {} : wakeOf(context, rounds, soonest);
  if (wakeAtMs !== undefined) await ports.wakes.wake([group.name], wakeAtMs, how);
  const raised = raisedAfter(context.id, last.state.raised, learned, nowMs);
  const tried = triedIn([...rounds, admissions]);
  const suspended = suspendedAfter(first.view, last.state.suspended, { resumed, nowMs, ...tried });
  const state = withHeldBack(last.state, context.id, heldBackIn(rounds));
  await noteActs(context, last.state, { ...admissions, raised, suspended, takenDown, state, first, attached: added });
  return {
    ...admissions,
    restored: [...learned.putBack, ...learned.changed],
    ...(wakeAtMs === undefined ? {} : { wakeAtMs }),
  };
};

/** Changes that were noted before they were made, and are settled now. And what was done that no describe may show. */
type Settled = Attached & {
  readonly raised: readonly RaisedMax[];
  readonly suspended: readonly Suspension[] | undefined;
  readonly takenDown: TakenDown;
  readonly first: Round;
  /** The note under which members were attached. */
  readonly attached: Added | undefined;
  /** The state of the last round, after choices that are not carried out were taken back. */
  readonly state: GroupState;
};

/** Writes the settled notes. A lost race costs only a repeated call, so the write is not repeated. */
const noteActs = async (
  { ports, group }: Run,
  state: GroupState,
  { raised, suspended, takenDown, first, attached, state: after, ...result }: Settled,
): Promise<void> => {
  const { added: notes = [], suspended: noted, ...rest } = after;
  const { admitted } = result;
  const { asgs, ended } = first.view;
  const unused = isUnused(first, attached, result) ? attached : undefined;
  const registered = admitted.length > 0 && namedTargetGroups(group).length > 0 ? admitted : [];
  const settled = [registered, ...Object.values(takenDown)];
  const isSame = after === state && raised === state.raised && suspended === noted;
  if (isSame && unused === undefined && settled.every((list) => list.length === 0)) return;
  const nowMs = ports.clock.now();
  const inGroup = [...admitted, ...asgs.flatMap(({ holds }) => holds)].filter((instance) => !ended.includes(instance));
  const kept = notes.filter((one) => one !== unused);
  const added = afterTakingDown(kept, takenDown, nowMs, inGroup);
  await putState(
    group.name,
    {
      ...rest,
      version: state.version + 1,
      raised,
      ...(added.length > 0 && { added }),
      ...(suspended !== undefined && { suspended }),
      ...(registered.length > 0 && { registered: withRegistered(state.registered, registered, nowMs) }),
    },
    ports,
  );
};
