import { type Failed, throwIfFailed } from '../../aws/calls/in-parallel.ts';
import { unlessTroubled } from '../../aws/calls/unless-troubled.ts';
import { metrics } from '../../core/contract.ts';
import type { Group } from '../../core/group/group.ts';
import type { Holdings } from '../../core/ports/capacity-provider.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { type Acted, carryOutRounds } from './carry-out/carry-out.ts';
import { claimBeforeLook, claimFacts, type Told } from './carry-out/claim-facts.ts';
import type { Claimed } from './carry-out/claims.ts';
import { drainName } from './carry-out/drain-names.ts';
import { completeHooks } from './carry-out/hooks.ts';
import { beginWaiting, claimRemovals, nameJoined, startDrains } from './carry-out/leaving-members.ts';
import { wakeForAdded } from './carry-out/outside-size.ts';
import { continueSwaps } from './carry-out/unfinished-swaps.ts';
import { checkLaunches } from './check-launches.ts';
import { letGo } from './let-go/let-go.ts';
import { asTreatedIn, type Gathered, gather } from './look/gather.ts';
import { type InForce, readInForce } from './look/in-force.ts';
import { withLessons } from './look/lessons.ts';
import { withUnheard } from './look/unheard-hooks.ts';
import type { Facts } from './messages/facts.ts';
import type { ReactPorts } from './ports.ts';
import { countGone, telling, tellUntold } from './record/announce.ts';
import { newDecisionId } from './record/identifiers.ts';
import { isNews } from './record/is-news.ts';
import { record } from './record/record.ts';
import { endDenied, playRounds } from './rounds.ts';
import type { Round, Run } from './run.ts';
import { canHandOver, keepNotes, wakeSoon } from './turns/hand-over.ts';
import type { Instead } from './turns/instead.ts';
import { type Turns, turnsOf } from './turns/turns.ts';

/** The result of converging one group. */
export type Converged =
  | { readonly kind: 'converged' }
  /** The group has no accepted policy (any more): its instances are left alone. */
  | { readonly kind: 'let-go' }
  /**
   * Too many other invocations wrote at the same time. Nothing was carried out in part, and the messages are delivered
   * again.
   */
  | { readonly kind: 'contended' };

/** The gathered facts with their claims, after unfinished swaps were continued. `failure`: a hook was not completed. */
const withClaims = async (
  run: Run,
  gathered: Gathered,
  { claimed, warned, told, ended, drainFor }: Told,
): Promise<Failed & { readonly gathered: Gathered }> => {
  // Ended instances get no drain, but their Auto Scaling group still waits on their hooks. A write that fails below
  // holds up none of these.
  const gone = new Set(claimed.swaps.flatMap(({ state, instance }) => (state === 'gone' ? [instance] : [])));
  const answered = await completeHooks(
    told.filter(({ instance }) => gone.has(instance) || ended.has(instance)),
    run.ports,
  );
  const mended = await continueSwaps(run, { ...gathered, swaps: claimed.swaps }, drainFor);
  return { ...answered, gathered: withLessons({ ...gathered, ...mended }, run, warned) };
};

/** Swaps as they were before this run, and as they are. */
type Swaps = { readonly known: readonly Swap[]; readonly swaps: readonly Swap[] };

const beginLeaving = async (
  run: Run,
  rounds: readonly Round[],
  { known, swaps }: Swaps,
): Promise<{ readonly claimed: readonly Swap[]; readonly drains: number }> => {
  const first = rounds[0];
  const contextOf = (kind: 'removal' | 'swap', { view }: Round) => {
    const drain = drainName({ group: run.group.name, kind, decision: run.id });
    return { view, decision: run.id, drain, ports: run.ports };
  };
  const found = first ? await claimRemovals(first.decision, contextOf('removal', first)) : { fresh: [] };
  const claimed = found.fresh;
  const drains = await telling(run, claimed, async () => {
    // With `drain-first`, the launches of these rounds may be the first that are denied.
    const mayBegin = first !== undefined && !endDenied(rounds);
    const begun = mayBegin ? await beginWaiting(first.decision, contextOf('swap', first)) : [];
    const changed = new Map([...swaps, ...claimed, ...begun].map((swap) => [swap.instance, swap]));
    const drainBefore = new Map(known.map(({ instance, drain }) => [instance, drain]));
    const isOrdered = ({ instance, drain }: Swap): boolean => drain !== drainBefore.get(instance);
    const active = [...changed.values()].filter(({ state }) => state !== 'waiting' && state !== 'gone');
    const started = await startDrains({ run, swaps: active, known: [...changed.values()], isOrdered });
    throwIfFailed(found);
    if (first) await unlessTroubled(nameJoined(first.view, run.ports));
    return started;
  });
  run.ports.telemetry.count(metrics.drainsStarted, drains);
  return { claimed, drains };
};

/**
 * Starts the drains of claimed members beside the first launches, because launches with many refusals take ten seconds
 * or longer. They start once the launches are reserved, because a drain reads the reservations. `count` is undefined if
 * they were not started, because nothing was launched or AWS starts none now.
 */
const drainsBeside = (run: Run, swaps: Swaps) => {
  let started: Promise<number | undefined> | undefined;
  return {
    start: async (): Promise<void> => {
      started ??= unlessTroubled(beginLeaving(run, [], swaps).then(({ drains }) => drains));
      await started;
    },
    count: async (): Promise<number | undefined> => started,
  };
};

/**
 * Starts the drains of claimed members even if the work fails, for example after a throttled read. The drains wait for
 * the launches of the next look. The repeated messages would come too late for some of them.
 */
const drainingAnyway = async <T>(
  run: Run,
  known: readonly Swap[],
  { swaps }: Claimed,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    // Only the first failure is thrown. If AWS starts no drain now either, the next look starts it.
    await Promise.allSettled([beginLeaving(run, [], { known, swaps })]);
    throw error;
  }
};

/** A round as it was carried out: members that wait to join are no news, and are stored when they are tried. */
const asTried = (round: Round, { admitted, failed }: Acted): Round =>
  admitted.length + failed.length > 0 ? round : { ...round, decision: { ...round.decision, admissions: [] } };

/**
 * Decides and acts, after the facts of signals were claimed.
 *
 * @param known the swaps as they were before this run
 */
const carryOut = async (began: Run, gathered: Gathered, known: readonly Swap[], told: Told): Promise<Converged> => {
  const { fresh } = told.claimed;
  const swaps = { known, swaps: gathered.swaps };
  const early = drainsBeside(began, swaps);
  const claiming = { ...began, whileLaunching: early.start, ...(fresh.length > 0 && { hasClaimed: true as const }) };
  const played = await playRounds(claiming, gathered, told.warned);
  if (played.kind === 'contended') {
    began.ports.telemetry.count(metrics.conflicts);
    if (!canHandOver(began.facts, began.group)) return { kind: 'contended' };
    await beginLeaving(began, [], swaps);
    await keepNotes(began.facts, { group: began.group, state: gathered.stored }, began.ports);
    await wakeSoon(began.facts, began.ports);
    return { kind: 'converged' };
  }
  if (played.kind === 'let-go') {
    // Claimed members get their drain, which finds that the policy is gone.
    await beginLeaving(began, [], swaps);
    return letGo(began.facts, began.ports);
  }
  const { run, rounds, isCut } = played;
  const before = await early.count();
  const left = await beginLeaving(run, rounds, before === undefined ? swaps : { ...swaps, swaps: [] });
  countGone(run, rounds);
  const acted: Acted = await carryOutRounds({ ...run, rounds, ...(isCut && { isCut }) });
  if (fresh.length > 0 || rounds.some((round) => isNews(run, asTried(round, acted), gathered.stored)))
    await record({ ...run, rounds, fresh: [...fresh, ...left.claimed], acted, drains: left.drains + (before ?? 0) });
  await checkLaunches(run, gathered.stored);
  await tellUntold(run, rounds);
  return { kind: 'converged' };
};

/**
 * Continues unfinished swaps, decides and acts.
 *
 * @throws the error of a lifecycle hook that could not be completed, after all other work is done
 */
const finish = async (run: Run, found: Gathered, told: Told): Promise<Converged> => {
  const { gathered, ...answered } = await withClaims(run, found, told);
  const converged = await carryOut(run, gathered, found.swaps, told);
  throwIfFailed(answered);
  return converged;
};

/** Facts about a group that were read together with other groups of its batch. */
export type Known = {
  /** Undefined inside: the group has no policy. */
  readonly inForce: InForce | undefined;
  readonly look?: (group: Group) => Promise<Holdings>;
  /** The number of groups in the batch. */
  readonly groupsAtOnce: number;
  readonly turns: Turns;
  /** When the invocation began. */
  readonly beganAtMs: number;
  /** Present: the group is not looked at now. */
  readonly instead?: Instead;
};

/**
 * Other invocations may claim members of this group at the same moment, because one storm arrives in several batches. A
 * decision that includes their claims launches for all members, so the other decisions need not.
 */
const withOthers = async ({ facts, ports }: Run, found: Gathered, told: Told): Promise<[Gathered, Told]> => {
  if (facts.leaving.length === 0) return [found, told];
  const known = new Set(told.claimed.swaps.map(({ instance }) => instance));
  const others = (await ports.store.swaps(facts.group)).filter(({ instance }) => !known.has(instance));
  if (others.length === 0) return [found, told];
  return [
    { ...found, swaps: [...found.swaps, ...others] },
    { ...told, claimed: { ...told.claimed, swaps: [...told.claimed.swaps, ...others] } },
  ];
};

/** Brings one group to the state of its policy, as far as one look can. Every kind of signal ends here. */
export const converge = async (facts: Facts, ports: ReactPorts, known?: Known): Promise<Converged> => {
  const inForce = known === undefined ? await readInForce(facts.group, ports) : known.inForce;
  if (inForce === undefined) return letGo(facts, ports);
  const { group, state, swaps, lost } = inForce;
  const run: Run = {
    group,
    provider: ports.providerFor(group.holding),
    facts,
    ports,
    id: newDecisionId(ports.clock, ports.random),
    observedId: newDecisionId(ports.clock, ports.random),
    startedAtMs: ports.clock.now(),
    groupsAtOnce: known?.groupsAtOnce ?? 1,
    turns: known?.turns ?? turnsOf([], ports),
    beganAtMs: known?.beganAtMs ?? ports.clock.now(),
  };
  await wakeForAdded(run, state);
  const read = { state, swaps, ...(lost && { lost }), ...(known?.look && { look: known.look }) };
  const look = gather(group, facts, run.provider, ports, read);
  const early = claimBeforeLook(run, state, swaps);
  const both = Promise.allSettled([look, early]);
  // The look may take long, or this function may die in it. So the events do not wait for it.
  const freshEarly = early.then(({ fresh }) => fresh);
  return telling(run, freshEarly, async () => {
    await both;
    const claimed = await early;
    const found = await drainingAnyway(run, swaps, claimed, () => {
      throwIfFailed(claimed);
      return look;
    });
    const all = await withUnheard(asTreatedIn(run, found), found);
    const told = await claimFacts(all, found, claimed);
    const late = told.claimed.fresh.filter((swap) => !claimed.fresh.includes(swap));
    return telling(all, late, () =>
      drainingAnyway(all, found.swaps, told.claimed, async () => {
        throwIfFailed(told.claimed);
        return finish(all, ...(await withOthers(all, found, told)));
      }),
    );
  });
};
