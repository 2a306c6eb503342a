import { allSettled } from '../../aws/calls/in-parallel.ts';
import { metrics } from '../../core/contract.ts';
import type { Decision } from '../../core/decision/decision.ts';
import type { Overtaken } from '../../core/decision/decision-record.ts';
import { modeOf } from '../../core/group/mode.ts';
import { applyAnswers, type Launched, type Order } from '../../core/group-state/answers.ts';
import { bind } from '../../core/group-state/binding.ts';
import { lastOf } from '../../core/group-state/restored.ts';
import { followView, sameState } from '../../core/group-state/state.ts';
import { withUnreplaced } from '../../core/group-state/unreplaced.ts';
import { decideInMode, type InMode } from '../../core/observe/in-mode.ts';
import { leaseMs } from '../../core/times/times.ts';
import { raisedAfter } from '../../core/view/raised-max.ts';
import type { GroupState, View } from '../../core/view/view.ts';
import { claimedMeanwhile } from './carry-out/claimed-meanwhile.ts';
import { launchAll, readRequests, writeRequests } from './carry-out/launches.ts';
import { takeOver } from './carry-out/lowered-sizes.ts';
import { markAnswered, suspendAll } from './carry-out/suspend.ts';
import { suspendedMeanwhile } from './carry-out/suspended-meanwhile.ts';
import { type Gathered, viewOf } from './look/gather.ts';
import { heardIn } from './look/leaving-now.ts';
import { tellNews } from './record/announce.ts';
import { isNews } from './record/is-news.ts';
import { mostConflicts, putState, putStateAgain } from './record/put-state.ts';
import { type Decided, recordDecided, recordObserved, recordOvertaken, recordUnobserved } from './record/record.ts';
import type { Round, Run } from './run.ts';
import { type Allowed, giveTurnBack, shareLessons, takeTurn } from './turns/take-turn.ts';

/** Instances that a stored decision names. */
const namedAtMost = 50;

/**
 * Raises maxima. Returns the Auto Scaling groups of which AWS has answered the call. Where it refuses, members that
 * join have no room. A maximum that cannot be raised now holds up neither launches nor drains.
 */
const raiseAll = async ({ group, provider, ports }: Run, { raise }: Decision): Promise<readonly string[]> => {
  const answered: string[] = [];
  for (const raised of raise) {
    if ((await provider.raiseMax(raised)) !== 'refused') {
      answered.push(raised.asg);
      continue;
    }
    ports.telemetry.count(metrics.actionsFailed);
    ports.telemetry.logger.error('A maximum could not be raised: members wait to join their Auto Scaling group.', {
      group: group.name,
      raised,
    });
  }
  return answered;
};

/**
 * Only as many members join as have room. The next tick tries again, because an earlier attempt would be refused too.
 */
const asFits = ({ wakeAtMs: _refused, ...decision }: Decision, { asgs }: View): Decision => {
  const room = asgs.reduce((sum, { max, desired }) => sum + Math.max(0, max - desired), 0);
  return { ...decision, admissions: decision.admissions.slice(0, room) };
};

/** A decision that neither launches, removes nor lowers a size is stored only together with its outcome. */
const isKept = ({ decision: { placements, takeOver: lowered, removals, remarks = [] } }: Decided): boolean =>
  placements.length + lowered.length + removals.length + remarks.length > 0;

const explain = async (run: Run, decided: Decided): Promise<void> => {
  if (decided.observed?.isNews) await recordObserved(run, decided, decided.observed);
  if (isKept(decided)) await recordDecided(run, decided);
};

const overtaken = async (run: Run, decided: Decided, by: Overtaken): Promise<void> => {
  if (decided.observed?.isNews) await recordUnobserved(run, decided, decided.observed, by);
  if (run.hasClaimed || isKept(decided)) await recordOvertaken(run, decided, by);
};

/** Whether the policy of a decision is still in force. If not, the decision is stored as overtaken. */
const isInForce = async (run: Run, decided: Decided): Promise<boolean> => {
  const now = await run.ports.store.group(run.group.name);
  if (now?.policyVersion === run.group.policyVersion) return true;
  if (now !== undefined) await overtaken(run, decided, { by: 'policy', policyVersion: now.policyVersion });
  return false;
};

/**
 * Makes a decision binding: writes the state item, under the policy in force and the version that was read. Undefined
 * when either has changed, or when more members leave than it knew. When the state item is created, there is no
 * version that a deletion of the policy could have raised, so the policy is read once more after the write.
 */
const write = async (run: Run, decided: Decided, state: GroupState): Promise<GroupState | undefined> => {
  const { group, ports } = run;
  const claimed = await claimedMeanwhile(decided.decision, decided.view, ports);
  if (claimed.length > 0) {
    await overtaken(run, decided, { by: 'claims', instances: claimed.slice(0, namedAtMost), count: claimed.length });
    return undefined;
  }
  const written = await putState(group.name, state, ports);
  if (written === 'conflict') {
    await overtaken(run, decided, { by: 'state', readVersion: state.version - 1 });
    return undefined;
  }
  return state.version > 1 || (await isInForce(run, decided)) ? written : undefined;
};

/** Removals are decided once. Decisions after a refusal are about launches alone. */
const withoutRemovals = (decision: Decision): Decision => ({ ...decision, removals: [], drains: [], remarks: [] });

/** A look, and how the same look decides about another view. */
type Looked = InMode & { readonly again: (view: View) => Decision };

/** Decides about what was gathered, in the group's mode. */
const look = (run: Run, gathered: Gathered, earlier: readonly Round[]): Looked => {
  const { ports, facts, observedId: id } = run;
  const nowMs = ports.clock.now();
  const seen = viewOf(gathered, nowMs, facts);
  const { desired } = gathered;
  const heard = modeOf(run.group) === 'act' ? [] : heardIn(facts, gathered, nowMs).leaving;
  const inMode = (view: View): InMode => {
    const decided = decideInMode(view, { heard, desired, id });
    return earlier.length === 0 ? decided : { ...decided, decision: withoutRemovals(decided.decision) };
  };
  const followed = { ...seen, state: followView(seen, facts) };
  const state = withUnreplaced(followed, gathered.stored.desired);
  return { ...inMode({ ...followed, state }), again: (view) => inMode(view).decision };
};

/** Whether no noted call is pending. A noted call is repeated, because the function that noted it may have died. */
const isNoCallNoted = ({ raise, suspend = [], takeDown = [] }: Decision): boolean =>
  [raise, suspend, takeDown].every((calls) => calls.length === 0);

/** Sends requests, and beside them does the work that only waits for their reservations. */
const launch = async (run: Run, orders: readonly Order[]): Promise<readonly Launched[]> => {
  const beside = orders.length > 0 ? run.whileLaunching?.() : undefined;
  try {
    return await launchAll(orders, run);
  } finally {
    await beside;
  }
};

/**
 * Whether another decision was written between these two writes of a run. Writes that only noted what signals say
 * counted no launches.
 */
const decidedBetween = (before: GroupState, after: GroupState): boolean =>
  after.version - before.version - 1 > (after.notes ?? 0) - (before.notes ?? 0);

/** Makes the calls of a decision that is written, and records EC2's responses. */
const request = async (
  run: Run,
  round: Omit<Round, 'launched'>,
  orders: readonly Order[],
  earlier: readonly Round[],
): Promise<Round> => {
  const { view, decision, state } = round;
  const { denied, suspended } = await suspendAll(run, decision, earlier);
  const raised = await raiseAll(run, decision);
  const launched = await launch(run, orders);
  shareLessons(run, launched);
  const fitting = raised.length === decision.raise.length ? decision : asFits(decision, view);
  const played = { ...round, decision: fitting, launched, denied, suspended, raised };
  if (launched.length === 0) return played;
  const answered = await writeAnswers(run, played);
  return { ...played, state: answered, ...(decidedBetween(state, answered) && { isCrowded: true }) };
};

/** Makes a decision binding that has had its turn, and launches. Returns undefined after a lost race. */
const playAllowed = async (
  run: Run,
  gathered: Gathered,
  earlier: readonly Round[],
  { view, decision: wanted, observed, again }: Allowed & Pick<Looked, 'observed' | 'again'>,
): Promise<Round | undefined> => {
  const { sizes, lookedAtMs, stored } = gathered;
  const before = { view, decision: wanted, sizes, earlier, observed };
  // Describes take seconds. If the policy has changed since it was read, the decision must have no effect.
  const isIdle = !isNews(run, { decision: wanted, sizes, launched: [] }, stored) && sameState(view.state, stored);
  if (!isIdle && !(await isInForce(run, before))) return undefined;
  if (await suspendedMeanwhile(wanted, gathered.stored, run)) return undefined;
  // The reasons are stored before a desired capacity is lowered: this function may die after that call.
  if (wanted.takeOver.length > 0) await explain(run, before);
  const { decision, lowered, after } = await takeOver(run, { view, decision: wanted, again });
  const bound = bind(decision, after, { decision: run.id, round: earlier.length, leaseMs });
  const next = { ...bound.state, version: gathered.stored.version + 1 };
  const decided = { ...before, decision };
  // The reasons and the requests are stored before they have any effect. So the work of an invocation that dies can be
  // explained and repeated.
  const isExplained = wanted.takeOver.length > 0 && decision === wanted;
  const explained = isExplained ? undefined : explain(run, decided);
  const [fresh] = await allSettled([writeRequests(bound.fresh, run), explained]);
  const isWritten = isNoCallNoted(decision) && sameState(next, gathered.stored) && gathered.stored.version > 0;
  if (isWritten) return { view, decision, sizes, lookedAtMs, launched: [], state: gathered.stored };
  const state = await write(run, decided, next);
  if (state === undefined) return undefined;
  const orders = [...(await readRequests(bound.repeated, run)), ...fresh];
  const round = { view, decision, sizes, lookedAtMs, state, lowered };
  const [told, played] = await allSettled([tellNews(run, decision), request(run, round, orders, earlier)]);
  return { ...played, told };
};

/** Why a decision had no effect: another one was written first, or another one about the group is about to launch. */
export type Lost = 'race' | 'turn';

/**
 * Decides, makes the decision binding, launches. After a loss the group is gathered again.
 *
 * @param isLate whether the decision is made without launches if another one about the group is about to launch
 */
export const playRound = async (
  run: Run,
  gathered: Gathered,
  earlier: readonly Round[],
  isLate: boolean,
): Promise<Round | Lost> => {
  const { observed, again, ...found } = look(run, gathered, earlier);
  const allowed = await takeTurn(run, found, again, isLate);
  if (allowed === undefined) return 'turn';
  const played = await playAllowed(run, gathered, earlier, { ...allowed, observed, again });
  if (played === undefined || played.launched.length === 0) giveTurnBack(run, allowed);
  return played ?? 'race';
};

/**
 * Records EC2's responses. Other invocations may have written meanwhile. The responses concern only our own
 * reservations, so they are merged into the present state. If a user has deleted or restored the item, the state of
 * this run is written anew. Lost responses hold up the group until the requests are repeated.
 */
const writeAnswers = async (
  { id, group, ports }: Run,
  { view, state, suspended, raised, launched }: Round & Required<Pick<Round, 'suspended' | 'raised'>>,
): Promise<GroupState> => {
  const answers = { answered: raised, putBack: [], changed: [] };
  let base = state;
  for (let attempt = 0; attempt < mostConflicts; attempt++) {
    const nowMs = ports.clock.now();
    const marked = { ...markAnswered(base, suspended), raised: raisedAfter(id, base.raised, answers, nowMs) };
    const next = { ...applyAnswers(marked, launched, { ...view, group, nowMs }), version: base.version + 1 };
    const written = await putStateAgain(group.name, next, ports);
    if (written !== 'conflict') return written;
    base = lastOf(base, await ports.store.state(group.name), ports.clock.now());
  }
  throw new Error(
    `The responses to ${launched.length} launch requests of group ${group.name} could not be written: ` +
      `the state item changed ${mostConflicts} times meanwhile. ` +
      'Nothing is lost: the requests stay reserved and are repeated under the same tokens.',
  );
};
