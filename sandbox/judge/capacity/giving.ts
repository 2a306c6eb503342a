import type { Chronicle } from '../chronicle.ts';
import { missingBeside } from '../members/missing-requests.ts';
import { couldBeKnown, isStray, storedAtMs } from '../members/staying.ts';
import { isInWarmPool } from '../members/warm-pools.ts';
import { limitFor, type Policy, type PolicyPool } from '../policy/policy.ts';
import { mayBecome, offeringsOf, poolOf } from '../policy/pools.ts';
import { usedPools } from '../policy/tree.ts';
import { times } from '../times.ts';
import { mayBeUndone, undoneUntil } from '../told/losses.ts';
import { nameOf, type OfferingName } from '../world/cloud.ts';
import { wasDeniedLately } from '../world/denied.ts';
import { wasGone } from '../world/gone.ts';
import { goneAtMs, isFunction, type Life, leavesAtMs, takenOutAtMs } from '../world/life.ts';
import { mayBeTakenAtOnce } from '../world/taken-at-once.ts';
import { bootsRestUntil, neverServedUntil } from './boots.ts';
import { breakerMayCover } from './breaker.ts';
import { hasShareRoom, hasShares } from './limits.ts';
import { isOfSubnet, type Refused, refusalsOf, refusalsTo } from './refusals.ts';
import { isSurelyTold } from './surely-told.ts';

/** A placement by a function: the earliest time of its look, and when EC2 launched. */
export type Moment = {
  readonly group: string;
  readonly sinceMs: number;
  readonly atMs: number;
  readonly invocation?: string;
  /** The invocation that chose the place. A repeat of a request is made by another one. */
  readonly placedBy?: string;
  /** For a launch that moves a member: it leaves out offerings with a refusal or warning within this time. */
  readonly quietForMs?: number;
  /** For a launch that moves a member because so many are owed on demand: by this policy it leaves out offerings to which moves were undone. */
  readonly undoneBy?: Policy;
  /** Until when launches may have counted beside it. Absent: a launch may have been under way. */
  readonly besideUntilMs?: number;
  /** The launch that another one is looked for: it counts nowhere. */
  readonly insteadOf?: Life;
};

/** Prices are read from time to time, so a price of this long ago may still be in use. */
export const priceBeliefMs = 600_000;

const daily = new Set(['Unsupported']);
const dayMs = 24 * 3_600_000;

/**
 * Until when an offering may rest after these refusals: each one in a row, outside the rest of the last, doubles the rest. By the clocks of functions,
 * one shortly before the end of a rest may be outside of it.
 */
const restsUntil = (refusals: readonly Refused[], successes: readonly number[], clockMs: number): number => {
  let [untilMs, streak, lastMs] = [Number.NEGATIVE_INFINITY, 0, Number.NEGATIVE_INFINITY];
  for (const { atMs, code } of refusals) {
    if (successes.some((success) => success > lastMs && success < atMs)) streak = 0;
    if (atMs >= untilMs - 2 * clockMs || streak === 0) streak += 1;
    const restMs = daily.has(code) ? dayMs : Math.min(times.longestRestMs, times.refusedRestMs * 2 ** (streak - 1));
    untilMs = Math.max(untilMs, atMs + restMs);
    lastMs = atMs;
  }
  return untilMs;
};

/** When the call that launched it was answered: the same response says what else the call was refused. */
const answersTo = (chronicle: Chronicle, { askedAtMs, by, tags: [first], stays: [stay] }: Life): ReadonlySet<number> =>
  new Set(
    chronicle.of('called').flatMap(({ launch, invocation, askedAtMs: calledAtMs, atMs }) => {
      const isOfPool = launch?.asg === undefined ? launch?.pool === first?.tags['holdfast:pool'] : launch.asg === stay?.asg;
      return launch !== undefined && isFunction(by) && by.invocation === invocation && calledAtMs === askedAtMs && isOfPool ? [atMs] : [];
    }),
  );

/**
 * Refusals that a function could know when it placed: those before its call, and those in the response to this very call. It does not know the results
 * of its own simultaneous requests.
 */
const isKnown = (chronicle: Chronicle, { atMs: placedAtMs, invocation: own, insteadOf }: Moment) => {
  const { launchCallMs } = chronicle.times;
  const askedAtMs = insteadOf?.askedAtMs;
  const answers = insteadOf === undefined ? undefined : answersTo(chronicle, insteadOf);
  return ({ atMs, invocation }: { readonly atMs: number; readonly invocation: string }): boolean =>
    askedAtMs === undefined
      ? atMs <= placedAtMs || (invocation === own && atMs <= placedAtMs + launchCallMs)
      : atMs <= askedAtMs || (invocation === own && answers?.has(atMs) === true);
};

const subnetsIn = ({ history }: Chronicle, pool: PolicyPool, zone: string) =>
  history.spec.subnets.filter((subnet) => pool.subnets.includes(subnet.id) && subnet.zone === zone);

/** Until when a subnet rests that was refused for lack of addresses. */
const subnetRestsUntil = (chronicle: Chronicle, subnet: string, moment: Moment): number => {
  const refusals = refusalsTo(chronicle, moment.group).filter((refused) => isOfSubnet(refused) && refused.subnet === subnet);
  return (refusals.findLast(isKnown(chronicle, moment))?.atMs ?? Number.NEGATIVE_INFINITY) + times.refusedRestMs;
};

/** Refusals that do not count. */
type Except = { readonly except: (refused: Refused) => boolean };
const none: Except = { except: () => false };

/** Until when refusals let an offering of a pool rest, of itself or of every subnet of its zone, as of some moment. */
export const restedUntil = (chronicle: Chronicle, pool: PolicyPool, offering: OfferingName, moment: Moment, { except } = none): number => {
  const refusals = refusalsOf(chronicle, moment.group, offering).filter((refused) => isKnown(chronicle, moment)(refused) && !except(refused));
  const successes = chronicle.lives
    .filter((life) => isFunction(life.by) && nameOf(life) === nameOf(offering))
    .map(({ launchedAtMs }) => launchedAtMs);
  const subnets = subnetsIn(chronicle, pool, offering.zone).map(({ id }) => subnetRestsUntil(chronicle, id, moment));
  return Math.max(restsUntil(refusals, successes, chronicle.times.clockMs), Math.min(...subnets));
};

/** Until when an offering comes last because of advice: during its rest, and until the advised member has left. */
const adviceHoldsUntil = (life: Life, restsUntilMs: number): number =>
  life.claims.length === 0 ? restsUntilMs : Math.max(restsUntilMs, Math.min(takenOutAtMs(life), goneAtMs(life)));

/** Instances that EC2 may take from a group: its members, and those of its warm pools. */
const livesOf = (chronicle: Chronicle, moment: Moment): readonly Life[] => [
  ...chronicle.livesIn(moment.group),
  ...chronicle.lives.filter((life) => isInWarmPool(chronicle, life, moment)),
];

/** Whether Holdfast may let an offering come last inside its tier: EC2 took instances of it, or says that it may. */
export const isAtRisk = (chronicle: Chronicle, offering: OfferingName, moment: Moment): boolean => {
  const { sinceMs } = moment;
  return livesOf(chronicle, moment)
    .filter((life) => nameOf(life) === nameOf(offering))
    .some((life) => {
      const told = life.deliveries.filter((one) => one.told.about === 'warning' || one.told.about === 'advice').map(({ atMs }) => atMs);
      const restsUntil = (atMs: number): number => Math.max(atMs, ...told) + times.interruptedRestMs;
      return [
        ...life.warnings.map(({ atMs }) => ({ atMs, untilMs: restsUntil(atMs) })),
        ...life.advisedAtMs.map((atMs) => ({ atMs, untilMs: adviceHoldsUntil(life, restsUntil(atMs)) })),
      ].some(({ atMs, untilMs }) => atMs <= sinceMs + times.reactMs && sinceMs < untilMs + times.reactMs + 2 * chronicle.times.clockMs);
    });
};

/** Whether Holdfast may pass an offering over: it was refused. */
const isRefused = (chronicle: Chronicle, pool: PolicyPool, offering: OfferingName, moment: Moment, refusals = none): boolean =>
  moment.sinceMs < restedUntil(chronicle, pool, offering, moment, refusals) + times.reactMs + 2 * chronicle.times.clockMs;

/** The longest that an offering is left out of moves after a member was interrupted there soon (docs/policy.md, return). */
const longestBackOffMs = 4 * 3_600_000;
/** If a member is interrupted sooner than this, its move did not pay. */
const paysAfterMs = 15 * 60_000;

/** Whether a move may leave an offering out, because a member there was warned or advised lately, or interrupted soon after a launch. */
const isTakenLately = (chronicle: Chronicle, offering: OfferingName, moment: Moment): boolean => {
  const { sinceMs, atMs, quietForMs = 0 } = moment;
  const slackMs = times.reactMs + 2 * chronicle.times.clockMs;
  const isRecent = (heardMs: number, forMs: number): boolean => heardMs <= atMs && sinceMs < heardMs + forMs + slackMs;
  return livesOf(chronicle, moment)
    .filter((life) => nameOf(life) === nameOf(offering))
    .some(({ launchedAtMs, warnings, advisedAtMs, deliveries }) => {
      const told = deliveries.filter(({ told: { about } }) => about === 'warning' || about === 'advice').map((one) => one.atMs);
      const heard = [...warnings.map((warning) => warning.atMs), ...advisedAtMs, ...told];
      return heard.some((heardMs) => isRecent(heardMs, heardMs - launchedAtMs < paysAfterMs + slackMs ? longestBackOffMs : quietForMs));
    });
};

/** Whether a move surely leaves an offering out, because a message reported a member there that EC2 takes, or may take. */
const isSurelyTakenLately = (chronicle: Chronicle, offering: OfferingName, moment: Moment): boolean =>
  isSurelyTold(chronicle, offering, moment, moment.quietForMs ?? 0);

/** Which refusals do not count, and when an offering counts as taken lately. */
type LeftOut = { readonly refusals: Except; readonly isTaken: typeof isTakenLately };

/**
 * Whether a move may leave an offering out: it was refused lately, EC2 took some of what a launch there may become, or an Auto Scaling group undid
 * moves.
 */
const isLeftOut = (chronicle: Chronicle, pool: PolicyPool, offering: OfferingName, moment: Moment, { refusals, isTaken }: LeftOut): boolean => {
  const { group, sinceMs, atMs, quietForMs, undoneBy } = moment;
  const slackMs = times.reactMs + 2 * chronicle.times.clockMs;
  if (undoneBy !== undefined && sinceMs < undoneUntil(chronicle, undoneBy, offering, atMs) + slackMs) return true;
  if (quietForMs === undefined) return false;
  return (
    refusalsOf(chronicle, group, offering).some(
      (refused) => !refusals.except(refused) && refused.atMs <= atMs && sinceMs < refused.atMs + quietForMs + slackMs,
    ) ||
    mayBeUndone(chronicle, group, atMs) ||
    mayBecome(offering, pool).some((one) => isTaken(chronicle, one, moment))
  );
};

/** Members that surely count at a launch: alive, not leaving, launched no later, and known to the function that looked. */
export const surelyHeld = (chronicle: Chronicle, { group, sinceMs, atMs }: Moment, order: number): readonly Life[] =>
  chronicle
    .membersAt(group, atMs)
    .filter(
      (life) =>
        leavesAtMs(life, atMs) > atMs &&
        !isStray(chronicle, life, atMs) &&
        (life.launchedAtMs < atMs || life.order <= order) &&
        couldBeKnown(chronicle, life, { sinceMs, atMs }),
    );

/** Whether a launch was chosen only after another one was requested: a function stores the requests of a decision before it makes any of them. */
const isChosenAfter = (chronicle: Chronicle, life: Life, { insteadOf }: Moment): boolean =>
  insteadOf?.askedAtMs !== undefined && (storedAtMs(chronicle, life) ?? Number.NEGATIVE_INFINITY) > insteadOf.askedAtMs;

/** Members that may have counted for the function that placed: also leaving, just ended and simultaneously requested ones. */
export const perhapsHeld = (chronicle: Chronicle, moment: Moment): readonly Life[] => {
  const { group, sinceMs, atMs, besideUntilMs = atMs + chronicle.times.launchCallMs + times.reactMs } = moment;
  const { lagMs, asgLagMs } = chronicle.times;
  return chronicle
    .livesIn(group)
    .filter(
      (life) =>
        life.launchedAtMs <= besideUntilMs &&
        goneAtMs(life) > sinceMs - Math.max(lagMs, asgLagMs) - times.messageAgainMs &&
        !isChosenAfter(chronicle, life, moment),
    );
};

const hasAddresses = (chronicle: Chronicle, pool: PolicyPool, zone: string, moment: Moment): boolean =>
  subnetsIn(chronicle, pool, zone).some(
    ({ id }) =>
      chronicle.cloud.addressesAt(id, moment.atMs) >= 1 &&
      moment.sinceMs >= subnetRestsUntil(chronicle, id, moment) + times.reactMs + 2 * chronicle.times.clockMs,
  );

/** Which of the prices that may be believed has to fit: the highest one where a launch is required, and the lowest one where it is allowed. */
type Priced = 'surely' | 'perhaps';

/** Whether the prices that may be believed are within the limit of a pool. */
const isPriced = (chronicle: Chronicle, pool: PolicyPool, offering: OfferingName, { sinceMs, atMs }: Moment, priced: Priced): boolean => {
  const prices = chronicle.cloud.pricesIn(offering, sinceMs - priceBeliefMs, atMs);
  return (priced === 'surely' ? Math.max(...prices) : Math.min(...prices)) <= limitFor(pool, offering.instanceType);
};

/** Whether Holdfast could launch an offering, as far as it could know: its price fits, and it does not rest after a refusal. */
const mayBeOpen = (
  chronicle: Chronicle,
  pool: PolicyPool,
  offering: OfferingName,
  moment: Moment,
  { refusals = none, priced = 'surely', isTaken = isTakenLately }: Partial<LeftOut> & { readonly priced?: Priced } = {},
): boolean => {
  return (
    isPriced(chronicle, pool, offering, moment, priced) &&
    !isRefused(chronicle, pool, offering, moment, refusals) &&
    !isLeftOut(chronicle, pool, offering, moment, { refusals, isTaken })
  );
};

/** Whether a refusal came with a response that granted this very offering in full, so that it does not count as refused. */
const isBesideGrants = (chronicle: Chronicle, { invocation, asg, isBesideWhole, ...refused }: Refused): boolean => {
  if (isBesideWhole) return true;
  const own = chronicle.lives.filter(
    (life) => isFunction(life.by) && life.by.invocation === invocation && (asg === undefined || life.stays[0]?.asg === asg),
  );
  const calls = chronicle.of('called').filter((call) => call.invocation === invocation && call.launch !== undefined && call.launch.asg === asg);
  const requested = calls.reduce((sum, { launch }) => sum + (launch?.count ?? 0), 0);
  return calls.length > 0 && own.length >= requested && own.some((life) => nameOf(life) === nameOf(refused));
};

/** Whether a function surely knew that an offering is at risk, because another function had received that when it began. */
const isSurelyAtRisk = (chronicle: Chronicle, offering: OfferingName, moment: Moment): boolean =>
  isSurelyTold(chronicle, offering, moment, times.interruptedRestMs);

/** Whether Holdfast may have expected capacity of an offering: its price fits, and no fact that Holdfast surely knew speaks against it. */
export const mayBeBelieved = (chronicle: Chronicle, pool: PolicyPool, offering: OfferingName, moment: Moment): boolean => {
  const refusals = { except: (refused: Refused) => isBesideGrants(chronicle, refused) };
  return (
    mayBeOpen(chronicle, pool, offering, moment, { refusals, priced: 'perhaps', isTaken: isSurelyTakenLately }) &&
    !isSurelyAtRisk(chronicle, offering, moment)
  );
};

/** Whether an offering of a pool had capacity for one more, as far as Holdfast could know. */
const offeringGives = (chronicle: Chronicle, pool: PolicyPool, offering: OfferingName, moment: Moment): boolean =>
  !mayBecome(offering, pool).some((one) => breakerMayCover(chronicle, moment.group, one, moment.sinceMs, moment.atMs)) &&
  chronicle.cloud.leastFree(offering, moment.sinceMs - times.messageAgainMs, moment.atMs) >= 1 &&
  hasAddresses(chronicle, pool, offering.zone, moment) &&
  !mayBeTakenAtOnce(chronicle, offering, moment) &&
  mayBeOpen(chronicle, pool, offering, moment);

/** Whether a pool may have reached its cap. What the same function requested from it beside a launch counts, also where EC2 refused it later. */
const isFull = (chronicle: Chronicle, policy: Policy, pool: PolicyPool, moment: Moment): boolean => {
  const { group, insteadOf } = moment;
  const left = pool.most - perhapsHeld(chronicle, moment).filter((life) => poolOf(life, policy, moment.atMs) === pool.name).length;
  if (left <= 0 || left === Number.POSITIVE_INFINITY || insteadOf === undefined) return left <= 0;
  return missingBeside(chronicle, insteadOf, group, [pool]) >= left;
};

const mayGrow = (chronicle: Chronicle, policy: Policy, pool: PolicyPool, moment: Moment): boolean => {
  const restUntil = [bootsRestUntil, neverServedUntil].map((until) => until(chronicle, moment.group, pool.name, moment.atMs, moment.sinceMs));
  if (Math.max(...restUntil) > moment.sinceMs) return false;
  if (wasDeniedLately(chronicle, moment.group, moment.sinceMs, pool.name)) return false;
  if (pool.asg !== undefined && chronicle.cloud.asgAt(pool.asg, moment.atMs)?.suspended.includes('Launch')) return false;
  if (wasGone(chronicle, pool.asg, moment.sinceMs - chronicle.times.asgLagMs, moment.atMs)) return false;
  return !isFull(chronicle, policy, pool, moment);
};

/** Whether the function that placed surely knew that a member leaves: it was claimed before its look, or by this very function. */
export const isKnownToLeave = (life: Life, { sinceMs, atMs, invocation, placedBy = invocation }: Moment): boolean =>
  leavesAtMs(life, atMs) <= atMs &&
  life.claims.some(
    (claim) =>
      claim.state === 'leaving' && (claim.atMs <= sinceMs || (claim.atMs <= atMs && isFunction(claim.by) && claim.by.invocation === placedBy)),
  );

/** What the same function requested beside a launch and EC2 refused later, each as the offering of its pool that is most like this one. */
const requestedBeside = (chronicle: Chronicle, policy: Policy, offering: OfferingName, { group, insteadOf }: Moment): readonly OfferingName[] => {
  if (insteadOf === undefined) return [];
  return Object.values(policy.pools).flatMap((pool) => {
    const sold = offeringsOf(pool);
    const alike = sold.find((one) => nameOf(one) === nameOf(offering)) ?? sold.find(({ zone }) => zone === offering.zone) ?? sold[0];
    return alike === undefined ? [] : Array.from({ length: missingBeside(chronicle, insteadOf, group, [pool]) }, () => alike);
  });
};

/** Whether the shares of a policy surely let one more of an offering be launched. */
const hasRoom = (chronicle: Chronicle, policy: Policy, offering: OfferingName, moment: Moment): boolean => {
  if (!hasShares(policy)) return true;
  const sizes = chronicle.desiredIn(moment.group, moment.sinceMs, moment.atMs);
  const others = perhapsHeld(chronicle, moment).filter((life) => life !== moment.insteadOf && !isKnownToLeave(life, moment));
  const requested = requestedBeside(chronicle, policy, offering, moment);
  return sizes.length > 0 && hasShareRoom(policy, offering, [...others, ...requested], Math.min(...sizes));
};

/** Offerings of a pool that had capacity for one more, including those at risk. */
export const givingOf = (chronicle: Chronicle, policy: Policy, pool: PolicyPool, moment: Moment): readonly OfferingName[] =>
  mayGrow(chronicle, policy, pool, moment)
    ? offeringsOf(pool).filter((offering) => offeringGives(chronicle, pool, offering, moment) && hasRoom(chronicle, policy, offering, moment))
    : [];

/** Whether nothing but refusals may keep requests from a pool: it does not rest after early ends, and its price, its cap and the shares allow one more. */
export const mayBeRequested = (chronicle: Chronicle, policy: Policy, pool: PolicyPool, moment: Moment): boolean =>
  bootsRestUntil(chronicle, moment.group, pool.name, moment.atMs, moment.sinceMs) <= moment.sinceMs &&
  !isFull(chronicle, policy, pool, moment) &&
  offeringsOf(pool).some((offering) => isPriced(chronicle, pool, offering, moment, 'surely') && hasRoom(chronicle, policy, offering, moment));

/** Whether some pool of a policy could give one more. A resting offering is not requested again yet, and a full one cannot give. */
export const givesSome = (chronicle: Chronicle, policy: Policy, moment: Moment): boolean =>
  usedPools(policy).some((pool) => givingOf(chronicle, policy, pool, moment).length > 0);
