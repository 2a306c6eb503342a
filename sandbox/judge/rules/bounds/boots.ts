import { announcements } from '../../../../core/contract.ts';
import {
  bootRestMs,
  type FailedBoot,
  failedBootsOf,
  forgottenAtMs,
  knownWithin,
  lateRefusal,
  mostPerNeed,
  windowMs,
  workedSinceMs,
} from '../../capacity/boots.ts';
import { slackOf, wasLost } from '../../capacity/breaker.ts';
import type { Chronicle } from '../../chronicle.ts';
import { inEveryGroup } from '../../every-group.ts';
import type { Finding, Rule } from '../../finding.ts';
import { headcountAt, lookedSince, ownLaunches, surgeOf } from '../../members/staying.ts';
import { poolOf } from '../../policy/pools.ts';
import { times } from '../../times.ts';
import { isHindered, launching, look, telling, type Way, ways } from '../../told/hindrance.ts';
import { isDeniedStill } from '../../world/denied.ts';
import type { Life } from '../../world/life.ts';
import { isLostByRestore } from '../../world/restores.ts';

type Broken = Omit<Finding, 'rule'>;

/** How many members a group lacked when this one was launched, without members that end before they serve. */
const missingAt = (chronicle: Chronicle, group: string, { life }: FailedBoot, doomed: ReadonlySet<Life>): number => {
  const atMs = life.launchedAtMs;
  const sinceMs = lookedSince(chronicle, life.by, atMs);
  const headcount = headcountAt(chronicle, group, atMs, { order: life.order, sinceMs });
  const desired = Math.max(0, ...chronicle.desiredIn(group, sinceMs, atMs));
  const policies = chronicle.policiesIn(group, sinceMs, atMs);
  const surge = surgeOf(policies, headcount, isDeniedStill(chronicle, group, atMs));
  const spares = Math.max(0, ...policies.map(({ spare }) => spare));
  return desired + spares + surge - [...headcount.staying, ...headcount.waiting].filter((one) => !doomed.has(one)).length;
};

export const launchesAreBounded: Rule = {
  name: 'launches for one need are bounded',
  meaning:
    'Of the instances that Holdfast launches within ten minutes, no more than ten for each missing member end before they run. A policy that is written starts the count again, and so does an instance that was launched after them and came up.',
  broken: inEveryGroup((chronicle, group) => {
    const all = failedBootsOf(chronicle, group);
    const doomed = new Set(all.map(({ life }) => life));
    const sure = all.filter(({ isSure, code }) => isSure && code !== lateRefusal).toSorted((a, b) => a.life.order - b.life.order);
    return sure.flatMap((last): readonly Broken[] => {
      const untilMs = last.life.launchedAtMs;
      const sinceMs = Math.max(untilMs - windowMs, forgottenAtMs(chronicle, group, untilMs));
      const workedMs = workedSinceMs(chronicle, group, ({ runningAtMs }) => runningAtMs !== undefined && runningAtMs <= untilMs);
      const within = sure.filter(({ life, diedAtMs }) => life.launchedAtMs > sinceMs && diedAtMs > workedMs && life.order <= last.life.order);
      const needs = Math.max(1, ...within.map((one) => missingAt(chronicle, group, one, doomed)));
      if (within.length <= mostPerNeed * needs) return [];
      return [
        {
          group,
          instance: last.life.instance,
          atMs: untilMs,
          detail: `${within.length} ended before they ran, for ${needs} missing members, within ten minutes`,
        },
      ];
    });
  }),
};

/** A look that found failed boots and reported them. */
type Told = { readonly atMs: number; readonly pool: string; readonly code: string; readonly instances: readonly string[]; readonly untilMs?: number };

const toldIn = (chronicle: Chronicle, group: string): readonly Told[] =>
  chronicle
    .of('announced')
    .filter(({ detailType, detail }) => detailType === announcements.bootsFailed && detail.group === group)
    .map(({ atMs, detail }) => ({
      atMs,
      pool: String(detail.pool),
      code: String(detail.awsCode),
      instances: Array.isArray(detail.instances) ? detail.instances.map(String) : [],
      ...(typeof detail.untilMs === 'number' && { untilMs: detail.untilMs }),
    }));

/** The time from the look that finds a failed boot to its event. */
const tellsWithinMs = times.reactMs;

/** Whether an instance of this pool, launched after one moment, had come up by another moment. */
const hasWorked = (chronicle: Chronicle, group: string, { pool, atMs }: Told, untilMs: number): boolean =>
  chronicle
    .livesIn(group)
    .some(
      (life) =>
        life.launchedAtMs > atMs - tellsWithinMs &&
        (life.runningAtMs ?? Number.POSITIVE_INFINITY) <= untilMs &&
        chronicle.policiesIn(group, life.launchedAtMs, life.launchedAtMs).some((policy) => poolOf(life, policy, life.launchedAtMs) === pool),
    );

/** The number of times in a row that a pool surely failed, by Holdfast's events until a moment. */
const streakAt = (chronicle: Chronicle, group: string, told: readonly Told[]): number => {
  let streak = 0;
  told.forEach((one, index) => {
    const before = told[index - 1];
    const isFurther = before === undefined || one.instances.some((id) => (chronicle.life(id)?.launchedAtMs ?? 0) > before.atMs);
    if (before !== undefined && hasWorked(chronicle, group, before, one.atMs)) streak = 0;
    streak = Math.max(1, streak + (isFurther ? 1 : 0));
  });
  return streak;
};

/**
 * The longest rest of a pool that failed so often in a row. It is not known where events of earlier failures may not have been sent, and where the
 * pool also rests because its members never served.
 */
const longestRestMs = (chronicle: Chronicle, group: string, failures: number, fromMs: number, atMs: number): number => {
  const gaveUp = chronicle.of('announced').some((one) => one.detailType === announcements.givenUp && one.detail.group === group && one.atMs <= atMs);
  return gaveUp || isHindered(chronicle, telling, fromMs, atMs) ? times.longestBootRestMs : bootRestMs(failures);
};

/** Events that name a rest which is shorter or longer than a pool of so many failures in a row has. */
const wrongRestsTold = (chronicle: Chronicle, group: string, all: readonly Told[]): readonly Broken[] =>
  all.flatMap(({ pool, atMs, untilMs }): readonly Broken[] => {
    const forgottenMs = forgottenAtMs(chronicle, group, atMs);
    // Clocks are wrong, so what was told shortly after that may be forgotten and need not be.
    const slackMs = 2 * chronicle.times.clockMs;
    const since = (fromMs: number) => all.filter((one) => one.pool === pool && one.atMs > fromMs && one.atMs <= atMs);
    const [row, atMost] = [since(forgottenMs + slackMs), since(forgottenMs - slackMs)];
    const [first] = row;
    if (untilMs === undefined || first === undefined || wasLost(chronicle, group, first.atMs, atMs)) return [];
    const leastMs = bootRestMs(streakAt(chronicle, group, row)) - slackOf(chronicle);
    const restMs = untilMs - atMs;
    const mostMs = longestRestMs(chronicle, group, atMost.length, Math.max(0, forgottenMs - slackMs), atMs) + slackOf(chronicle);
    if (restMs >= leastMs && restMs <= mostMs) return [];
    return [{ group, atMs, detail: `${pool} is told to rest for ${Math.round(restMs / 1_000)} s after ${atMost.length} failed boots` }];
  });

export const failingPoolsRest: Rule = {
  name: 'a pool whose instances die rests',
  meaning:
    'After Holdfast reported on the event bus that instances of a pool ended before they served, it launches nothing there for 1 minute. When they end early again in a row, the rest is 2, 4 and at most 10 minutes. It ends when an instance of the pool comes up, or when a user writes the policy. The event names no shorter rest, and no longer one.',
  broken: inEveryGroup((chronicle, group) => {
    const all = toldIn(chronicle, group);
    const early = ownLaunches(chronicle).flatMap(({ life, group: launchedFor, sinceMs }): readonly Broken[] => {
      if (launchedFor !== group) return [];
      const atMs = life.launchedAtMs;
      const [policy] = chronicle.policiesIn(group, sinceMs, atMs);
      if (policy === undefined) return [];
      const pool = poolOf(life, policy, atMs);
      // The times of a policy and of a failed boot come from two clocks.
      const fromMs = forgottenAtMs(chronicle, group, atMs) + 2 * chronicle.times.clockMs;
      const told = all.filter((one) => one.pool === pool && one.atMs > fromMs && one.atMs < sinceMs);
      const last = told.at(-1);
      if (last === undefined || hasWorked(chronicle, group, last, atMs)) return [];
      const untilMs = last.atMs + bootRestMs(streakAt(chronicle, group, told)) - tellsWithinMs - 2 * chronicle.times.clockMs;
      if (atMs >= untilMs) return [];
      const seconds = Math.round((atMs - last.atMs) / 1_000);
      return [{ group, instance: life.instance, atMs, detail: `${life.instance} was launched from ${pool}, ${seconds} s after its instances ended` }];
    });
    return [...early, ...wrongRestsTold(chronicle, group, all)];
  }),
};

/** Looks that find out, responses to launches, and the event. A boot may also be known from an event of EC2. */
const wayOfBoots: Way = { ...ways(look, launching, telling), events: 'needed' };

/** No fault hindered that, and the group was in force. */
const isPlain = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): boolean => {
  const { endedAtMs } = chronicle.history;
  const policies = chronicle.groups.get(group)?.policies ?? [];
  const isLost = chronicle.of('step').some(({ step, atMs }) => step === 'state-restored' && atMs > fromMs - windowMs && atMs <= untilMs);
  return (
    untilMs <= endedAtMs &&
    !isLost &&
    !isHindered(chronicle, wayOfBoots, fromMs, untilMs) &&
    policies.every(({ atMs, policy }) => policy !== undefined || atMs < fromMs || atMs > untilMs) &&
    chronicle.policyAt(group, fromMs) !== undefined
  );
};

const mostNamed = 50;

/** Whether a restored table lost that an instance had come up. Then its end looks like a failed boot. */
const isForgotten = (chronicle: Chronicle, instance: string, atMs: number): boolean => {
  const life = chronicle.life(instance);
  const upMs = life?.services[0]?.fromMs ?? life?.runningAtMs;
  return upMs !== undefined && isLostByRestore(chronicle, upMs, atMs);
};

export const failedBootsAreTold: Rule = {
  name: 'failed boots are told, with the reason that EC2 gave',
  meaning:
    'When an instance of Holdfast ends before it runs, an event reports it within two looks, with its pool and the code of its StateReason. No event reports anything else as a failed boot, except the end of an instance of which a restored state table has lost that it had come up.',
  broken: inEveryGroup((chronicle, group) => {
    const failed = failedBootsOf(chronicle, group);
    const told = toldIn(chronicle, group);
    const missing = failed.flatMap(({ life, diedAtMs, isSure, code, pool }): readonly Broken[] => {
      const untilMs = diedAtMs + knownWithin(chronicle);
      if (!isSure || code === lateRefusal || failed.length > mostNamed || !isPlain(chronicle, group, life.launchedAtMs, untilMs)) return [];
      const isTold = told.some((one) => one.instances.includes(life.instance) && one.pool === pool && one.atMs <= untilMs);
      return isTold
        ? []
        : [
            {
              group,
              instance: life.instance,
              atMs: untilMs,
              detail: `${life.instance} of ${pool} ended (${code}) before it ran, and no event reported it`,
            },
          ];
    });
    const invented = told.flatMap(({ instances: named, atMs, code }) => {
      const instances = named.filter((id) => !isForgotten(chronicle, id, atMs));
      if (named.length > 0 && instances.length === 0) return [];
      return instances
        .filter((id) => !failed.some(({ life, diedAtMs }) => life.instance === id && diedAtMs <= atMs))
        .map((instance) => ({ group, instance, atMs, detail: `an event reported ${instance} as a failed boot, and it did not fail` }))
        .concat(
          instances.some((id) => failed.some((one) => one.life.instance === id && one.code === code)) || instances.length === 0
            ? []
            : [
                {
                  group,
                  instance: String(instances[0]),
                  atMs,
                  detail: `an event reported a failed boot with ${code}, and none of its instances ended with that code`,
                },
              ],
        );
    });
    return [...missing, ...invented];
  }),
};
