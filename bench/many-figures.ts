import { callTable } from './many-calls.ts';
import { idealLastMs, isBoundByInstances, lowestPossible, requestableBy, type StormNeed } from './many-need.ts';
import { latestFirstMs } from './many-place.ts';
import type { LaunchCall, Seen } from './many-watch.ts';
import { bystander, groupsOf, type ManyStorm } from './many-world.ts';
import { percentile } from './statistics.ts';

/** The result of a storm over many groups. Times are simulated, and count from the warnings. */
export type ManyFigures = {
  readonly groups: number;
  readonly members: number;
  readonly case: string;
  readonly warned: number;
  /** When the launch calls were made that got the first, half, 95 % and the last of as many instances as were warned. */
  readonly firstRequestedMs: number | null;
  readonly p50RequestedMs: number | null;
  readonly p95RequestedMs: number | null;
  readonly lastRequestedMs: number | null;
  /** What the published buckets allow, after the fixed path of one group alone. */
  readonly idealLastMs: number;
  /** When 95 % of the groups had made their first launch call, also if it was refused. */
  readonly firstPerGroupP95Ms: number | null;
  /** The longest time from a group's place in the buckets to its first request. Negative: every request came before its place. */
  readonly latestFirstMs: number | null;
  readonly lowestServing: number;
  readonly lowestPossible: number;
  /** Calls by functions that a bucket of the account refused. */
  readonly throttled: number;
  /** Messages that a function was given more than once. */
  readonly receivedTwice: number;
  /** Reads of EC2, Auto Scaling and load balancers by the function that decides until its own first request, for each group: of a shared read its part. */
  readonly readsPerGroup: number;
  /** The same, without reads of a group that its Auto Scaling group had made whole before. */
  readonly readsUntilWholePerGroup: number;
  /** Reads a group and minute in a shortage that has lasted for 200 s. Null: it has not lasted so long. */
  readonly shortageReadsPerGroup: number | null;
  readonly launchCalls: number;
  readonly neededLaunchCalls: number;
  readonly mutatingCalls: number;
  /** From a single warning in another group, in the middle of the storm, to the launch call that replaces it. */
  readonly bystanderMs: number | null;
};

/** How much was requested of what the buckets allowed, from 0 to 1, so many seconds after the warnings. */
export type RequestedShare = { readonly afterS: number; readonly share: number };

/** One run. */
export type ManyRun = {
  readonly figures: ManyFigures;
  /** What was requested of what the buckets allowed, at each look. Present where the bucket of launched instances binds. */
  readonly requestedShares?: readonly RequestedShare[];
  /** Calls by operation: those that were throttled, and reads until the first requests. */
  readonly throttledBy: Readonly<Record<string, number>>;
  readonly readsBy: Readonly<Record<string, number>>;
  /** Calls by operation, function and time. */
  readonly callTable: string;
};

export const noticeMs = 120_000;
/** A deregistration delay of 30 s; and from a request to two passed health checks, at the longest (docs/performance.md). */
const notice = { noticeMs, drainMs: 30_000, readyMs: 50_000 };

/** The times of requested instances, one entry an instance, the earliest first. */
const requestTimes = (launches: readonly LaunchCall[], startedAtMs: number, wanted: number): readonly number[] =>
  launches
    .filter(({ group, atMs }) => group !== bystander.name && atMs >= startedAtMs)
    .flatMap(({ atMs, given }) => Array.from({ length: given }, () => atMs - startedAtMs))
    .sort((a, b) => a - b)
    .slice(0, wanted);

/** When each group made its first launch call. */
const firstCalls = (launches: readonly LaunchCall[], startedAtMs: number): ReadonlyMap<string, number> =>
  new Map(
    [...Map.groupBy(launches, ({ group }) => group)]
      .filter(([group]) => group !== bystander.name)
      .map(([group, calls]) => [group, Math.min(...calls.map(({ atMs }) => atMs)) - startedAtMs]),
  );

/**
 * Reads before the first requests of their groups, by operation. All reads count of a group that makes no request, unless it is known when it was
 * whole: then its later reads do not count. A read that names no group counts while any group waits.
 */
const readsBefore = (
  reads: Seen['reads'],
  first: ReadonlyMap<string, number>,
  { startedAtMs, storm, wholeAtMs }: Pick<Played, 'startedAtMs' | 'storm' | 'wholeAtMs'>,
): Readonly<Record<string, number>> => {
  const endless = Number.POSITIVE_INFINITY;
  const untilMs = new Map(groupsOf(storm).map(({ name }) => [name, Math.min(first.get(name) ?? endless, wholeAtMs.get(name) ?? endless)]));
  const lastMs = Math.max(...untilMs.values());
  const shareOf = ({ atMs, groups }: Seen['reads'][number]): number => {
    const waits = (group: string): boolean => atMs - startedAtMs <= (untilMs.get(group) ?? -1);
    return groups.length === 0 ? Number(atMs - startedAtMs <= lastMs) : groups.filter(waits).length / groups.length;
  };
  const byOperation = Map.groupBy(reads, ({ operation }) => operation);
  return Object.fromEntries([...byOperation].map(([name, list]) => [name, list.reduce((sum, read) => sum + shareOf(read), 0)]));
};

const whenServed = (launches: readonly LaunchCall[], warnedAtMs: number | undefined): number | null => {
  const call = launches.filter(({ group, atMs, given }) => group === bystander.name && given > 0 && atMs >= (warnedAtMs ?? atMs))[0];
  return call === undefined || warnedAtMs === undefined ? null : call.atMs - warnedAtMs;
};

/** What was requested of what the buckets allow is measured so often, the first time after twice as long. */
const shareEveryMs = 10_000;
const fiveMinutesMs = 300_000;

/**
 * What was requested of what full buckets allow, every ten seconds. The slower bucket counts: that of launched instances, or that of the calls that are
 * needed.
 */
const requestedShares = (ascendingMs: readonly number[], need: StormNeed, withinMs = fiveMinutesMs): readonly RequestedShare[] =>
  Array.from({ length: Math.max(0, Math.floor(withinMs / shareEveryMs) - 1) }, (_, index) => {
    const afterS = ((index + 2) * shareEveryMs) / 1_000;
    const requested = ascendingMs.filter((ms) => ms <= 1_000 * afterS).length;
    return { afterS, share: Math.round((1_000 * requested) / requestableBy({ ...need, fixedMs: 0 }, 1_000 * afterS)) / 1_000 };
  });

/** The least of these shares. */
export const leastShare = (shares: readonly RequestedShare[]): RequestedShare =>
  shares.reduce((least, one) => (one.share < least.share ? one : least), { afterS: 0, share: Number.POSITIVE_INFINITY });

/** The least share of what full buckets allow that was requested within a time, from 0 to 1. Infinite: the time is too short. */
export const requestedShare = (ascendingMs: readonly number[], need: StormNeed, withinMs?: number): number =>
  leastShare(requestedShares(ascendingMs, need, withinMs)).share;

/** The case by its name: what was warned, and what else is not usual. */
const caseName = ({ case: which, held, concurrency }: ManyStorm): string =>
  [which, ...(held === 'mixed' ? [] : [held]), ...(concurrency < 1_000 ? [`concurrency ${concurrency}`] : [])].join(', ');

type Played = {
  readonly storm: ManyStorm;
  readonly need: StormNeed;
  readonly seen: Seen;
  readonly startedAtMs: number;
  readonly twice: number;
  readonly lowest: number;
  readonly members: number;
  readonly bystanderAtMs: number | undefined;
  /** When groups were first seen with their size, without the warned members. */
  readonly wholeAtMs: ReadonlyMap<string, number>;
};

/** The time by which this share had come; null where it did not come. */
const reached = (ascendingMs: readonly number[], share: number, of: number): number | null =>
  Math.ceil(share * of) <= ascendingMs.length ? percentile(ascendingMs, share, of) : null;

const countBy = (names: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, list]) => [name, list.length]));

const roundedOrNull = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));

/** A storm that has lasted so long is a shortage. */
const shortageFromMs = 200_000;

/** Reads by the function that decides, a group and minute, from the time when the shortage has lasted until the end. */
const shortageReads = ({ seen: { reads, calls }, startedAtMs, storm: { groups } }: Played): number | null => {
  const lastMs = calls.reduce((latest, { atMs }) => Math.max(latest, atMs), startedAtMs);
  const lastedMs = lastMs - startedAtMs - shortageFromMs;
  if (lastedMs < 60_000) return null;
  const made = reads.filter(({ atMs }) => atMs - startedAtMs >= shortageFromMs).length;
  return Math.round((10 * 60_000 * made) / (groups * lastedMs)) / 10;
};

const perGroup = (reads: Readonly<Record<string, number>>, groups: number): number =>
  Math.round((10 * Object.values(reads).reduce((sum, count) => sum + count, 0)) / groups) / 10;

export const runOf = (played: Played): ManyRun => {
  const { storm, need, seen, startedAtMs, twice, lowest, members, bystanderAtMs, wholeAtMs } = played;
  const { groups } = storm;
  const stormy = seen.launches.filter(({ group }) => group !== bystander.name);
  const times = requestTimes(seen.launches, startedAtMs, need.instances);
  const firstOf = firstCalls(seen.launches, startedAtMs);
  const first = [...firstOf.values()].toSorted((a, b) => a - b);
  const readsBy = readsBefore(seen.reads, firstOf, { startedAtMs, storm, wholeAtMs: new Map() });
  const untilWhole = readsBefore(seen.reads, firstOf, { startedAtMs, storm, wholeAtMs });
  const requested = (share: number): number | null => roundedOrNull(reached(times, share, need.instances));
  return {
    figures: {
      groups,
      members: storm.members,
      case: caseName(storm),
      warned: need.instances,
      firstRequestedMs: roundedOrNull(times[0] ?? null),
      p50RequestedMs: requested(0.5),
      p95RequestedMs: requested(0.95),
      lastRequestedMs: requested(1),
      idealLastMs: idealLastMs(need),
      firstPerGroupP95Ms: roundedOrNull(reached(first, 0.95, groups)),
      latestFirstMs: roundedOrNull(latestFirstMs(stormy, startedAtMs, need)),
      lowestServing: lowest,
      lowestPossible: lowestPossible(members, need, notice),
      throttled: seen.throttled.length,
      receivedTwice: twice,
      readsPerGroup: perGroup(readsBy, groups),
      readsUntilWholePerGroup: perGroup(untilWhole, groups),
      shortageReadsPerGroup: shortageReads(played),
      launchCalls: stormy.length,
      neededLaunchCalls: need.fleetCalls + need.asgCalls,
      mutatingCalls: seen.mutating,
      bystanderMs: roundedOrNull(whenServed(seen.launches, bystanderAtMs)),
    },
    ...(isBoundByInstances(need) && { requestedShares: requestedShares(times, need) }),
    throttledBy: countBy(seen.throttled),
    readsBy: Object.fromEntries(Object.entries(readsBy).map(([name, count]) => [name, Math.round(count)])),
    callTable: callTable(seen, startedAtMs),
  };
};
