import { allSettled, throwIfFailed } from '../../../aws/calls/in-parallel.ts';
import { announcements } from '../../../core/contract.ts';
import { mayBeShown } from '../../../core/group/attached-number.ts';
import { asgsOf, withFormer } from '../../../core/group/holders.ts';
import { mayBeAdded, outsideAsgOf } from '../../../core/group/outside-size.ts';
import { asRenewed } from '../../../core/group-state/restored.ts';
import { isLetGo, sameState, withEnds } from '../../../core/group-state/state.ts';
import { isBelieved, isOpen } from '../../../core/launch/reservation-life.ts';
import { traitsOf } from '../../../core/removal/leave-reason.ts';
import { describeLagMs } from '../../../core/times/times.ts';
import type { Added } from '../../../core/view/added.ts';
import { type Notes, notedAsgs, notesThat, withNotes } from '../../../core/view/notes.ts';
import { isPutBack, mayBeRaisedYet, openRaises, type RaisedMax, raisedAfter } from '../../../core/view/raised-max.ts';
import { isResumedForGood, lastResumesAtMs, openSuspensions, type Suspension } from '../../../core/view/suspension.ts';
import type { GroupState } from '../../../core/view/view.ts';
import { claimAll } from '../carry-out/claims.ts';
import { drainsOf } from '../carry-out/drain-names.ts';
import { completeHooks } from '../carry-out/hooks.ts';
import { putMaxBack, resume, takeDown } from '../carry-out/put-back.ts';
import { claimable, reportedIn } from '../look/leaving-now.ts';
import type { Facts } from '../messages/facts.ts';
import type { ReactPorts } from '../ports.ts';
import { announceStarted } from '../record/announce.ts';
import { newDecisionId } from '../record/identifiers.ts';
import { closeLetGo } from './open-swaps.ts';

/**
 * Claims members that EC2 takes while their group is let go, because EC2 warns only once. A policy that returns before
 * they have gone finds their swaps, and so does the next group that holds their Auto Scaling group.
 */
const claimTaken = async (facts: Facts, state: GroupState | undefined, ports: ReactPorts): Promise<void> => {
  const { store, clock, random } = ports;
  const taken = facts.leaving.filter((fact) => traitsOf(fact).endedBy === 'ec2');
  const last = taken.length === 0 ? undefined : await store.lastGroup(facts.group);
  if (last === undefined) return;
  const group = withFormer(last, state);
  const asgs = new Set(asgsOf(group));
  const ours = reportedIn({ ...facts, leaving: taken }, group, asgs);
  const { leaving } = claimable(group, { told: ours, leaving: ours });
  const [id, swaps] = [newDecisionId(clock, random), await store.swaps(facts.group)];
  const claimed = await claimAll(leaving, swaps, {
    store,
    group: facts.group,
    nowMs: clock.now(),
    decision: id,
    drainFor: drainsOf(facts.group, id, swaps),
    members: new Map(),
    asgs,
    ended: new Set(facts.ended),
  });
  await announceStarted({ group, id, ports }, claimed.fresh);
  throwIfFailed(claimed);
};

/** An event holds 256 KB. */
const mostNamed = 1_000;

const puttingBack = (group: string, { asg }: { readonly asg: string }, ports: ReactPorts) => ({
  group: { name: group },
  ports,
  provider: ports.providerFor({ kind: 'attach', asg }),
});

/**
 * Puts maximum sizes back. Returns the notes of those that it could not put back: the desired capacity is above the old
 * maximum, AWS refuses the call, an attach may still add to the desired capacity, or an invocation that decided before
 * the policy was deleted may still raise it. It also returns those that a describe may still show as raised: if the
 * policy returns, they must not count as maxima that their owners set.
 */
const putBack = async (
  group: string,
  raised: readonly RaisedMax[],
  notes: Pick<Notes, 'added'>,
  ports: ReactPorts,
): Promise<readonly RaisedMax[]> => {
  const putBack: string[] = [];
  const changed: string[] = [];
  const last = raised.length === 0 ? undefined : await ports.store.lastGroup(group);
  const outside = last && outsideAsgOf(last);
  const open = openRaises(raised, ports.clock.now());
  for (const one of open.filter((note) => !isPutBack(note) && !mayBeAdded(notes, note.asg))) {
    const restored = await putMaxBack(puttingBack(group, one, ports), one, outside);
    if (restored === 'done') putBack.push(one.asg);
    if (restored === 'changed-by-others') changed.push(one.asg);
  }
  return raisedAfter(group, open, { answered: [], putBack, changed }, ports.clock.now());
};

/**
 * Resumes suspended processes, and takes off what attaching added, unless others have set the size since. Returns the
 * notes of what AWS refuses, for the next look, and of processes that another function may still suspend. It also
 * returns those of sizes and processes that a describe may still show as they were: if the policy returns, they must
 * not count as what others set.
 */
const letBe = async (
  group: string,
  { added = [], suspended = [] }: Notes,
  ports: ReactPorts,
): Promise<Required<Pick<Notes, 'added' | 'suspended'>>> => {
  const nowMs = ports.clock.now();
  const left: Added[] = added.filter((one) => mayBeShown(one, nowMs));
  for (const one of added.filter(({ takenDownAtMs }) => takenDownAtMs === undefined)) {
    const { kind: lowered } = await takeDown(puttingBack(group, one, ports), one);
    const isUnseen = lowered === 'not-yet' && nowMs - one.atMs < describeLagMs;
    if (lowered === 'refused' || isUnseen) left.push(one);
    if (lowered === 'done' || lowered === 'unseen') left.push({ ...one, takenDownAtMs: nowMs });
  }
  const held: Suspension[] = [];
  for (const one of openSuspensions(suspended, nowMs)) {
    // What is suspended after that was suspended by the owner.
    const isKept = isResumedForGood(one) || (await resume(puttingBack(group, one, ports), one)) === 'refused';
    held.push(isKept ? one : { ...one, resumedAtMs: nowMs });
  }
  return { added: left, suspended: held };
};

/** The log repeats at this interval that a maximum stays raised. */
const tellEveryMs = 900_000;

/** Logs that maxima stay raised, because they could not be put back. Returns when to log it again. */
const tellRaised = (group: string, state: GroupState, { clock, telemetry }: ReactPorts): number => {
  const nowMs = clock.now();
  const { wakeAtMs } = state;
  const raised = state.raised.filter((one) => !isPutBack(one) && !mayBeRaisedYet(one, nowMs));
  if (raised.length === 0 || nowMs < wakeAtMs) return wakeAtMs;
  telemetry.logger.warn(
    'A maximum that Holdfast had raised stays raised: the group was let go while its Auto Scaling group holds more.',
    { group, raised },
  );
  return nowMs + tellEveryMs;
};

/** The state without changes to Auto Scaling groups that another group has taken over: a new holder inherits them. */
const withoutHeirs = async (group: string, state: GroupState, { store }: ReactPorts): Promise<GroupState> => {
  const noted = notedAsgs(state);
  if (noted.size === 0) return state;
  const holders = (await store.registry()).filter(
    (entry) => entry.group !== group && entry.asgs.some((asg) => noted.has(asg)),
  );
  const states = await allSettled(holders.map((entry) => store.state(entry.group)));
  const taken = new Set(states.flatMap((one) => one?.holders ?? []));
  return withNotes(
    state,
    notesThat(state, ({ asg }) => !taken.has(asg)),
  );
};

/**
 * Instances that were launched and may not have joined yet keep running beside the others. They are reported once, and
 * become members again when the policy returns.
 */
const tellLaunched = async (
  group: string,
  state: GroupState,
  { announcer, clock, telemetry }: ReactPorts,
): Promise<void> => {
  const coming = state.reservations.filter(isBelieved(clock.now()));
  const launched = coming.flatMap((reservation) => reservation.instances ?? []).slice(0, mostNamed);
  const unanswered = coming.filter(isOpen).map(({ id }) => id);
  // All instances of a request that still counts may have ended.
  if (isLetGo(state) || launched.length + unanswered.length === 0) return;
  const detail = { launched, unanswered };
  telemetry.logger.warn('A group was let go during launches. The launched instances keep running, with its tag.', {
    group,
    ...detail,
  });
  await announcer.announce([{ detailType: announcements.groupLetGo, group, detail }]);
};

type LetGo = { readonly kind: 'let-go' | 'contended' };

/** Puts back what Holdfast changed in Auto Scaling groups. Returns the state with what is left to put back. */
const undo = async (group: string, state: GroupState, ports: ReactPorts): Promise<GroupState> => {
  const ours = await withoutHeirs(group, state, ports);
  const notes = await letBe(group, ours, ports);
  const raised = await putBack(group, ours.raised, notes, ports);
  // New members are no longer put into service, so their ends do not count as failed boots.
  const { newcomers: _new, goneAsgs: _gone, ...rest } = state;
  return withNotes(rest, { ...notes, raised });
};

const letGroupGo = async (facts: Facts, ports: ReactPorts): Promise<LetGo> => {
  const { group, causes, stoppedDrains } = facts;
  const stored = await ports.store.state(group);
  const state = stored && ports.believed(group, stored);
  // Swaps do not depend on the state item, which may be lost, and EC2 warns only once.
  await claimTaken(facts, state, ports);
  if (state !== undefined) await tellLaunched(group, state, ports);
  const undone = state && (await undo(group, state, ports));
  await closeLetGo({ group, stoppedDrains, wasLetGo: state !== undefined && isLetGo(state) }, ports);
  if (stored === undefined || state === undefined || undone === undefined) return { kind: 'let-go' };
  // A look after the message about the deletion should find it let go already. So an older item may have been restored.
  const isLate = !isLetGo(state) && causes.every(({ code }) => code !== 'policy-change');
  const found = isLate ? asRenewed(undone, ports.clock.now()) : undone;
  const nowMs = ports.clock.now();
  const left = { ...withEnds(found, facts.ended, nowMs), reservations: state.reservations.filter(isBelieved(nowMs)) };
  const wakeAtMs = tellRaised(group, left, ports);
  const resumesAtMs = lastResumesAtMs(left.suspended ?? [], nowMs);
  if (resumesAtMs.length > 0) await ports.wakes.wake([group], Math.min(...resumesAtMs));
  const next = { ...left, policyVersion: stored.policyVersion, policySize: '', wakeAtMs };
  // The state is written even without a change, except for a tick: a function that decides with a policy read before
  // its deletion must lose its write.
  if (causes.every(({ code }) => code === 'tick') && sameState(next, state)) return { kind: 'let-go' };
  const written = await ports.store.putState(group, { ...next, version: state.version + 1 });
  return { kind: written === 'done' ? 'let-go' : 'contended' };
};

/**
 * Leaves a group whose policy is gone: puts its maximum sizes back, closes swaps that end, and records that the next
 * policy of this name sets the size anew. Its instances are not touched, and drains under way end by themselves.
 */
export const letGo = async (facts: Facts, ports: ReactPorts): Promise<LetGo> => {
  // Instances of a deleted group get no drain, so their lifecycle hooks are completed now instead of waiting until they
  // expire.
  const answered = await completeHooks(facts.leaving, ports);
  const done = await letGroupGo(facts, ports);
  throwIfFailed(answered);
  return done;
};
