import { decide, isQuiet } from '../../core/decide.ts';
import type { Decision } from '../../core/decision.ts';
import type { Group } from '../../core/group.ts';
import type { CapacityIn } from '../../core/ports.ts';
import type { Swap } from '../../core/swap.ts';
import type { GroupState, View } from '../../core/view.ts';
import { metrics } from '../contract.ts';
import { type Acted, act } from './act.ts';
import { claimAll } from './claims.ts';
import type { Facts } from './facts.ts';
import { type Gathered, gather, viewOf } from './gather.ts';
import { followView, learnFromInterruptions, sameState } from './group-state.ts';
import { drainName, newDecisionId } from './identifiers.ts';
import { applyAnswers, type Launched, launchAll, missingAfter } from './launch.ts';
import { beginWaiting, claimRemovals, startDrains } from './leave.ts';
import { letGo } from './let-go.ts';
import { mend, withoutEnded } from './mend.ts';
import type { ReactPorts } from './ports.ts';
import { record, recordDecided } from './record.ts';
import { bind } from './reserve.ts';

/** What became of one group. */
export type Converged =
  | { readonly kind: 'converged'; readonly launched: number; readonly unplaced: number }
  /** The group has no accepted policy (any more): its instances are left alone. */
  | { readonly kind: 'let-go' }
  /** Too many others wrote at the same time; nothing of ours is half done, and the messages come again. */
  | { readonly kind: 'contended' };

/** Decisions in one go: the first, and one after each refusal. */
const mostRounds = 8;
/** Time for decisions after refusals; what is still missing then is left to the wake. */
const roundsBudgetMs = 18_000;
/** Lost races for the state item before the messages are given back. */
const mostConflicts = 5;

type Run = {
  readonly group: Group;
  readonly provider: CapacityIn;
  readonly facts: Facts;
  readonly ports: ReactPorts;
  readonly id: string;
  readonly startedAtMs: number;
};

/** Claims what the signals said, and gives the gathered facts with those claims in them. */
const claimFacts = async (run: Run, gathered: Gathered): Promise<{ readonly gathered: Gathered; readonly fresh: readonly Swap[] }> => {
  const { facts, group, ports, id } = run;
  const leaving = facts.leaving.filter(({ reason }) => reason !== 'rebalance' || group.rebalance.act);
  const nowMs = ports.clock.now();
  const drains = new Map<number, string>();
  const drainFor = (deadlineMs: number | undefined): string => {
    // Warnings of one storm differ by a few seconds: those within ten share a drain, which keeps to the earliest.
    const bucket = deadlineMs === undefined ? 0 : Math.floor(deadlineMs / 10_000);
    const name = drains.get(bucket) ?? drainName(group.name, id, drains.size);
    drains.set(bucket, name);
    return name;
  };
  const members = new Map(gathered.holdings.members.map((member) => [member.instance, member]));
  const claimed = await claimAll(leaving, gathered.swaps, { store: ports.store, group: group.name, nowMs, decision: id, drainFor, members });
  ports.telemetry.count(metrics.interruptions, claimed.fresh.filter(({ reason }) => reason === 'interruption').length);
  const swaps = await mend(run, { ...gathered, swaps: claimed.swaps }, drainName(group.name, id, 8));
  return { gathered: learn({ ...gathered, swaps }, run, claimed.fresh), fresh: claimed.fresh };
};

/** What signals teach the state, beyond what was claimed: offerings that EC2 takes from, launches that came to nothing. */
const learn = (gathered: Gathered, { facts, ports }: Run, fresh: readonly Swap[]): Gathered => {
  const ended = [...gathered.holdings.ended, ...facts.ended];
  return { ...gathered, state: learnFromInterruptions(withoutEnded(gathered.state, ended), fresh, ports.clock.now()) };
};

type Round = { readonly decision: Decision; readonly view: View; readonly launched: readonly Launched[]; readonly state: GroupState };

/** Decides, makes the decision binding, launches. A lost race gives undefined: gather again. */
const playRound = async (run: Run, gathered: Gathered, round: number): Promise<Round | undefined> => {
  const { group, ports, provider, facts } = run;
  const look = viewOf(group, gathered, ports.clock.now(), facts.ended);
  const view = { ...look, state: followView(look, facts) };
  const decision = decide(view);
  const bound = bind(decision, view, { decision: run.id, round });
  const state = { ...bound.state, version: gathered.stored.version + 1 };
  // A maximum may stand as raised where whoever noted it died before raising it.
  if (decision.raise.length === 0 && sameState(state, gathered.stored) && gathered.stored.version > 0)
    return { decision, view, launched: [], state: gathered.stored };
  // The reasons stand before anything follows from them: whatever dies after this, what it launched can be explained.
  const [written] = await Promise.all([
    ports.store.putState(group.name, state),
    decision.placements.length > 0 ? recordDecided(run, view, decision) : undefined,
  ]);
  if (written === 'conflict') return undefined;
  for (const raised of decision.raise) await provider.raiseMax(raised);
  const launched = await launchAll(group, bound.reservations, provider, ports);
  if (launched.length === 0) return { decision, view, launched, state };
  return { decision, view, launched, state: await writeAnswers(run, state, launched) };
};

/** Writes down what EC2 said. Others may have written meanwhile: the answers concern only our own reservations, so they go into whatever stands there. */
const writeAnswers = async ({ group, ports }: Run, state: GroupState, launched: readonly Launched[]): Promise<GroupState> => {
  let base = state;
  for (let attempt = 0; attempt < mostConflicts; attempt++) {
    const next = { ...applyAnswers(base, launched, group, ports.clock.now()), version: base.version + 1 };
    if ((await ports.store.putState(group.name, next)) === 'done') return next;
    base = (await ports.store.state(group.name)) ?? base;
  }
  throw new Error(
    `The answers to ${launched.length} launch requests of group ${group.name} could not be written: the state item changed ${mostConflicts} times meanwhile. Nothing is lost: the requests stay reserved and are repeated under the same tokens.`,
  );
};

const hasTime = ({ ports, startedAtMs }: Run): boolean => ports.clock.now() - startedAtMs < roundsBudgetMs;

/** Rounds until everything is placed, nothing eligible is left, or the time is up. Undefined when too many races were lost. */
const playRounds = async (run: Run, first: Gathered, fresh: readonly Swap[]): Promise<readonly Round[] | undefined> => {
  const rounds: Round[] = [];
  let gathered = first;
  let conflicts = 0;
  while (rounds.length < mostRounds) {
    const played = await playRound(run, gathered, rounds.length);
    if (played === undefined) {
      conflicts += 1;
      if (conflicts >= mostConflicts) return rounds.length > 0 ? rounds : undefined;
      gathered = learn(await gather(run.group, run.facts, run.provider, run.ports), run, fresh);
      continue;
    }
    rounds.push(played);
    if (missingAfter(played.launched) === 0 || !hasTime(run)) break;
    gathered = { ...gathered, stored: played.state, state: played.state };
  }
  return rounds;
};

const letLeave = async (
  run: Run,
  rounds: readonly Round[],
  swaps: readonly Swap[],
): Promise<{ readonly claimed: readonly Swap[]; readonly drains: number }> => {
  const first = rounds[0];
  const context = first && { view: first.view, decision: run.id, drain: drainName(run.group.name, run.id, 9), ports: run.ports };
  const removed = first && context ? await claimRemovals(first.decision, context) : [];
  const begun = first && context ? await beginWaiting(first.decision, context) : [];
  const changed = new Map([...swaps, ...removed, ...begun].map((swap) => [swap.instance, swap]));
  // Only who ordered a drain knows its whole batch while claims are still being written; a drain that never began is started again later.
  const isTouched = (swap: Swap): boolean => swap.drain?.includes(run.id) === true;
  const active = [...changed.values()].filter(({ state }) => state !== 'waiting' && state !== 'gone');
  const drains = await startDrains(run.group, active, isTouched, run.ports);
  run.ports.telemetry.count(metrics.drainsStarted, drains);
  return { claimed: removed, drains };
};

/** Brings one group to where its policy says, as far as one look allows. Every kind of signal ends here. */
export const converge = async (facts: Facts, ports: ReactPorts): Promise<Converged> => {
  const [group, state] = await Promise.all([ports.store.group(facts.group), ports.store.state(facts.group)]);
  if (group === undefined) return letGo(facts.group, ports);
  const run: Run = {
    group,
    provider: ports.providerFor(group.holding),
    facts,
    ports,
    id: newDecisionId(ports.clock, ports.random),
    startedAtMs: ports.clock.now(),
  };
  const claims = await claimFacts(run, await gather(group, facts, run.provider, ports, { state }));
  const rounds = await playRounds(run, claims.gathered, claims.fresh);
  if (rounds === undefined) {
    ports.telemetry.count(metrics.conflicts);
    return { kind: 'contended' };
  }
  const left = await letLeave(run, rounds, claims.gathered.swaps);
  const acted: Acted = await act({ ...run, rounds });
  const quiet = rounds.every(({ decision, launched }) => isQuiet(decision) && launched.length === 0) && claims.fresh.length === 0;
  if (!quiet) await record({ ...run, rounds, fresh: [...claims.fresh, ...left.claimed], acted, drains: left.drains });
  const last = rounds.at(-1);
  return { kind: 'converged', launched: rounds.flatMap(({ launched }) => launched).length, unplaced: last?.decision.unplaced ?? 0 };
};

export type { Round, Run };
