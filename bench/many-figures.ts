import { callTable } from './many-calls.ts';
import { idealLastMs, isBoundByInstances, lowestPossible, publishedBuckets, type StormNeed } from './many-need.ts';
import type { LaunchCall, Seen } from './many-watch.ts';
import { bystander, type ManyStorm } from './many-world.ts';
import { percentile } from './statistics.ts';

/** What a storm over many groups came to. Times are simulated, from the warnings. */
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
  /** When 95 % of the groups had made their first launch call, whatever came of it. */
  readonly firstPerGroupP95Ms: number | null;
  readonly lowestServing: number;
  readonly lowestPossible: number;
  /** Calls by functions that a bucket of the account refused. */
  readonly throttled: number;
  /** Messages that a function was given more than once. */
  readonly receivedTwice: number;
  /** Reads of EC2, Auto Scaling and load balancers by the function that decides, until every group had requested something, by group. */
  readonly readsPerGroup: number;
  readonly launchCalls: number;
  readonly neededLaunchCalls: number;
  readonly mutatingCalls: number;
  /** From a single warning in another group, in the middle of the storm, to the launch call that replaces it. */
  readonly bystanderMs: number | null;
};

/** One run. */
export type ManyRun = {
  readonly figures: ManyFigures;
  /** Where the bucket of launched instances binds: the least of what it allowed that was requested at any time. */
  readonly requestedShare?: number;
  /** Calls by operation: those that were throttled, and reads until every group had requested something. */
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

const firstCalls = (launches: readonly LaunchCall[], startedAtMs: number): readonly number[] =>
  [...Map.groupBy(launches, ({ group }) => group)]
    .filter(([group]) => group !== bystander.name)
    .map(([, calls]) => Math.min(...calls.map(({ atMs }) => atMs)) - startedAtMs);

const whenServed = (launches: readonly LaunchCall[], warnedAtMs: number | undefined): number | null => {
  const call = launches.filter(({ group, atMs, given }) => group === bystander.name && given > 0 && atMs >= (warnedAtMs ?? atMs))[0];
  return call === undefined || warnedAtMs === undefined ? null : call.atMs - warnedAtMs;
};

/** Of what a full bucket of launched instances allows, the least share that was requested, looking every ten seconds of the first five minutes. */
export const requestedShare = (ascendingMs: readonly number[]): number => {
  const { holds, perSecond } = publishedBuckets.instances;
  const looks = Array.from({ length: 29 }, (_, index) => 20 + 10 * index);
  const shares = looks.map((second) => ascendingMs.filter((ms) => ms <= second * 1_000).length / (holds + perSecond * second));
  return Math.round(1_000 * Math.min(...shares)) / 1_000;
};

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
};

/** The time by which this share had come; null where it did not come. */
const reached = (ascendingMs: readonly number[], share: number, of: number): number | null =>
  Math.ceil(share * of) <= ascendingMs.length ? percentile(ascendingMs, share, of) : null;

const countBy = (names: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, list]) => [name, list.length]));

const roundedOrNull = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));

export const runOf = ({ storm, need, seen, startedAtMs, twice, lowest, members, bystanderAtMs }: Played): ManyRun => {
  const { groups } = storm;
  const times = requestTimes(seen.launches, startedAtMs, need.instances);
  const first = firstCalls(seen.launches, startedAtMs).toSorted((a, b) => a - b);
  const lastFirstMs = first[groups - 1] ?? Number.POSITIVE_INFINITY;
  const reads = seen.reads.filter(({ atMs }) => atMs - startedAtMs <= lastFirstMs);
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
      lowestServing: lowest,
      lowestPossible: lowestPossible(members, need, notice),
      throttled: seen.throttled.length,
      receivedTwice: twice,
      readsPerGroup: Math.round((10 * reads.length) / groups) / 10,
      launchCalls: seen.launches.filter(({ group }) => group !== bystander.name).length,
      neededLaunchCalls: need.fleetCalls + need.asgCalls,
      mutatingCalls: seen.mutating,
      bystanderMs: roundedOrNull(whenServed(seen.launches, bystanderAtMs)),
    },
    ...(isBoundByInstances(need) && { requestedShare: requestedShare(times) }),
    throttledBy: countBy(seen.throttled),
    readsBy: countBy(reads.map(({ operation }) => operation)),
    callTable: callTable(seen, startedAtMs),
  };
};
