import type { Chronicle } from '../chronicle.ts';
import { ownLaunches } from '../members/staying.ts';
import type { LaunchLimit, Policy } from '../policy/policy.ts';
import { remembered } from '../remembered.ts';
import { times } from '../times.ts';
import { hasDied, isHealthy } from '../told/leaving.ts';
import { leavesAlready, stoodBy } from '../told/warned-members.ts';
import { type Delivery, isFunction, type Life } from '../world/life.ts';
import { forgottenAtMs } from './boots.ts';
import { lossesOfMemory } from './breaker.ts';

/** A share is ten launches at least (docs/policy.md, launches). */
const leastOfShare = 10;
/** Launches count until the last of about the same time is over: a thirtieth of the time (core/limits/launch-limit.ts). */
export const parts = 30;

export const mostOf = ({ by, isShare }: LaunchLimit['atMost'], size: number): number =>
  isShare ? Math.max(leastOfShare, Math.ceil((size * by) / 100)) : by;

/** From when on launches surely count: a look followed the policy, and the state was not lost since. */
const surelyCountsSince = (chronicle: Chronicle, group: string, atMs: number): number => {
  const lost = lossesOfMemory(chronicle, group).filter((oneMs) => oneMs <= atMs);
  const followedMs = forgottenAtMs(chronicle, group, atMs) + 2 * chronicle.times.clockMs;
  return Math.max(followedMs, ...lost.map((oneMs) => oneMs + slackOf(chronicle)));
};

/** When the last policy was written that a look has followed by now, or has had the time to follow. */
const followedSince = (chronicle: Chronicle, group: string, atMs: number): number => {
  const forgottenMs = forgottenAtMs(chronicle, group, atMs);
  const isUnfollowed = chronicle.groups.get(group)?.policies.some((policy) => policy.atMs === forgottenMs) === true;
  return isUnfollowed && forgottenMs > atMs - times.reactMs ? forgottenAtMs(chronicle, group, forgottenMs - 1) : forgottenMs;
};

/** From when on launches count: a policy that is written and a state that is lost begin anew. */
const countsSince = (chronicle: Chronicle, group: string, atMs: number): number =>
  Math.max(followedSince(chronicle, group, atMs), ...(chronicle.groups.get(group)?.lostAtMs ?? []).filter((oneMs) => oneMs <= atMs));

/** Members that EC2 warned about. A look may show one as it was some time before its warning. */
const warnedIn = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): number => {
  const lagMs = Math.max(chronicle.times.lagMs, chronicle.times.asgLagMs);
  return chronicle
    .livesIn(group)
    .filter((life) => life.warnings.some(({ atMs }) => atMs >= fromMs && atMs <= untilMs && stoodBy(life, atMs - lagMs, untilMs) !== 'always'))
    .length;
};

/** Whether a function had died by a moment before it stored what it received: nobody counts that yet. */
const isUncounted = (chronicle: Chronicle, group: string, { invocation }: Delivery, untilMs: number): boolean =>
  hasDied(chronicle, invocation, untilMs) &&
  !chronicle.groups.get(group)?.written.some(({ by, atMs }) => isFunction(by) && by.invocation === invocation && atMs <= untilMs);

/**
 * The same, with warnings that a function received, about those that it found in a place whenever it looked, and that did not leave already: nobody
 * counts the others for sure. Those that their user had detached, or detached then, are no members.
 */
const heardIn = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): number => {
  const lagMs = Math.max(chronicle.times.lagMs, chronicle.times.asgLagMs);
  return chronicle
    .livesIn(group)
    .filter((life) =>
      life.deliveries.some(
        (one) =>
          one.told.about === 'warning' &&
          one.atMs >= fromMs &&
          one.atMs <= untilMs &&
          !isUncounted(chronicle, group, one, untilMs) &&
          [one.atMs, one.atMs + times.reactMs].every((oneMs) => chronicle.groupAt(life, oneMs) === group) &&
          stoodBy(life, one.atMs - lagMs, one.atMs + times.reactMs) === 'never' &&
          !leavesAlready(life, one.atMs),
      ),
    ).length;
};

const launchesByGroup = remembered(
  (chronicle: Chronicle): ReadonlyMap<string, readonly Life[]> =>
    new Map(
      [...Map.groupBy(ownLaunches(chronicle), (launch) => launch.group)].map(([name, launches]) => [
        name,
        launches.map(({ life }) => life).toSorted((one, other) => one.order - other.order),
      ]),
    ),
);

/** What Holdfast launched for a group, in order. */
const launchesOf = (chronicle: Chronicle, group: string): readonly Life[] => launchesByGroup(chronicle).get(group) ?? [];

const keyOf = (invocation: string, askedAtMs: number): string => `${invocation} ${askedAtMs}`;

/** When each call that launches was answered, by its invocation and the time of the call. */
const answers = remembered(
  (chronicle: Chronicle): ReadonlyMap<string, number> =>
    new Map(
      chronicle
        .of('called')
        .flatMap(({ launch, invocation, askedAtMs, atMs }) => (launch === undefined ? [] : [[keyOf(invocation, askedAtMs), atMs]])),
    ),
);

/** Until when a launch may begin to count. It was requested before, and counts once the response is there, under the policy that is followed then. */
const countsByMs = (chronicle: Chronicle, { launchedAtMs, askedAtMs, by }: Life): number =>
  askedAtMs === undefined || !isFunction(by) ? launchedAtMs : (answers(chronicle).get(keyOf(by.invocation, askedAtMs)) ?? launchedAtMs);

/** The time that may pass between an event and its effect on a decision. */
const slackOf = (chronicle: Chronicle): number => times.reactMs + chronicle.times.launchCallMs + 2 * chronicle.times.clockMs;

/** The number of launches, up to one of them, that surely count, and the largest number that may be allowed. */
export const countedAt = (
  chronicle: Chronicle,
  group: string,
  last: Life,
  policies: readonly Policy[],
): { readonly launched: number; readonly most: number } => {
  const atMs = last.launchedAtMs;
  const slackMs = slackOf(chronicle);
  const withinMs = Math.max(...policies.map(({ launches }) => launches.withinMs));
  const shortestMs = Math.min(...policies.map(({ launches }) => launches.withinMs));
  const sinceMs = surelyCountsSince(chronicle, group, atMs);
  const fromMs = Math.max(sinceMs, atMs - Math.max(0, shortestMs - slackMs));
  const launched = launchesOf(chronicle, group).filter((life) => life.launchedAtMs > fromMs && life.order <= last.order).length;
  const size = Math.max(0, ...chronicle.desiredIn(group, atMs - withinMs - slackMs, atMs));
  const most = Math.max(...policies.map(({ launches }) => mostOf(launches.atMost, size)));
  return { launched, most: most + warnedIn(chronicle, group, atMs - withinMs - slackMs, atMs) };
};

/** Members that no function knows to be warned: those that are need a launch as the missing ones do. */
const staysIn = (chronicle: Chronicle, group: string, untilMs: number): number =>
  chronicle.membersAt(group, untilMs).filter(({ deliveries }) => !deliveries.some(({ told, atMs }) => told.about === 'warning' && atMs <= untilMs))
    .length;

/**
 * Whether a group may have launched so much at a moment that its policy does not allow all that it lacks.
 *
 * @param lack how many a look may find it to lack, where that is more than its size without its members
 * @param size the desired size, if not the least one that it had then
 */
export const limitMayBound = (
  chronicle: Chronicle,
  group: string,
  atMs: number,
  { lack = 1, size = Math.min(...chronicle.desiredIn(group, atMs, atMs)) }: { readonly lack?: number; readonly size?: number } = {},
): boolean =>
  chronicle.policiesIn(group, atMs - times.reactMs, atMs).some(({ launches: { atMost, withinMs } }) => {
    const sinceMs = countsSince(chronicle, group, atMs);
    const fromMs = Math.max(sinceMs, atMs - withinMs * (1 + 1 / parts) - slackOf(chronicle));
    const launched = launchesOf(chronicle, group).filter((life) => countsByMs(chronicle, life) > fromMs && life.launchedAtMs <= atMs).length;
    const missing = Math.max(lack, size - staysIn(chronicle, group, atMs));
    const heard = heardIn(chronicle, group, Math.max(sinceMs, atMs - withinMs + slackOf(chronicle)), atMs);
    return launched + missing > mostOf(atMost, size) + heard;
  });

/** When launches of a moment ago no longer count against further ones. */
export const launchesCountUntil = (chronicle: Chronicle, group: string, untilMs: number): readonly number[] =>
  launchesOf(chronicle, group).flatMap(({ launchedAtMs }) =>
    launchedAtMs > untilMs
      ? []
      : chronicle
          .policiesIn(group, launchedAtMs, untilMs)
          .map(({ launches: { withinMs } }) => launchedAtMs + withinMs * (1 + 1 / parts) + slackOf(chronicle)),
  );

/**
 * By when the first of the launches that count at a moment counts no more, of those whose response a function without a fault had stored. Launches of
 * about the same time count until the last of them does not.
 */
export const firstCountsUntil = (chronicle: Chronicle, group: string, atMs: number): number => {
  const slackMs = slackOf(chronicle);
  const within = chronicle.policiesIn(group, atMs - times.reactMs, atMs).map(({ launches: { withinMs } }) => withinMs);
  const fromMs = Math.max(surelyCountsSince(chronicle, group, atMs), atMs - Math.min(...within));
  const first = launchesOf(chronicle, group).find(
    (life) =>
      life.launchedAtMs > fromMs &&
      isFunction(life.by) &&
      isHealthy(chronicle, life.by.invocation) &&
      answers(chronicle).has(keyOf(life.by.invocation, life.askedAtMs ?? Number.NaN)) &&
      countsByMs(chronicle, life) + slackMs <= atMs,
  );
  return first === undefined ? Number.POSITIVE_INFINITY : countsByMs(chronicle, first) + Math.max(...within) * (1 + 1 / parts) + slackMs;
};
