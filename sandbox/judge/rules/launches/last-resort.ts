import { givingOf, type Moment } from '../../capacity/giving.ts';
import { givingWell } from '../../capacity/giving-well.ts';
import { isOnDemand, mayBeOwed } from '../../capacity/limits.ts';
import { refusalsOf } from '../../capacity/refusals.ts';
import { mayBeSpare } from '../../capacity/spares.ts';
import type { Chronicle, InForce } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { ownLaunches } from '../../members/staying.ts';
import type { Policy, PolicyPool } from '../../policy/policy.ts';
import { poolOf } from '../../policy/pools.ts';
import { pathTo, usedPools } from '../../policy/tree.ts';
import { times } from '../../times.ts';
import { isHealthy } from '../../told/leaving.ts';
import { nameOf, type OfferingName } from '../../world/cloud.ts';
import { type Delivery, goneAtMs, isFunction, type Life, takenOutAtMs, warnedAtMs } from '../../world/life.ts';
import { type Learned, surelyTakenAtOnce } from '../../world/taken-at-once.ts';

type Broken = Omit<Finding, 'rule'>;

/** A launch, and the invocation that made it. */
type Launch = Moment & { readonly life: Life; readonly invocation: string };

/** The first message of this kind about a member, where the function that it reached did all of its work and knew it before it launched. */
const learnedFrom = (chronicle: Chronicle, life: Life, about: Delivery['told']['about'], launch: Launch): Delivery | undefined => {
  // A message that arrives this late is out of date.
  const first = life.deliveries.find(({ told, atMs, happenedAtMs }) => told.about === about && atMs - happenedAtMs < times.interruptedRestMs);
  if (first === undefined || !isHealthy(chronicle, first.invocation)) return undefined;
  const ended = chronicle.invocations.get(first.invocation)?.ended;
  if (ended === undefined || ended.again.includes(first.message)) return undefined;
  const isKnown = first.invocation === launch.invocation || ended.atMs <= launch.sinceMs;
  return isKnown && chronicle.groupAt(life, first.atMs) === launch.group ? first : undefined;
};

/** A warning counts during its rest, if its member was in service until then. */
const warnedLately = (chronicle: Chronicle, life: Life, launch: Launch): Delivery | undefined => {
  const heard = learnedFrom(chronicle, life, 'warning', launch);
  if (heard === undefined || Math.min(takenOutAtMs(life), goneAtMs(life)) <= heard.atMs) return undefined;
  return launch.atMs < heard.atMs + times.interruptedRestMs - 2 * chronicle.times.clockMs ? heard : undefined;
};

/** Advice counts while the member that it is about has yet to leave for it. */
const advisedStill = (chronicle: Chronicle, life: Life, launch: Launch): Delivery | undefined => {
  const heard = learnedFrom(chronicle, life, 'advice', launch);
  const claimed = life.claims.at(0)?.by;
  if (heard === undefined || !isFunction(claimed) || claimed.invocation !== heard.invocation) return undefined;
  return Math.min(takenOutAtMs(life), goneAtMs(life), warnedAtMs(life)) > launch.atMs ? heard : undefined;
};

/**
 * Advice beyond the budget of the policy counts for three minutes. Nobody claims its member, which has to be one that a look shows. An instance that EC2
 * gives there may end that.
 */
const advisedBeyondBudget = (chronicle: Chronicle, { advicePerHour, mode }: Policy, life: Life, launch: Launch): Delivery | undefined => {
  const heard = learnedFrom(chronicle, life, 'advice', launch);
  if (heard === undefined || advicePerHour === Number.POSITIVE_INFINITY || mode !== 'act') return undefined;
  const { lagMs, asgLagMs, clockMs } = chronicle.times;
  const wasShown = [heard.atMs - Math.max(lagMs, asgLagMs), launch.atMs].every((atMs) => chronicle.isReadyAt(life, atMs));
  const isGiven = chronicle
    .livesIn(launch.group)
    .some((one) => nameOf(one) === nameOf(life) && one.launchedAtMs > heard.atMs - times.reactMs && one.launchedAtMs < launch.atMs);
  if (!wasShown || isGiven || life.claims.some(({ atMs }) => atMs <= launch.atMs)) return undefined;
  return launch.atMs < heard.atMs + times.interruptedRestMs - 2 * clockMs ? heard : undefined;
};

/** A policy that is written, and a state item that is restored, make Holdfast forget; a request that failed is repeated as it was made. */
const mayHaveForgotten = (chronicle: Chronicle, { group, atMs }: Launch, heardMs: number): boolean => {
  const isWithin = (one: { readonly atMs: number }): boolean => one.atMs > heardMs - times.reactMs && one.atMs <= atMs;
  const policies: readonly InForce[] = chronicle.groups.get(group)?.policies ?? [];
  return policies.some(isWithin) || chronicle.of('step').some((step) => step.step === 'state-restored' && isWithin(step));
};

const repeatedForMs = 600_000;
const mayBeRepeat = (chronicle: Chronicle, { atMs }: Launch): boolean =>
  [...chronicle.invocations.values()].some(
    ({ id, function: name, beganAtMs }) =>
      name.endsWith('react') && beganAtMs < atMs && beganAtMs > atMs - repeatedForMs && !isHealthy(chronicle, id),
  );

/** Members of this offering that EC2 takes or advises to replace, if the function that launched certainly knew it. */
const knownRisk = (chronicle: Chronicle, launch: Launch, policy: Policy): Life | undefined => {
  if (refusalsOf(chronicle, launch.group, launch.life).some(({ atMs }) => atMs <= launch.atMs)) return undefined;
  return chronicle.livesIn(launch.group).find((life) => {
    if (life === launch.life || nameOf(life) !== nameOf(launch.life)) return false;
    const advice = policy.actsOnAdvice ? (advisedStill(chronicle, life, launch) ?? advisedBeyondBudget(chronicle, policy, life, launch)) : undefined;
    const heard = warnedLately(chronicle, life, launch) ?? advice;
    return heard !== undefined && !mayHaveForgotten(chronicle, launch, heard.atMs);
  });
};

/** An Auto Scaling group picks among its zones and types by itself. */
const isChosenByUs = ({ asg, zones, instanceTypes }: PolicyPool): boolean => asg === undefined || (zones.length === 1 && instanceTypes.length === 1);

/** An offering other than the launched one, in the same tier, that had capacity when the launch was decided. It belongs to the same pool, or to another child that the selectors could have chosen. */
const otherThan = (chronicle: Chronicle, policy: Policy, pool: PolicyPool, launch: Launch): OfferingName | undefined => {
  const beside = pathTo(policy.capacity, pool.name).flatMap(({ selector, child }) =>
    selector.kind === 'tiered' ? [] : selector.children.filter((_, index) => index !== child && selector.weights[index] !== 0),
  );
  const isOwed = mayBeOwed(chronicle, policy, launch);
  const isSpare = mayBeSpare(chronicle, policy, launch);
  return [pool.name, ...beside]
    .flatMap((node) => givingWell({ chronicle, policy, moment: launch }, node))
    .filter((offering) => !isOwed || isOnDemand(offering))
    .filter(({ market }) => !isSpare || market === 'spot')
    .find((offering) => nameOf(offering) !== nameOf(launch.life));
};

const poorPlace = (chronicle: Chronicle, launch: Launch): readonly Broken[] => {
  const { life, group, sinceMs, atMs } = launch;
  const [policy, ...others] = chronicle.policiesIn(group, sinceMs, atMs);
  const pool = policy?.pools[poolOf(life, policy, atMs) ?? ''];
  if (policy === undefined || others.length > 0 || pool === undefined || !isChosenByUs(pool)) return [];
  const risk = knownRisk(chronicle, launch, policy);
  if (risk === undefined || mayBeRepeat(chronicle, launch)) return [];
  const other = otherThan(chronicle, policy, pool, launch);
  if (other === undefined) return [];
  const detail = `${life.instance} was launched as ${nameOf(life)}, where ${risk.instance} is taken or at risk, and ${nameOf(other)} had capacity`;
  return [{ group, instance: life.instance, atMs, detail }];
};

export const lastResortLast: Rule = {
  name: 'what EC2 takes is used last',
  meaning:
    'Some offerings are at risk: EC2 took a member there in the last three minutes, or advises a member there to leave that has not left yet. Advice beyond `rebalance.atMostPerHour` counts for three minutes. Nothing is launched in such an offering while another one of its tier would give it.',
  broken: (chronicle) =>
    ownLaunches(chronicle).flatMap(({ life, group, sinceMs }) =>
      isFunction(life.by) ? poorPlace(chronicle, { life, group, sinceMs, atMs: life.launchedAtMs, invocation: life.by.invocation }) : [],
    ),
};

const uselessPlace = (chronicle: Chronicle, launch: Launch): readonly Broken[] => {
  const { life, group, sinceMs, atMs } = launch;
  const [policy, ...others] = chronicle.policiesIn(group, sinceMs, atMs);
  const pool = policy?.pools[poolOf(life, policy, atMs) ?? ''];
  if (policy === undefined || others.length > 0 || pool === undefined || !isChosenByUs(pool) || mayBeRepeat(chronicle, launch)) return [];
  if (refusalsOf(chronicle, group, life).some((refused) => refused.atMs <= atMs)) return [];
  const learned = (one: Life): Learned | undefined => {
    const heard = one === life ? undefined : learnedFrom(chronicle, one, 'warning', launch);
    const ended = heard && chronicle.invocations.get(heard.invocation)?.ended;
    return heard && ended && { heardAtMs: heard.atMs, endedAtMs: ended.atMs };
  };
  const taken = surelyTakenAtOnce(chronicle, life, group, learned);
  if (taken === undefined || atMs >= taken.heardAtMs + times.refusedRestMs - 2 * chronicle.times.clockMs) return [];
  if (mayHaveForgotten(chronicle, launch, taken.heardAtMs - times.takenAtOnceWithinMs)) return [];
  const [isOwed, isSpare] = [mayBeOwed(chronicle, policy, launch), mayBeSpare(chronicle, policy, launch)];
  const other = usedPools(policy)
    .flatMap((one) => givingOf(chronicle, policy, one, launch))
    .filter((offering) => (!isOwed || isOnDemand(offering)) && (!isSpare || offering.market === 'spot'))
    .find((offering) => nameOf(offering) !== nameOf(life));
  if (other === undefined) return [];
  const detail = `${life.instance} was launched as ${nameOf(life)}, which EC2 took back at once, last of ${taken.life.instance}, and ${nameOf(other)} had capacity`;
  return [{ group, instance: life.instance, atMs, detail }];
};

export const takenAtOnceLast: Rule = {
  name: 'what EC2 takes back at once is used while nothing else gives',
  meaning:
    'EC2 may take two launches of an offering in a row, each within two minutes, where the second one was made after the warning of the first was received. Nothing is launched in this offering for three minutes then, while anything else in the tree would give it.',
  broken: (chronicle) =>
    ownLaunches(chronicle).flatMap(({ life, group, sinceMs }) =>
      isFunction(life.by) ? uselessPlace(chronicle, { life, group, sinceMs, atMs: life.launchedAtMs, invocation: life.by.invocation }) : [],
    ),
};
