import { announcements } from '../../../core/contract.ts';
import type { Chronicle, GroupTimeline, InForce } from '../chronicle.ts';
import { headcountAt } from '../members/staying.ts';
import { poolOf } from '../policy/pools.ts';
import { remembered, rememberedBy } from '../remembered.ts';
import { decisionWrite } from '../said/decision-writes.ts';
import { remarksSaid } from '../said/remarks.ts';
import { times } from '../times.ts';
import { isReplacedByItsGroup } from '../told/refill.ts';
import { otherEnds } from '../world/failing-refills.ts';
import { goneAtMs, isAlive, isFunction, type Life, tagsAt } from '../world/life.ts';
import { isLostByRestore, restoresBefore } from '../world/restores.ts';

/** A refusal that came after the response to the launch. */
export const lateRefusal = 'Server.InsufficientInstanceCapacity';

/** An instance that Holdfast launched and that ended before it served, in the world's own record. */
export type FailedBoot = {
  readonly life: Life;
  readonly group: string;
  readonly pool: string;
  readonly code: string;
  readonly diedAtMs: number;
  /** The instance never ran, so no look can have found it serving. */
  readonly isSure: boolean;
};

/** Whether it never took work. Without a target group and an Auto Scaling group, an instance serves once it has booted. */
const neverServed = (chronicle: Chronicle, life: Life): boolean => {
  const atMs = goneAtMs(life) - 1;
  const { asg } = chronicle.policyAt(chronicle.groupAt(life, atMs) ?? '', atMs) ?? {};
  const isToBePut = chronicle.targetsOf(life, atMs).length > 0 || (asg !== undefined && life.stays.length === 0);
  return (life.bootedAtMs === undefined || isToBePut) && life.services.every(({ fromMs, untilMs }) => fromMs === untilMs);
};

/** Everything that a group launched and that ended before it served, the first death first. */
export const failedBootsOf = rememberedBy((chronicle: Chronicle, group: string): readonly FailedBoot[] =>
  chronicle
    .livesIn(group)
    .flatMap((life): readonly FailedBoot[] => {
      const { by, ending } = life;
      if (!isFunction(by) || isFunction(ending?.by) || ending?.code === undefined || otherEnds.has(ending.code) || !neverServed(chronicle, life))
        return [];
      const policies = chronicle.policiesIn(group, life.launchedAtMs - times.reactMs, life.launchedAtMs);
      const pool = tagsAt(life, life.launchedAtMs)['holdfast:pool'] ?? policies.map((policy) => poolOf(life, policy, life.launchedAtMs))[0];
      if (pool === undefined) return [];
      return [{ life, group, pool, code: ending.code, diedAtMs: goneAtMs(life), isSure: life.runningAtMs === undefined }];
    })
    .toSorted((one, other) => one.diedAtMs - other.diedAtMs),
);

/** Rest of a pool after so many failed boots in a row (docs/architecture.md). */
export const bootRestMs = (streak: number): number => Math.min(times.longestBootRestMs, times.bootRestMs * 2 ** Math.max(0, streak - 1));

/**
 * When a policy that came into force by a moment was followed by then, or else when it came into force. Whoever decides under the version before may
 * still learn in between.
 */
const followedBy = ({ written }: GroupTimeline, policy: InForce, atMs: number): number =>
  written.find((one) => one.atMs >= policy.atMs && one.atMs <= atMs && one.policyVersion === policy.version)?.atMs ?? policy.atMs;

/** When a policy that a user wrote was last followed before a moment. */
const rewrittenAtMs = (chronicle: Chronicle, group: string, atMs: number): number =>
  Math.max(
    Number.NEGATIVE_INFINITY,
    ...[...chronicle.groups.values()]
      .filter((timeline) => timeline.group === group)
      .flatMap((timeline) => timeline.policies.filter((one) => one.atMs <= atMs).map((one) => followedBy(timeline, one, atMs))),
  );

/** When a policy that a user wrote was last followed, or a table was restored, before a moment. Earlier failed boots may be forgotten. */
export const forgottenAtMs = (chronicle: Chronicle, group: string, atMs: number): number =>
  Math.max(rewrittenAtMs(chronicle, group, atMs), ...restoresBefore(chronicle, atMs).map((step) => step.atMs));

/** Whether Holdfast had surely forgotten by a moment what it had learned before. */
const isForgotten = (chronicle: Chronicle, group: string, learnedMs: number, atMs: number): boolean =>
  learnedMs <= rewrittenAtMs(chronicle, group, atMs) || isLostByRestore(chronicle, learnedMs, atMs);

/** Holdfast knows an end when a describe must show it and a look has followed. The message about the end, or the next tick, causes that look. */
export const knownWithin = ({ times: { lagMs, clockMs } }: Chronicle): number =>
  lagMs + times.tickMs + times.messageAgainMs + times.reactMs + 2 * clockMs;

/** When the latest instance of Holdfast was launched of those that came up. Launches work since then. */
export const workedSinceMs = (chronicle: Chronicle, group: string, isUp: (life: Life) => boolean): number =>
  Math.max(
    Number.NEGATIVE_INFINITY,
    ...chronicle
      .livesIn(group)
      .filter((life) => isFunction(life.by) && isUp(life))
      .map(({ launchedAtMs }) => launchedAtMs),
  );

/** When the functions ended whose stored decisions report an end, by the instance. A later report comes from a look that had forgotten the one before. */
const storedReports = remembered(
  (chronicle: Chronicle): ReadonlyMap<string, number> =>
    new Map(
      remarksSaid(chronicle.history)
        .flatMap(({ id, group, remarks }) => {
          const write = decisionWrite(chronicle, group, id);
          const ended = write !== undefined && isFunction(write.by) ? chronicle.invocations.get(write.by.invocation)?.ended : undefined;
          const named = remarks.filter(({ code }) => code === 'boots-failed').flatMap(({ instances }) => instances);
          return ended === undefined ? [] : named.map((instance) => [instance, ended.atMs] as const);
        })
        .toSorted(([, one], [, other]) => one - other),
    ),
);

/** When a look reported this end: by an event, or where that was not sent, by its stored decision at the latest. */
const toldAtMs = (chronicle: Chronicle, { life }: FailedBoot): number | undefined =>
  chronicle
    .of('announced')
    .find(
      ({ detailType, detail }) =>
        detailType === announcements.bootsFailed && Array.isArray(detail.instances) && detail.instances.includes(life.instance),
    )?.atMs ?? storedReports(chronicle).get(life.instance);

/**
 * Until when Holdfast may pass over a pool, because its instances ended before they served. The time counts from its report, or otherwise from the
 * latest moment at which it had to know.
 * A function that looked since `lookedMs` may not know a policy that came into force later.
 */
export const bootsRestUntil = (chronicle: Chronicle, group: string, pool: string, atMs: number, lookedMs = atMs): number => {
  const failed = failedBootsOf(chronicle, group).filter(
    (one) => one.pool === pool && one.diedAtMs <= atMs && !isForgotten(chronicle, group, toldAtMs(chronicle, one) ?? one.diedAtMs, lookedMs),
  );
  return failed.reduce((untilMs, one, index) => {
    const knownMs = toldAtMs(chronicle, one) ?? one.diedAtMs + knownWithin(chronicle);
    const restMs = one.code === lateRefusal ? Math.min(times.longestRestMs, times.refusedRestMs * 2 ** index) : bootRestMs(index + 1);
    return Math.max(untilMs, knownMs + restMs);
  }, Number.NEGATIVE_INFINITY);
};

/** For each member that a group lacks, ten launched instances may die within this time (docs/architecture.md). */
export const mostPerNeed = 10;
export const windowMs = 600_000;

/** EC2 reports launch times in whole seconds. */
const wholeSecondMs = 1_000;

/** When Holdfast surely knew of an end, by the times that it compares with launches. */
const surelyKnownMs = (chronicle: Chronicle, one: FailedBoot): number =>
  (toldAtMs(chronicle, one) ?? one.diedAtMs + knownWithin(chronicle)) + wholeSecondMs + 2 * chronicle.times.clockMs;

/** Until when recent ends count against further launches. */
export const deathsCountUntil = (chronicle: Chronicle, { diedAtMs }: FailedBoot): number => diedAtMs + windowMs + knownWithin(chronicle);

/**
 * The ends within ten minutes that may count against further launches. Ends before the launch of an instance that has served for long enough that a look
 * found it do not count.
 */
const deathsAt = (chronicle: Chronicle, group: string, atMs: number): readonly FailedBoot[] => {
  const foundMs = atMs - knownWithin(chronicle);
  const workedMs = workedSinceMs(chronicle, group, (life) => isAlive(life, atMs) && chronicle.servesAt(life, foundMs));
  return failedBootsOf(chronicle, group).filter(
    (one) =>
      one.diedAtMs <= atMs &&
      !isForgotten(chronicle, group, one.diedAtMs, atMs) &&
      deathsCountUntil(chronicle, one) > atMs &&
      surelyKnownMs(chronicle, one) > workedMs,
  );
};

/** What a look may know of members that ended. */
type Known = {
  /** It may show them as members that stay. */
  readonly alive?: readonly Life[];
  /** They have a swap, and decisions say that their Auto Scaling group replaces them. */
  readonly left?: ReadonlySet<string>;
};

/**
 * How many members a group lacks. A member that ended and has no swap is not missing while its Auto Scaling group replaces it: Holdfast leaves it to the
 * group.
 */
const lackAt = (chronicle: Chronicle, group: string, atMs: number, { alive = [], left = new Set() }: Known = {}): number => {
  const { staying, waiting } = headcountAt(chronicle, group, atMs);
  const leftToAsgs = chronicle
    .livesIn(group)
    .filter(
      (life) =>
        chronicle.groupAt(life, atMs) === group &&
        isReplacedByItsGroup(chronicle, life, atMs) &&
        (left.has(life.instance) || life.claims.every((claim) => claim.atMs > atMs)),
    );
  return Math.max(0, ...chronicle.desiredIn(group, atMs, atMs)) - new Set([...staying, ...waiting, ...leftToAsgs, ...alive]).size;
};

/** Whether enough instances ended within ten minutes that Holdfast may launch no more for missing members. */
export const deathsMayBound = (chronicle: Chronicle, group: string, atMs: number): boolean => {
  const dead = deathsAt(chronicle, group, atMs).length;
  return dead >= mostPerNeed && dead >= mostPerNeed * Math.max(1, lackAt(chronicle, group, atMs));
};

/**
 * Whether a decision may launch fewer than its group lacks because of such ends: all that it lacks would be more than ten for each.
 *
 * @param unseen have ended or were warned, and the look may show each of them as staying. Then it is not missing, and its end does not count
 * @param coming how many were requested before, or are expected of Auto Scaling groups, and are not launched yet
 * @param left ended and have a swap, and decisions say that their Auto Scaling group replaces them
 */
export const deathsMayHoldBack = (
  chronicle: Chronicle,
  group: string,
  atMs: number,
  { unseen, coming, left }: { readonly unseen: readonly Life[]; readonly coming: number; readonly left: ReadonlySet<string> },
): boolean => {
  const dead = deathsAt(chronicle, group, atMs).map(({ life }) => life);
  // First those whose ends do not count: to show them alive takes nothing from the ends.
  const mayBeShown = [...unseen.filter((life) => !dead.includes(life)), ...unseen.filter((life) => dead.includes(life))];
  return [...mayBeShown.keys(), mayBeShown.length].some((count) => {
    const alive = mayBeShown.slice(0, count);
    const lack = Math.max(1, lackAt(chronicle, group, atMs, { alive, left }) - coming);
    return dead.filter((life) => !alive.includes(life)).length + lack > mostPerNeed * lack;
  });
};

/** Events that say that members of a group were given up. */
const givenUpIn = rememberedBy((chronicle: Chronicle, group: string) =>
  chronicle.of('announced').filter(({ detailType, detail }) => detailType === announcements.givenUp && detail.group === group),
);

/**
 * How many attempts such events of one pool report: members that were launched before the event before them belong to the attempt that it reports.
 */
const attemptsIn = (chronicle: Chronicle, told: ReturnType<typeof givenUpIn>): number =>
  told.filter(({ detail }, index) => {
    const beforeMs = told[index - 1]?.atMs;
    const instances = Array.isArray(detail.instances) ? detail.instances.map(String) : [];
    const isSince = (instance: string): boolean => (chronicle.life(instance)?.launchedAtMs ?? Number.POSITIVE_INFINITY) > (beforeMs ?? 0);
    return beforeMs === undefined || instances.some(isSince);
  }).length;

/**
 * Until when a pool comes last because its members were given up: ten minutes, doubled with each further attempt, up to four hours. The time counts from the event that
 * reports it, because the decision that sends the event knows it. A function that looked since `lookedMs` may not know a policy that came into force
 * later.
 */
export const neverServedUntil = (chronicle: Chronicle, group: string, pool: string, atMs: number, lookedMs = atMs, reservation = ''): number => {
  const told = givenUpIn(chronicle, group)
    .filter(({ detail }) => detail.pool === pool)
    .filter((one) => !isForgotten(chronicle, group, one.atMs, lookedMs) && (one.atMs <= atMs || reservation.startsWith(String(one.detail.decision))));
  const last = told.at(-1);
  if (last === undefined) return Number.NEGATIVE_INFINITY;
  return last.atMs + Math.min(times.longestUnservedRestMs, times.unservedRestMs * 2 ** (attemptsIn(chronicle, told) - 1));
};

/** When rests of pools end that began until a moment, because their members were given up. */
export const neverServedEnds = (chronicle: Chronicle, group: string, untilMs: number): readonly number[] =>
  givenUpIn(chronicle, group)
    .filter(({ atMs }) => atMs <= untilMs)
    .map(({ detail, atMs }) => neverServedUntil(chronicle, group, String(detail.pool), atMs));
