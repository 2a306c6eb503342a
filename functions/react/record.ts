import { chunks } from '../../aws/chunks.ts';
import type { Decision } from '../../core/decision.ts';
import type { Announcement, Refusal } from '../../core/ports.ts';
import type { Swap } from '../../core/swap.ts';
import type { View } from '../../core/view.ts';
import { announcements, metrics } from '../contract.ts';
import type { Acted } from './act.ts';
import type { Launched } from './launch.ts';
import type { Round, Run } from './run.ts';

/** One event carries at most this many instance ids, so that it stays far below the bus's 256 KB. */
const idsPerEvent = 1_000;

type Recorded = Run & { readonly rounds: readonly Round[]; readonly fresh: readonly Swap[]; readonly acted: Acted; readonly drains: number };

const digestOf = (view: View) => ({
  nowMs: view.nowMs,
  desired: view.state.desired,
  members: view.members.length,
  serving: view.members.filter(({ serving }) => serving).length,
  byPool: Object.fromEntries([...Map.groupBy(view.members, ({ pool }) => pool ?? 'unknown')].map(([pool, members]) => [pool, members.length])),
  swaps: Object.fromEntries([...Map.groupBy(view.swaps, ({ state }) => state)].map(([state, swaps]) => [state, swaps.length])),
  reservations: view.state.reservations.length,
});

const launchedIn = (rounds: readonly Round[]): readonly Launched[] => rounds.flatMap(({ launched }) => launched);

/** A refusal as it is kept and told: which offering, and why. */
const inBrief = ({ offering, code }: Refusal) => ({ offering, code });

const outcomeOf = (context: Recorded) => ({
  launches: launchedIn(context.rounds).map(({ reservation, result }) => ({
    reservation: reservation.id,
    pool: reservation.placement.pool,
    count: reservation.placement.count,
    replaces: reservation.replaces,
    ...(result.kind === 'answered'
      ? { instances: result.instances.map(({ instance }) => instance), refusals: result.refusals.map(inBrief) }
      : { trouble: result.kind, code: result.code }),
  })),
  claimed: context.fresh.map(({ instance, reason, drain }) => ({ instance, reason, drain })),
  drainsStarted: context.drains,
  ...context.acted,
});

const eventsOf = (context: Recorded): readonly Announcement[] => {
  const group = context.group.name;
  const byReason = Map.groupBy(context.fresh, ({ reason }) => reason);
  const started = [...byReason].flatMap(([reason, swaps]) =>
    chunks(
      swaps.map(({ instance }) => instance),
      idsPerEvent,
    ).map((instances) => ({
      detailType: announcements.swapStarted,
      group,
      detail: { group, reason, instances, decision: context.id },
    })),
  );
  const refusals = launchedIn(context.rounds).flatMap(({ result }) => (result.kind === 'answered' ? result.refusals : []));
  const fellBack = refusals.length > 0 && context.rounds.length > 1;
  const fallback = {
    detailType: announcements.fallback,
    group,
    detail: { group, decision: context.id, refused: refusals.slice(0, 50).map(inBrief) },
  };
  const unplaced = context.rounds.at(-1)?.decision.unplaced ?? 0;
  const exhausted = { detailType: announcements.exhausted, group, detail: { group, decision: context.id, unplaced } };
  return [...started, ...(fellBack ? [fallback] : []), ...(unplaced > 0 ? [exhausted] : [])];
};

const recordOf = ({ group, id, facts, startedAtMs }: Run) => ({
  group: group.name,
  id,
  atMs: startedAtMs,
  policyVersion: group.policyVersion,
  correlation: id,
  because: facts.because,
});

/** Keeps a decision before it is acted on; what came of it follows under the same id. */
export const recordDecided = (run: Run, view: View, decision: Decision): Promise<void> =>
  run.ports.store.putDecision({ ...recordOf(run), decision: [decision], viewDigest: digestOf(view) });

/** How long the oldest warning that was claimed just now waited until the last request for a replacement. */
const countWait = ({ fresh, rounds, ports }: Recorded): void => {
  const askedAtMs = rounds.findLast(({ launched }) => launched.length > 0)?.view.nowMs;
  const warned = fresh.filter(({ reason }) => reason === 'interruption').map(({ warnedAtMs, claimedAtMs }) => warnedAtMs ?? claimedAtMs);
  if (askedAtMs && warned.length > 0) ports.telemetry.duration(metrics.replacementRequestedMs, askedAtMs - Math.min(...warned));
};

/** Keeps the decision with its reasons and what came of it, and tells the bus. */
export const record = async (context: Recorded): Promise<void> => {
  const { ports, group, facts, id, rounds } = context;
  const first = rounds[0];
  if (first === undefined) return;
  ports.telemetry.count(metrics.unplaced, rounds.at(-1)?.decision.unplaced ?? 0);
  countWait(context);
  const outcome = outcomeOf(context);
  await ports.store.putDecision({
    ...recordOf(context),
    decision: rounds.map(({ decision }) => decision),
    viewDigest: digestOf(first.view),
    outcome,
  });
  await ports.announcer.announce(eventsOf(context));
  ports.telemetry.logger.info('Converged a group.', {
    group: group.name,
    decision: id,
    because: facts.because,
    rounds: rounds.length,
    launches: outcome.launches.length,
  });
};
