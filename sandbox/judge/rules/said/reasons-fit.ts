import { familyOf } from '../../capacity/breaker.ts';
import { mostOf as mostLaunches } from '../../capacity/launch-limit.ts';
import { mostOf, owedBy } from '../../capacity/limits.ts';
import { mostMoves } from '../../capacity/returning.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Rule } from '../../finding.ts';
import { lookedSince } from '../../members/staying.ts';
import { eachSecond } from '../../moments.ts';
import { adjusted, atDistance, type Policy } from '../../policy/policy.ts';
import { isMap, type Json, numberOf, textOf } from '../../read-json.ts';
import { type Reasoned, reasoned, type SaidReasoning } from '../../said/reasons.ts';
import { times } from '../../times.ts';
import { isFunction } from '../../world/life.ts';

/** A reason of one round, and what it has to fit. */
type Said = { readonly policy: Policy; readonly round: SaidReasoning; readonly lookedMs: number; readonly one: Json };
/** Whether a reason fits its policy. Each is a sum of the policy reference, made anew by the judge. */
type Fits = (said: Said) => boolean;
type ByCode = Readonly<Record<string, Fits>>;

const sumOf = (list: readonly Json[], of: (one: Json) => number): number => list.reduce((sum, one) => sum + of(one), 0);
const namesIn = ({ instances }: Json): number => (Array.isArray(instances) ? instances.length : Number.NaN);
const countIn = ({ count }: Json): number => numberOf(count);
const isBetween = (number: number, least: number, most: number): boolean => number >= least && number <= most;

const fieldOf = { 'instance-type': 'instanceType', zone: 'zone', offering: 'offering' } as const;
const percentOf = ({ maxShare }: Policy, of: unknown): number | undefined => maxShare[fieldOf[of as keyof typeof fieldOf]];

/** `most` is the share of the size, and the share holds that many. */
const isFullShare: Fits = ({ policy, round, one }) => {
  const percent = percentOf(policy, one.of);
  return percent !== undefined && numberOf(one.most) === mostOf(percent, round.desired) && numberOf(one.held) >= numberOf(one.most);
};

/** A breaker of the policy over the offering, or over another type of an Auto Scaling group that chooses among its types. */
const isOverIt: Fits = ({ policy, one }) => {
  const pool = policy.pools[textOf(one.pool)];
  const [type = '', , market] = textOf(one.offering).split('/');
  const types = pool?.asg === undefined ? [type] : pool.instanceTypes;
  const isCovered = one.breaker === 'spot' || types.some((each) => one.breaker === `spot/${familyOf(each)}`);
  return policy.breaker !== undefined && market === 'spot' && isCovered;
};

/** What rests is in force when the decision is made. */
const isStill: Fits = ({ lookedMs, one }) => numberOf(one.untilMs) > lookedMs;

const against: ByCode = {
  'at-share': isFullShare,
  'at-maximum': ({ one }) => numberOf(one.held) >= numberOf(one.max),
  breaker: (said) => isOverIt(said) && (said.one.is !== 'open' || isStill(said)),
  refused: isStill,
  interrupted: isStill,
  advised: isStill,
  'boots-failed': isStill,
  denied: isStill,
};

const isOwed = (policy: Policy, { desired }: SaidReasoning, owed: Json): boolean =>
  numberOf(owed.onDemand ?? owed.owed) === owedBy(policy, desired) && numberOf(owed.held) < numberOf(owed.onDemand ?? owed.owed);

/** What comes on demand because it is owed is on demand, and no more than is missing. */
const ofOwed: Fits = ({ policy, round, one }) => {
  const owed = isMap(one.owed) ? one.owed : {};
  const all = round.reasons.filter((reason) => isMap(reason.owed) && reason.owed.held === owed.held);
  const isMissing = sumOf(all, countIn) <= numberOf(owed.onDemand) - numberOf(owed.held);
  return isOwed(policy, round, owed) && isMissing && policy.pools[textOf(one.pool)]?.market === 'on-demand';
};

const ofSpare: Fits = ({ policy, round, one }) =>
  policy.pools[textOf(one.pool)]?.market === 'spot' &&
  sumOf(
    round.reasons.filter(({ spare }) => spare === true),
    countIn,
  ) <= policy.spare;

/** A smaller difference of prices or shares is one of rounding. */
const tiny = 1e-6;
/** A move for the price saves at least a twentieth (docs/policy.md, return). */
const worthwhile = 0.95;

const whyMoved: ByCode = {
  'earlier-tier': ({ one: { tier, from } }) => numberOf(tier) >= 1 && numberOf(tier) < numberOf(from),
  cheaper: ({ one: { usdPerHour, fromUsdPerHour } }) => numberOf(usdPerHour) <= numberOf(fromUsdPerHour) * worthwhile + tiny,
  'fewer-members': ({ one: { held, fromHeld } }) => numberOf(fromHeld) - numberOf(held) >= 2,
  'below-share': ({ one: { below, fromAbove } }) => numberOf(below) > 0 && numberOf(fromAbove) >= 1 - tiny,
  'on-demand-owed': ({ policy, round, one }) => isOwed(policy, round, one),
};

/** By the rule of the policy. After a lost race, the decision is made some seconds later than its look. */
const isOpened: Fits = ({ policy: { breaker }, lookedMs, one }) =>
  breaker !== undefined &&
  numberOf(one.withinMs) === breaker.withinMs &&
  Math.abs(numberOf(one.untilMs) - breaker.holdMs - lookedMs) <= times.reactMs &&
  (one.why === 'trial' || numberOf(one.interruptions) >= breaker.interruptions);

/** The pool rests for ten minutes at least, and four hours at most. */
const isGivenUp: Fits = ({ lookedMs, one }) =>
  isBetween(numberOf(one.untilMs) - lookedMs, times.unservedRestMs - times.reactMs, times.longestUnservedRestMs + times.reactMs);

const remarked: ByCode = {
  'given-up': isGivenUp,
  'launches-bounded': ({ policy: { launches }, round, one }) =>
    numberOf(one.withinMs) === launches.withinMs && numberOf(one.atMost) >= mostLaunches(launches.atMost, round.desired) && countIn(one) > 0,
  'breaker-opened': isOpened,
  'on-demand-short': ({ policy, round, one }) => isOwed(policy, round, one),
};

/** Holdfast removes by the order of the policy, and for a share only where the policy limits it. */
const whyRemoved: ByCode = {
  surplus: ({ policy, one }) =>
    isMap(one.rank) && one.rank.order === policy.removalOrder && (one.overShare === undefined || percentOf(policy, one.overShare) !== undefined),
};

const sizedBy: Readonly<Record<string, (policy: Policy, size: Json) => boolean>> = {
  alarm: ({ scaling, size }, { alarm, fromThreshold, from, to }) => {
    const row = scaling.find((one) => one.alarm === alarm);
    return row !== undefined && numberOf(to) === adjusted(numberOf(from), atDistance(row, fromThreshold as number | undefined), size);
  },
  schedule: ({ schedule }, { at, timezone, to }) => schedule.some((one) => one.at === at && one.timezone === timezone && one.size === to),
};

/** Whether it fits, where its code has a rule here. */
const fits = (by: ByCode, said: Said): boolean => by[textOf(said.one.code)]?.(said) !== false;

const whyOf = ({ why }: Json): Json => (isMap(why) ? why : {});

/** The launches for members that move, each for one of them, within the surge and within what may move at one time. Nothing else is under way then. */
const wrongMoves = ({ policy, serving, swaps }: Reasoned, { placements, moves, desired }: SaidReasoning): readonly string[] => {
  const { maxSurge, returning } = policy;
  const moved = sumOf(moves, namesIn);
  const returned = sumOf(
    moves.filter((move) => whyOf(move).code !== 'on-demand-owed'),
    namesIn,
  );
  const most = returning === undefined ? 0 : mostMoves(returning.atMost, desired);
  const isTorn = placements.some(({ count, moves: for_ }) => Array.isArray(for_) && for_.length !== count);
  return [
    ...(moved > maxSurge ? [`moves ${moved} members, and maxSurge is ${maxSurge}`] : []),
    ...(returned > most ? [`moves ${returned} members, and return allows ${most}`] : []),
    ...(isTorn ? ['does not launch one for each member that moves'] : []),
    ...(returned > 0 && serving < desired ? [`moves members while ${serving} serve, and the size is ${desired}`] : []),
    ...(returned > 0 && (swaps.waiting !== undefined || swaps.leaving !== undefined) ? ['moves members while others begin to leave'] : []),
  ];
};

/** No more leave as a surplus than the group has above its size. */
const wrongSurplus = ({ staying, desired, removals }: SaidReasoning): readonly string[] => {
  const left = removals.filter((one) => whyOf(one).code === 'surplus').length;
  return left > Math.max(0, staying - desired) ? [`removes ${left} of ${staying} as a surplus, and the size is ${desired}`] : [];
};

/** Whether the first of two ranks leaves no later than the second one. Where prices are unknown, each market has an order of its own. */
const isInOrder = (one: Json, next: Json, markets: readonly unknown[]): boolean => {
  const [first, second] = [one, next].map(({ launchedAtMs, aboutUsdPerHour = 0 }) => numberOf(launchedAtMs ?? aboutUsdPerHour)) as [number, number];
  if (one.order === 'oldest-first') return first <= second;
  if (one.order === 'dearest-first' && new Set(markets).size > 1) return true;
  return one.order === 'same-order' || first >= second;
};

/** Who leaves of those that served all through the look and that Holdfast launched: in the order of their ranks. Who does not serve may leave before them. */
const wrongOrder = (chronicle: Chronicle, { write }: Reasoned, { removals }: SaidReasoning): readonly string[] => {
  const sinceMs = lookedSince(chronicle, write.by, write.atMs) - Math.max(chronicle.times.lagMs, chronicle.times.asgLagMs);
  const moments = eachSecond(sinceMs, write.atMs);
  const chosen = removals.flatMap((one) => {
    const [why, life] = [whyOf(one), chronicle.life(textOf(one.instance))];
    const isPlain = why.code === 'surplus' && why.unhealthy === undefined && why.overShare === undefined;
    const serves = life !== undefined && isFunction(life.by) && moments.every((atMs) => chronicle.isReadyAt(life, atMs));
    return isPlain && serves ? [{ rank: isMap(why.rank) ? why.rank : {}, life }] : [];
  });
  return chosen.flatMap(({ rank, life }, index) => {
    const next = chosen[index + 1];
    if (next === undefined || isInOrder(rank, next.rank, [life.market, next.life.market])) return [];
    return [`removes ${life.instance} before ${next.life.instance}`];
  });
};

const inWords = (one: Json): string => `${textOf(one.pool)} ${textOf(one.code)}`.trim();

const wrongIn = (decision: Reasoned, round: SaidReasoning, hasSize: boolean): readonly string[] => {
  const { policy, lookedMs } = decision;
  const unfit = (by: ByCode, list: readonly Json[]): readonly string[] =>
    list.filter((one) => !fits(by, { policy, round, lookedMs, one })).map((one) => `says ${inWords(one)}`);
  const reasons = round.reasons.filter((one) => {
    const said = { policy, round, lookedMs, one };
    return (one.owed !== undefined && !ofOwed(said)) || (one.spare === true && !ofSpare(said));
  });
  return [
    ...unfit(against, round.rejected),
    ...unfit(whyMoved, round.moves.map(whyOf)),
    ...unfit(whyRemoved, round.removals.map(whyOf)),
    ...unfit(remarked, round.remarks),
    ...reasons.map(({ pool }) => `launches in ${textOf(pool)} as owed on demand, or as a spare`),
    ...wrongMoves(decision, round),
    ...(hasSize ? wrongSurplus(round) : []),
  ];
};

export const reasonsFit: Rule = {
  name: 'the reasons in a decision fit its policy',
  meaning:
    'What a stored decision gives as its reasons follows from the policy that it names and from its own numbers. A full share is as large as the policy says, and holds that many. A breaker covers the offering that it speaks against. What rests does so until after the look. No more is launched as owed on demand, or as a spare, than is missing. A move has a reason of the policy reference: an earlier tier, a twentieth less, two members fewer, a share that is not reached. No more members move at once than `maxSurge` and `return` allow, and none for a better place while fewer serve than are desired, or while others begin to leave. Who leaves as a surplus leaves by the order of the policy, those that serve one after the other in this order, and no more do than are above the size. An alarm and a schedule set the size that the policy makes of them.',
  broken: (chronicle) =>
    reasoned(chronicle).flatMap((decision) => {
      const { id, group, policy, sizes, rounds, write } = decision;
      // A group whose Auto Scaling group is gone has no size.
      const hasSize = !chronicle.cloud.asgChanges(policy.asg ?? '').some(({ isGone }) => isGone);
      const wrong = [
        ...sizes.filter((size) => sizedBy[textOf(size.code)]?.(policy, size) === false).map(({ code, to }) => `says that ${textOf(code)} sets ${to}`),
        ...rounds.flatMap((round) => [...wrongIn(decision, round, hasSize), ...wrongOrder(chronicle, decision, round)]),
      ];
      return [...new Set(wrong)].map((what) => ({ group, atMs: write.atMs, detail: `decision ${id} ${what}, which does not fit its policy` }));
    }),
};
