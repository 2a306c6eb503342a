import { announcements, metrics } from '../../../core/contract.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import type {
  CarriedOut,
  DecisionRecord,
  LaunchOutcome,
  Overtaken,
  SizeChange,
  ViewDigest,
} from '../../../core/decision/decision-record.ts';
import { unreportedEnds } from '../../../core/decision/unreported-ends.ts';
import { modeOf } from '../../../core/group/mode.ts';
import type { Launched } from '../../../core/group-state/answers.ts';
import type { Observation } from '../../../core/observe/observe.ts';
import { offeringKey } from '../../../core/pool/offering.ts';
import { priceSourceOf } from '../../../core/pool/price.ts';
import type { Refusal } from '../../../core/ports/launches.ts';
import type { Announcement } from '../../../core/ports/surroundings.ts';
import { traitsOf } from '../../../core/removal/leave-reason.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { View } from '../../../core/view/view.ts';
import type { Acted } from '../carry-out/carry-out.ts';
import type { Round, Run } from '../run.ts';

type Recorded = Run & {
  readonly rounds: readonly Round[];
  readonly fresh: readonly Swap[];
  readonly acted: Acted;
  readonly drains: number;
};

const digestOf = ({ facts }: Run, view: View, decision: Decision | undefined): ViewDigest => {
  const prices = priceSourceOf(view);
  const ended = unreportedEnds(view, decision, facts.ended);
  const unread = view.members.filter(({ mayServe }) => mayServe === true).length;
  return {
    nowMs: view.nowMs,
    desired: view.state.desired,
    members: view.members.length,
    serving: view.members.filter(({ serving }) => serving).length,
    ...(unread > 0 && { unread }),
    byPool: Object.fromEntries(
      [...Map.groupBy(view.members, ({ pool }) => pool ?? 'unknown')].map(([pool, members]) => [pool, members.length]),
    ),
    swaps: Object.fromEntries(
      [...Map.groupBy(view.swaps, ({ state }) => state)].map(([state, swaps]) => [state, swaps.length]),
    ),
    reservations: view.state.reservations.length,
    ...(prices && { prices }),
    ...(ended.length > 0 && { ended }),
    stateVersion: view.state.version,
  };
};

const launchedIn = (rounds: readonly Round[]): readonly Launched[] => rounds.flatMap(({ launched }) => launched);

/** A refusal as it is stored and sent: which offering, and why. */
const inBrief = ({ offering, code }: Refusal) => ({ offering, code });

/** The same, each once: an offering may be refused in several subnets. */
const allInBrief = (refusals: readonly Refusal[]) => [
  ...new Map(refusals.map((one) => [`${offeringKey(one.offering)} ${one.code}`, inBrief(one)])).values(),
];

const launchOutcome = ({ reservation, result }: Launched): LaunchOutcome => ({
  reservation: reservation.id,
  pool: reservation.placement.pool,
  count: reservation.placement.count,
  replaces: reservation.replaces,
  ...(result.kind === 'answered'
    ? {
        result: result.kind,
        instances: result.instances.map(({ instance }) => instance),
        refusals: allInBrief(result.refusals),
      }
    : { result: result.kind, code: result.code }),
});

const outcomeOf = ({ rounds, fresh, drains, acted: { failed, ...acted } }: Recorded): CarriedOut => ({
  code: 'carried-out',
  launches: launchedIn(rounds).map(launchOutcome),
  claimed: fresh.map(({ instance, reason, drain }) => ({ instance, reason, ...(drain !== undefined && { drain }) })),
  drainsStarted: drains,
  ...acted,
  failed: failed.map(({ instance, code }) => ({ instance, awsCode: code })),
});

/**
 * How many members the last round could not place. None, if another look decided while the launches were requested, and
 * found that nobody is missing.
 */
const unplacedAfter = (rounds: readonly Round[]): number => {
  const last = rounds.at(-1);
  const isCovered = last?.isCrowded === true && last.state.uncovered === undefined;
  return isCovered ? 0 : (last?.decision.unplaced ?? 0);
};

const eventsOf = (context: Recorded): readonly Announcement[] => {
  const group = context.group.name;
  const refusals = launchedIn(context.rounds).flatMap(({ result }) =>
    result.kind === 'answered' ? result.refusals : [],
  );
  const fellBack = refusals.length > 0 && context.rounds.length > 1;
  const fallback = {
    detailType: announcements.fallback,
    group,
    detail: { group, decision: context.id, refused: allInBrief(refusals).slice(0, 50) },
  };
  const unplaced = unplacedAfter(context.rounds);
  const exhausted = { detailType: announcements.exhausted, group, detail: { group, decision: context.id, unplaced } };
  return [...(fellBack ? [fallback] : []), ...(unplaced > 0 ? [exhausted] : [])];
};

type Head = Omit<DecisionRecord, 'rounds' | 'view' | 'outcome' | 'trimmed'>;

const headOf = ({ group, id, facts, startedAtMs }: Run, sizes: readonly SizeChange[]): Head => ({
  group: group.name,
  id,
  atMs: startedAtMs,
  policyVersion: group.policyVersion,
  correlation: id,
  causes: facts.causes,
  sizes,
});

/** The parts of a round that are stored. */
type Explained = Pick<Round, 'view' | 'decision' | 'sizes'>;

/** The parts of a decision that are stored before it is carried out. */
export type Decided = Explained & {
  /** Rounds of the same run before this one, already carried out. */
  readonly earlier: readonly Explained[];
  /** The actions that a group that acts would have taken. Only for observed groups. */
  readonly observed?: Observation | undefined;
};

/** In mode `observe`, alarms and the schedule set the size that the group would have, and not the one that it has. */
const sizesOf = ({ group }: Run, sizes: readonly SizeChange[]): readonly SizeChange[] =>
  modeOf(group) === 'observe' ? sizes.filter(({ code }) => code !== 'alarm' && code !== 'schedule') : sizes;

/** A decision of one round or several. Its view and its sizes are those of the first one. */
const decidedRecord = (run: Run, first: Explained, others: readonly Explained[]): DecisionRecord => ({
  ...headOf(run, sizesOf(run, first.sizes)),
  rounds: [first, ...others].map(({ decision }) => decision),
  view: digestOf(run, first.view, first.decision),
});

/** Stores a decision before it is acted on. Its outcome is stored afterwards under the same id. */
export const recordDecided = (run: Run, decided: Decided): Promise<void> => {
  const [first, ...others] = [...decided.earlier, decided];
  return run.ports.store.putDecision(decidedRecord(run, first, others));
};

/** What an overtaken decision remarks is left out: it knew an old state, and a later look remarks what is so. */
const unremarked = (decision: Decision): Decision => ({ ...decision, remarks: [] });

/**
 * Records that a decision was not carried out. The next attempt of the same run replaces it, if that one acts. When
 * earlier decisions of the run were carried out, only those are stored.
 */
export const recordOvertaken = (run: Run, decided: Decided, overtaken: Overtaken): Promise<void> => {
  const [first, ...others] = decided.earlier;
  const last = { ...decided, decision: unremarked(decided.decision) };
  return run.ports.store.putDecision(
    first === undefined
      ? { ...decidedRecord(run, last, []), outcome: { code: 'not-carried-out', overtaken } }
      : decidedRecord(run, first, others),
  );
};

const observedRecord = (run: Run, decided: Decided, { decision }: Observation): DecisionRecord => ({
  ...decidedRecord(run, { ...decided, decision }, []),
  sizes: decided.sizes,
  id: run.observedId,
});

/** Stores the observed decision of a group that is only observed. */
export const recordObserved = (run: Run, decided: Decided, observed: Observation): Promise<void> =>
  run.ports.store.putDecision({ ...observedRecord(run, decided, observed), outcome: observed.outcome });

/** Records for an observed decision that another look came first, and its findings. */
export const recordUnobserved = (
  run: Run,
  decided: Decided,
  observed: Observation,
  overtaken: Overtaken,
): Promise<void> =>
  run.ports.store.putDecision({
    ...observedRecord(run, decided, { ...observed, decision: unremarked(observed.decision) }),
    outcome: { code: 'not-carried-out', overtaken },
  });

/** How long the oldest warning that was claimed in this run waited until the last request for a replacement. */
const countWait = ({ fresh, rounds, ports }: Recorded): void => {
  const askedAtMs = rounds.findLast(({ launched }) => launched.length > 0)?.view.nowMs;
  const warned = fresh
    .filter((swap) => traitsOf(swap).endedBy === 'ec2')
    .map(({ warnedAtMs, claimedAtMs }) => warnedAtMs ?? claimedAtMs);
  if (askedAtMs && warned.length > 0)
    ports.telemetry.duration(metrics.replacementRequestedMs, askedAtMs - Math.min(...warned));
};

/** Stores the decision with its reasons and its outcome, and sends events. */
export const record = async (context: Recorded): Promise<void> => {
  const { ports, group, facts, id, rounds } = context;
  const [first, ...others] = rounds;
  if (first === undefined) return;
  ports.telemetry.count(metrics.unplaced, unplacedAfter(rounds));
  countWait(context);
  const outcome = outcomeOf(context);
  await ports.store.putDecision({ ...decidedRecord(context, first, others), outcome });
  const events = eventsOf(context);
  if (events.length > 0) await ports.announcer.announce(events);
  ports.telemetry.logger.info('Converged a group.', {
    group: group.name,
    decision: id,
    causes: facts.causes,
    rounds: rounds.length,
    launches: outcome.launches.length,
  });
};
