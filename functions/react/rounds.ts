import { decide, isQuiet } from '../../core/decide.ts';
import type { Decision } from '../../core/decision.ts';
import { repeatAfterMs } from '../../core/reservation-life.ts';
import type { Swap } from '../../core/swap.ts';
import type { GroupState, View } from '../../core/view.ts';
import { metrics } from '../contract.ts';
import { type Gathered, gather, viewOf } from './gather.ts';
import { followView, sameState } from './group-state.ts';
import { readInForce } from './in-force.ts';
import { applyAnswers, type Launched, launchAll, missingAfter, readRequests, writeRequests } from './launch.ts';
import { learn } from './learn.ts';
import { putState } from './put-state.ts';
import { type Decided, recordDecided, recordOvertaken } from './record.ts';
import { bind } from './reserve.ts';
import type { Round, Run } from './run.ts';

/** Decisions in one go: the first, and one after each refusal. */
const mostRounds = 8;
/** Time for decisions after refusals; what is still missing then is left to the wake. */
const roundsBudgetMs = 18_000;
/** Lost races for the state item before the messages are given back. */
const mostConflicts = 5;

/**
 * Whether everything fits that is to join: a maximum that cannot be raised now holds up neither launches nor drains.
 */
const raiseAll = async ({ group, provider, ports }: Run, { raise }: Decision): Promise<boolean> => {
  let fits = true;
  for (const raised of raise) {
    if ((await provider.raiseMax(raised)) !== 'refused') continue;
    fits = false;
    ports.telemetry.count(metrics.actionsFailed);
    ports.telemetry.logger.error('A maximum could not be raised: members wait to join their Auto Scaling group.', {
      group: group.name,
      raised,
    });
  }
  return fits;
};

/**
 * As many join as there is room for. The next tick tries again: nothing is gained by asking sooner what was just
 * refused.
 */
const asFits = ({ wakeAtMs: _refused, ...decision }: Decision, { asgs }: View): Decision => {
  const room = asgs.reduce((sum, { max, desired }) => sum + Math.max(0, max - desired), 0);
  return { ...decision, admissions: decision.admissions.slice(0, room) };
};

/**
 * Takes over Auto Scaling groups before anything is launched in their place. One that has launched meanwhile, or cannot
 * be taken over now, goes on by itself: then nothing is launched before another look.
 */
const takeOver = async ({ provider, ports }: Run, decision: Decision): Promise<Decision> => {
  let isOurs = true;
  for (const { asg, desired } of decision.takeOver)
    isOurs = (await provider.takeOver(asg, desired)) === 'done' && isOurs;
  return isOurs ? decision : { ...decision, placements: [], wakeAtMs: ports.clock.now() + repeatAfterMs };
};

/** A decision that neither launches nor removes anybody is kept only with what came of it. */
const isKept = ({ decision }: Decided): boolean => decision.placements.length > 0 || decision.removals.length > 0;

const explain = async (run: Run, decided: Decided): Promise<void> => {
  if (isKept(decided)) await recordDecided(run, decided);
};

/**
 * Whether the policy that a decision was made with is the one in force now; where it is another, the decision is kept
 * as overtaken.
 */
const isInForce = async (run: Run, decided: Decided): Promise<boolean> => {
  const now = await run.ports.store.group(run.group.name);
  if (now?.policyVersion === run.group.policyVersion) return true;
  if (now !== undefined && isKept(decided))
    await recordOvertaken(run, decided, { by: 'policy', policyVersion: now.policyVersion });
  return false;
};

/**
 * Makes a decision binding: writes the state item, under the policy in force and the version that was read. Undefined
 * when either is another by now.
 * A state item that is made anew has no version that a deletion of the policy could have counted on, so the policy is
 * looked at once more after it.
 */
const write = async (run: Run, decided: Decided, state: GroupState): Promise<GroupState | undefined> => {
  const { group, ports } = run;
  const written = await putState(group.name, state, ports);
  if (written === 'conflict') {
    if (isKept(decided)) await recordOvertaken(run, decided, { by: 'state', readVersion: state.version - 1 });
    return undefined;
  }
  return state.version > 1 || (await isInForce(run, decided)) ? written : undefined;
};

/** Decides, makes the decision binding, launches. A lost race gives undefined: gather again. */
const playRound = async (run: Run, gathered: Gathered, earlier: readonly Round[]): Promise<Round | undefined> => {
  const { ports, facts } = run;
  const look = viewOf(gathered, ports.clock.now(), facts.ended);
  const view = { ...look, state: followView(look, facts) };
  // Who leaves is decided once: what is decided after a refusal is about launches alone.
  const wanted = earlier.length === 0 ? decide(view) : { ...decide(view), removals: [], drains: [] };
  const before = { view, decision: wanted, sizes: gathered.sizes, earlier: earlier.map((one) => one.decision) };
  // Describes take seconds: the policy may have changed since it was read, and then nothing may follow from it.
  if (!(isQuiet(wanted) && sameState(view.state, gathered.stored)) && !(await isInForce(run, before))) return undefined;
  const decision = await takeOver(run, wanted);
  const bound = bind(decision, view, { decision: run.id, round: earlier.length });
  const next = { ...bound.state, version: gathered.stored.version + 1 };
  const decided = { ...before, decision };
  // The reasons and the requests stand before anything follows from them: whatever dies after this, what it did can be
  // explained, and repeated.
  const [fresh] = await Promise.all([writeRequests(bound.fresh, run), explain(run, decided)]);
  // A maximum may stand as raised where whoever noted it died before raising it.
  const isWritten = decision.raise.length === 0 && sameState(next, gathered.stored) && gathered.stored.version > 0;
  if (isWritten) return { view, decision, sizes: gathered.sizes, launched: [], state: gathered.stored };
  const state = await write(run, decided, next);
  if (state === undefined) return undefined;
  const fits = await raiseAll(run, decision);
  const launched = await launchAll([...(await readRequests(bound.repeated, run)), ...fresh], run);
  const played = { view, sizes: gathered.sizes, decision: fits ? decision : asFits(decision, view), launched };
  return { ...played, state: launched.length === 0 ? state : await writeAnswers(run, state, launched) };
};

/**
 * Writes down what EC2 said. Others may have written meanwhile: the answers concern only our own reservations, so they
 * go into whatever stands there.
 */
const writeAnswers = async (
  { group, ports }: Run,
  state: GroupState,
  launched: readonly Launched[],
): Promise<GroupState> => {
  let base = state;
  for (let attempt = 0; attempt < mostConflicts; attempt++) {
    const next = { ...applyAnswers(base, launched, group, ports.clock.now()), version: base.version + 1 };
    const written = await putState(group.name, next, ports);
    if (written !== 'conflict') return written;
    base = (await ports.store.state(group.name)) ?? base;
  }
  throw new Error(
    `The answers to ${launched.length} launch requests of group ${group.name} could not be written: the state item changed ${mostConflicts} times meanwhile. Nothing is lost: the requests stay reserved and are repeated under the same tokens.`,
  );
};

const hasTime = ({ ports, startedAtMs }: Run): boolean => ports.clock.now() - startedAtMs < roundsBudgetMs;

/** What the rounds of a run came to. `run` has the policy that they were decided with. */
export type Played =
  | { readonly kind: 'played'; readonly run: Run; readonly rounds: readonly Round[] }
  /** Too many races were lost. */
  | { readonly kind: 'contended' }
  /** The policy was deleted before anything was decided with it. */
  | { readonly kind: 'let-go' };

/** Gathers anew after a lost race, with the policy in force now. Undefined when it is gone. */
const lookAgain = async (
  run: Run,
  warned: readonly Swap[],
): Promise<{ readonly run: Run; readonly gathered: Gathered } | undefined> => {
  const { facts, ports } = run;
  const now = await readInForce(run.group.name, ports);
  if (now === undefined) return undefined;
  const renewed = { ...run, group: now.group, provider: ports.providerFor(now.group.holding) };
  return {
    run: renewed,
    gathered: learn(await gather(now.group, facts, renewed.provider, ports, now), renewed, warned),
  };
};

type Again = { readonly kind: 'again'; readonly run: Run; readonly gathered: Gathered };

/**
 * All rounds are decided with one policy: where another comes into force after the first, its own signal goes on from
 * there.
 */
const afterLostRace = async (
  run: Run,
  rounds: readonly Round[],
  lost: number,
  warned: readonly Swap[],
): Promise<Again | Played> => {
  const played: Played = { kind: 'played', run, rounds };
  if (lost >= mostConflicts) return rounds.length > 0 ? played : { kind: 'contended' };
  const again = await lookAgain(run, warned);
  if (again === undefined) return rounds.length > 0 ? played : { kind: 'let-go' };
  return rounds.length > 0 && again.run.group.policyVersion !== run.group.policyVersion
    ? played
    : { kind: 'again', ...again };
};

/** Rounds until everything is placed, nothing eligible is left, or the time is up. */
export const playRounds = async (first: Run, found: Gathered, warned: readonly Swap[]): Promise<Played> => {
  const rounds: Round[] = [];
  let [run, gathered, lost] = [first, found, 0];
  while (rounds.length < mostRounds) {
    const played = await playRound(run, gathered, rounds);
    if (played === undefined) {
      lost += 1;
      const next = await afterLostRace(run, rounds, lost, warned);
      if (next.kind !== 'again') return next;
      ({ run, gathered } = next);
      continue;
    }
    rounds.push(played);
    if (missingAfter(played.launched) === 0 || !hasTime(run)) break;
    gathered = { ...gathered, stored: played.state, state: played.state };
  }
  return { kind: 'played', run, rounds };
};
