import { announcements } from '../../../../core/contract.ts';
import { isOver, provesAfterMs, slackOf, type ToldOpen, toldOpenIn, wasLost } from '../../capacity/breaker.ts';
import { givingOf } from '../../capacity/giving.ts';
import { returnLaunches } from '../../capacity/returning.ts';
import type { Chronicle } from '../../chronicle.ts';
import { inEveryGroup } from '../../every-group.ts';
import type { Finding, Rule } from '../../finding.ts';
import { headcountAt, ownLaunches } from '../../members/staying.ts';
import type { BreakerRule, Policy } from '../../policy/policy.ts';
import { usedPools } from '../../policy/tree.ts';
import { times } from '../../times.ts';
import { isHindered, telling } from '../../told/hindrance.ts';
import { isHealthy } from '../../told/leaving.ts';
import { goneAtMs, isFunction, type Life, leavesAtMs, warnedAtMs } from '../../world/life.ts';
import { isPlainForBreakers as isPlain } from './breaker-way.ts';

type Broken = Omit<Finding, 'rule'>;
type Launch = ReturnType<typeof ownLaunches>[number];

/** The only policy in force while a function could look, where it has a breaker. */
const policyOf = (chronicle: Chronicle, { group, sinceMs, life }: Launch): Policy | undefined => {
  const [policy, ...others] = chronicle.policiesIn(group, sinceMs, life.launchedAtMs);
  return others.length > 0 || policy?.breaker === undefined ? undefined : policy;
};

/** Whether something else in the tree would have given a launch, besides what breakers may cover. */
const somethingElseGives = (chronicle: Chronicle, policy: Policy, { group, sinceMs, life }: Launch): boolean =>
  usedPools(policy).some(
    (pool) => givingOf(chronicle, policy, pool, { group, sinceMs, atMs: life.launchedAtMs }).filter(({ market }) => market !== 'spot').length > 0,
  );

/**
 * Whether the group had its size without a launch, as far as its function could know. Then the launch is for a member that could wait, or for a spare.
 */
const isWholeWithout = (chronicle: Chronicle, { group, sinceMs, life }: Launch): boolean => {
  const atMs = life.launchedAtMs;
  const size = Math.max(0, ...chronicle.desiredIn(group, sinceMs, atMs));
  const looked = headcountAt(chronicle, group, sinceMs);
  const now = headcountAt(chronicle, group, atMs, { order: life.order - 1, sinceMs });
  const counted = new Set([...now.staying, ...now.waiting]);
  return [...looked.staying, ...looked.waiting].filter((one) => counted.has(one)).length >= size;
};

/** Launched by the same look, and before it. */
const isBeside = (one: Life, other: Life): boolean =>
  isFunction(one.by) && isFunction(other.by) && one.by.invocation === other.by.invocation && one.order < other.order;

/** Whether Holdfast takes a launch out of service although EC2 has not warned about it. It shows nothing about interruptions any more. */
const isGivenAway = (life: Life, atMs: number): boolean => warnedAtMs(life) > atMs && leavesAtMs(life, atMs) <= atMs;

/** A launch that tests whether interruptions are over, and has not lived long enough to show it. */
const trialBefore = (chronicle: Chronicle, launches: readonly Launch[], launch: Launch, open: ToldOpen, provesMs: number): Life | undefined =>
  launches.find(
    ({ life }) =>
      life !== launch.life &&
      isOver(open.breaker, life) &&
      life.launchedAtMs >= open.untilMs &&
      (life.launchedAtMs < launch.sinceMs - slackOf(chronicle) || isBeside(life, launch.life)) &&
      launch.life.launchedAtMs < life.launchedAtMs + provesMs - slackOf(chronicle) &&
      goneAtMs(life) > launch.life.launchedAtMs &&
      !isGivenAway(life, launch.life.launchedAtMs),
  )?.life;

const whyNot = (chronicle: Chronicle, launches: readonly Launch[], launch: Launch, open: ToldOpen, policy: Policy): string | undefined => {
  const { life, sinceMs } = launch;
  if (sinceMs <= open.fromMs || life.launchedAtMs >= open.overMs || !isOver(open.breaker, life) || policy.breaker === undefined) return undefined;
  if (life.launchedAtMs < open.untilMs - 2 * chronicle.times.clockMs)
    return `${life.instance} was launched while the breaker of ${open.breaker} was open`;
  const trial = sinceMs > open.untilMs ? trialBefore(chronicle, launches, launch, open, provesAfterMs(policy.breaker)) : undefined;
  return trial && `${life.instance} was launched while ${trial.instance} was to find out whether the breaker of ${open.breaker} can be closed`;
};

export const breakersAreKept: Rule = {
  name: 'an open breaker is kept',
  meaning:
    'While Holdfast says that a breaker is open, and while one launch tests whether it can be closed, Holdfast launches nothing that the breaker covers if another market of the tree would give it, or if the group has its size without it. A launch that Holdfast takes out of service for another reason than a warning tests nothing more. While a breaker is open, no member moves for a return.',
  broken: inEveryGroup((chronicle, group) => {
    const told = toldOpenIn(chronicle, group);
    if (told.length === 0) return [];
    const launches = ownLaunches(chronicle).filter((launch) => launch.group === group);
    const kept = launches.flatMap((launch): readonly Broken[] => {
      const policy = policyOf(chronicle, launch);
      const why = policy && told.map((open) => whyNot(chronicle, launches, launch, open, policy)).find((text) => text !== undefined);
      if (policy === undefined || why === undefined) return [];
      if (!somethingElseGives(chronicle, policy, launch) && !isWholeWithout(chronicle, launch)) return [];
      return [{ group, instance: launch.life.instance, atMs: launch.life.launchedAtMs, detail: why }];
    });
    const moved = returnLaunches(chronicle).flatMap((launch): readonly Broken[] => {
      const atMs = launch.life.launchedAtMs;
      const isOpen = told.some(
        ({ fromMs, untilMs, overMs }) => launch.sinceMs > fromMs && atMs < Math.min(untilMs, overMs) - 2 * chronicle.times.clockMs,
      );
      if (launch.group !== group || !isOpen || launch.policies.some(({ breaker }) => breaker === undefined)) return [];
      return [{ group, instance: launch.life.instance, atMs, detail: `${launch.life.instance} was launched for a return while a breaker was open` }];
    });
    return [...kept, ...moved];
  }),
};

/** When a breaker must be closed or open again: it was half-open for `hold`, and each launch that may test it is old enough to tell. */
const dueMs = (chronicle: Chronicle, group: string, { breaker, untilMs }: ToldOpen, rule: BreakerRule): number => {
  const slackMs = slackOf(chronicle);
  const tests = chronicle
    .livesIn(group)
    .filter((life) => isOver(breaker, life) && life.launchedAtMs >= untilMs - slackMs)
    .map(({ launchedAtMs }) => launchedAtMs)
    .toSorted((one, other) => one - other);
  // A later launch tests it only if it was decided before the breaker came to its end. The launch follows within the slack.
  return tests.reduce((endMs, atMs) => (atMs <= endMs + slackMs ? Math.max(endMs, atMs + provesAfterMs(rule)) : endMs), untilMs + rule.holdMs);
};

export const breakersEnd: Rule = {
  name: 'a breaker comes to its end',
  meaning:
    'A breaker is reported as open for `hold` of the policy. It is half-open for as long again, and until every launch that may test it has lived for its time. If no fault hinders functions, Holdfast reports on the event bus by the second tick after that that it is closed, or open again.',
  broken: inEveryGroup((chronicle, group) =>
    toldOpenIn(chronicle, group).flatMap((open): readonly Broken[] => {
      const { breaker, fromMs, untilMs, overMs } = open;
      const slackMs = slackOf(chronicle);
      const [policy, ...others] = chronicle.policiesIn(group, fromMs - slackMs, fromMs);
      const rule = policy?.breaker;
      if (rule === undefined || others.length > 0) return [];
      const forMs = untilMs - fromMs;
      if (forMs > rule.holdMs + 2 * chronicle.times.clockMs || forMs < rule.holdMs - slackMs)
        return [{ group, atMs: fromMs, detail: `the breaker of ${breaker} is told to be open for ${Math.round(forMs / 1_000)} s` }];
      const endMs = dueMs(chronicle, group, open, rule) + 2 * times.tickMs + slackMs;
      const isSame = chronicle.policiesIn(group, fromMs - slackMs, endMs).length === 1 && chronicle.policyAt(group, endMs) !== undefined;
      if (overMs <= endMs || !isSame || !isPlain(chronicle, group, fromMs, endMs)) return [];
      return [{ group, atMs: endMs, detail: `the breaker of ${breaker} is neither told to be closed nor open again` }];
    }),
  ),
};

/** Whether a launch of Holdfast below a half-open breaker had lived for its time, as far as a function could know. */
const isProven = (chronicle: Chronicle, group: string, { breaker, untilMs }: ToldOpen, provesMs: number, atMs: number): boolean =>
  chronicle.livesIn(group).some((life) => {
    const provenMs = life.launchedAtMs + provesMs;
    const knownMs = provenMs - slackOf(chronicle);
    const isHeard = life.deliveries.some(
      ({ told, atMs: toldMs, invocation }) => told.about === 'warning' && toldMs < knownMs && isHealthy(chronicle, invocation),
    );
    return (
      isOver(breaker, life) &&
      isFunction(life.by) &&
      life.launchedAtMs >= untilMs - 2 * chronicle.times.clockMs &&
      provenMs <= atMs + 2 * chronicle.times.clockMs &&
      goneAtMs(life) > knownMs &&
      !isHeard &&
      !isGivenAway(life, knownMs)
    );
  });

export const breakersCloseInTime: Rule = {
  name: 'a breaker closes no sooner than it may',
  meaning:
    'Holdfast reports a breaker as closed in two cases only: a launch below it, made since it was half-open, has lived for the time of the policy and does not leave; or it was half-open for `hold`. The event says which of the two.',
  broken: inEveryGroup((chronicle, group) =>
    toldOpenIn(chronicle, group).flatMap((open): readonly Broken[] => {
      const { breaker, fromMs, untilMs, overMs: atMs } = open;
      const closed = chronicle
        .of('announced')
        .find(
          (one) =>
            one.atMs === atMs && one.detailType === announcements.breakerClosed && one.detail.group === group && one.detail.breaker === breaker,
        );
      const slackMs = slackOf(chronicle);
      // An event that is sent again may be about an earlier opening.
      if (closed === undefined || wasLost(chronicle, group, fromMs, atMs) || isHindered(chronicle, telling, fromMs - slackMs, atMs)) return [];
      const rules = chronicle.policiesIn(group, fromMs - slackMs, atMs).flatMap((policy) => policy.breaker ?? []);
      const isTrial = closed.detail.why === 'trial';
      const [holdMs, provesMs] = [Math.min(...rules.map((rule) => rule.holdMs)), Math.min(...rules.map(provesAfterMs))];
      const may = isTrial ? isProven(chronicle, group, open, provesMs, atMs) : atMs >= untilMs + holdMs - 2 * chronicle.times.clockMs;
      if (may) return [];
      const afterMs = Math.round((atMs - untilMs) / 1_000);
      const why = isTrial ? 'no launch below it had lived for its time' : 'it was half-open for less than it is held';
      return [{ group, atMs, detail: `the breaker of ${breaker} was told to be closed ${afterMs} s after it was half-open, and ${why}` }];
    }),
  ),
};
