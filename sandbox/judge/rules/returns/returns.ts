import { mostMoves, type ReturnLaunch, returnLaunches } from '../../capacity/returning.ts';
import type { Chronicle, Written } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { lookedSince, reservationOf } from '../../members/staying.ts';
import { eachSecond } from '../../moments.ts';
import { isEverOpen } from '../../policy/windows.ts';
import { times } from '../../times.ts';
import { isAlive, isWarmAt, type Life, launchTimeOf } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** A member that ended a moment ago may not be known to have ended. */
const lookBackMs = 10_000;

/** Times at which a member that the function counted may have served: from the oldest time that describes still showed to the launch. */
const momentsOf = ({ times: { lagMs } }: Chronicle, { life, sinceMs }: ReturnLaunch): readonly number[] => [
  sinceMs - lookBackMs - lagMs,
  ...eachSecond(sinceMs - lagMs, life.launchedAtMs),
];

/** How many must serve. A size that others write while a function runs does not count for it. */
const knownSize = (chronicle: Chronicle, { group, life, sinceMs, desired, policies }: ReturnLaunch): number =>
  policies.some(({ isSizedOutside }) => isSizedOutside) ? Math.min(...chronicle.desiredIn(group, sinceMs, life.launchedAtMs)) : desired;

/** Where neither a target group nor `ready` says when a member serves, it counts so long after its launch (docs/policy.md, return). */
const upAfterMs = 180_000;

const isLongUp = (chronicle: Chronicle, { life, policies }: ReturnLaunch, one: Life): boolean => {
  const isTold = chronicle.targetsOf(one, life.launchedAtMs).length > 0 || policies.some(({ ready }) => ready.afterMs > 0 || ready.isChecked);
  return isTold || launchTimeOf(one) + upAfterMs <= life.launchedAtMs + 2 * chronicle.times.clockMs + 1_000;
};

/**
 * Whether the time of `ready.after` is over for a member that no target group checks, by a clock that may be ahead. Nothing shows then whether it has
 * booted (docs/policy.md, ready).
 */
const isWarmUnseen = (chronicle: Chronicle, { life, policies }: ReturnLaunch, one: Life): boolean =>
  chronicle.targetsOf(one, life.launchedAtMs).length === 0 &&
  (one.runningAtMs ?? Number.POSITIVE_INFINITY) <= life.launchedAtMs &&
  isAlive(one, life.launchedAtMs) &&
  policies.some(({ ready }) => ready.afterMs > 0 && !ready.isChecked && isWarmAt(one, ready.afterMs, life.launchedAtMs, chronicle.times));

export const returnsWhileWhole: Rule = {
  name: 'nobody moves while the group is short',
  meaning:
    'Holdfast launches for a return only while as many other members serve as are desired, as far as its function could know. Where neither a target group nor `ready` says when a member serves, it does so three minutes after its launch. Where `ready.after` alone says it, it does so after that time.',
  broken: (chronicle) =>
    returnLaunches(chronicle).flatMap((launch): readonly Broken[] => {
      const { life, group } = launch;
      const desired = knownSize(chronicle, launch);
      const moments = momentsOf(chronicle, launch);
      const isUp = (one: Life): boolean =>
        isWarmUnseen(chronicle, launch, one) || (isLongUp(chronicle, launch, one) && moments.some((atMs) => chronicle.isReadyAt(one, atMs)));
      const serves = chronicle.livesIn(group).filter((one) => one !== life && isUp(one));
      if (serves.length >= desired) return [];
      const detail = `${life.instance} was launched for a return while ${serves.length} served and ${desired} were wanted`;
      return [{ group, instance: life.instance, atMs: life.launchedAtMs, detail }];
    }),
};

/** How many more launches for returns a policy allows at one of them; negative when there were too many. */
const leftAt = (chronicle: Chronicle, { life, policies, desired }: ReturnLaunch, launches: readonly ReturnLaunch[]): number =>
  Math.max(
    ...policies.map(({ returning }) => {
      if (returning === undefined) return Number.NEGATIVE_INFINITY;
      // The budget goes by when launches were decided, which is a call and a run earlier.
      const slackMs = times.reactMs + chronicle.times.launchCallMs + 2 * chronicle.times.clockMs;
      const fromMs = life.launchedAtMs - Math.max(0, returning.everyMs - slackMs);
      const within = launches.filter((one) => one.life.launchedAtMs > fromMs && one.life.order <= life.order).length;
      return mostMoves(returning.atMost, desired) - within;
    }),
  );

export const returnsWithinBudget: Rule = {
  name: 'returns keep to their budget',
  meaning: 'Within the time that the policy names, Holdfast makes no more launches for returns than the policy allows.',
  broken: (chronicle) =>
    [...Map.groupBy(returnLaunches(chronicle), ({ group }) => group).values()].flatMap((launches) =>
      launches
        .filter((launch) => leftAt(chronicle, launch, launches) < 0)
        .map(({ life, group }): Broken => {
          const detail = `${life.instance} is one more than the policy lets move within that time`;
          return { group, instance: life.instance, atMs: life.launchedAtMs, detail };
        }),
    ),
};

/** The state with which the decision became binding that launched this instance: it then had its reservation. */
export const boundState = (chronicle: Chronicle, group: string, life: Life): Written | undefined => {
  const reservation = reservationOf(life);
  const written = chronicle.groups.get(group)?.written ?? [];
  return written.find(({ lastReservation }) => reservation !== undefined && lastReservation !== undefined && lastReservation >= reservation);
};

/**
 * Since when the look may have begun that first wrote another size, or followed another policy. A state without an earlier one changes nothing. A write
 * after the decision that launched changes nothing for it.
 */
const changesOf = (chronicle: Chronicle, { group, life }: ReturnLaunch): readonly number[] => {
  const boundMs = boundState(chronicle, group, life)?.atMs ?? life.launchedAtMs;
  return (chronicle.groups.get(group)?.written ?? []).flatMap((one, index, all) => {
    const before = all[index - 1];
    if (before === undefined || one.version <= before.version || one.atMs > boundMs) return [];
    return one.desired === before.desired && one.policyVersion === before.policyVersion ? [] : [lookedSince(chronicle, one.by, one.atMs)];
  });
};

export const returnsOnceSettled: Rule = {
  name: 'members move only once size and policy have settled',
  meaning: 'For `after` from a change of the desired size, or from a look that follows another policy, Holdfast launches nothing for a return.',
  broken: (chronicle) =>
    returnLaunches(chronicle).flatMap((launch): readonly Broken[] => {
      const { life, group, policies } = launch;
      const [policy, ...others] = policies;
      if (policy?.returning === undefined || others.length > 0) return [];
      const changedMs = Math.max(Number.NEGATIVE_INFINITY, ...changesOf(chronicle, launch));
      const leftMs = changedMs + policy.returning.afterMs - 2 * chronicle.times.clockMs - life.launchedAtMs;
      if (leftMs <= 0) return [];
      const detail = `${life.instance} was launched for a return ${Math.ceil(leftMs / 1_000)} s too soon after a change of the size or the policy`;
      return [{ group, instance: life.instance, atMs: life.launchedAtMs, detail }];
    }),
};

export const returnsInWindows: Rule = {
  name: 'members move only in the windows of the policy',
  meaning:
    'Where `return` of the policy names windows, Holdfast launches for a return only while one of them is open in the time zone of the policy.',
  broken: (chronicle) =>
    returnLaunches(chronicle).flatMap(({ life, group, sinceMs, policies }): readonly Broken[] => {
      const { clockMs } = chronicle.times;
      const [fromMs, untilMs] = [sinceMs - clockMs, life.launchedAtMs + clockMs];
      const rules = policies.flatMap(({ returning }) => returning ?? []);
      if (rules.length === 0 || rules.some((rule) => isEverOpen(rule, fromMs, untilMs))) return [];
      const detail = `${life.instance} was launched for a return while no window of the policy was open`;
      return [{ group, instance: life.instance, atMs: life.launchedAtMs, detail }];
    }),
};
