import type { Chronicle } from '../chronicle.ts';
import { headcountAt } from '../members/staying.ts';
import { limitFor, type Policy, type PolicyPool } from '../policy/policy.ts';
import { mayBecome, offeringsOf, poolOf } from '../policy/pools.ts';
import { poolsOf, usedPools } from '../policy/tree.ts';
import { rememberedBy } from '../remembered.ts';
import { times } from '../times.ts';
import { undoneEnds, undoneUntil } from '../told/losses.ts';
import { nameOf, type OfferingName } from '../world/cloud.ts';
import { wasDeniedLately } from '../world/denied.ts';
import { timesGone, wasGone } from '../world/gone.ts';
import { covers, goneAtMs, leavesAtMs, type Span } from '../world/life.ts';
import { mayBeTakenAtOnce, takenRestsEnd } from '../world/taken-at-once.ts';
import { bootsRestUntil, deathsCountUntil, deathsMayBound, failedBootsOf, neverServedEnds, neverServedUntil } from './boots.ts';
import { breakersStoodIn } from './breaker.ts';
import { restedUntil } from './giving.ts';
import { launchesCountUntil, limitMayBound } from './launch-limit.ts';
import { hasShareRoom, hasShares } from './limits.ts';
import { isOfSubnet, refusalsOf, refusalsTo } from './refusals.ts';

const offeringGives = (chronicle: Chronicle, pool: PolicyPool, offering: OfferingName, atMs: number): boolean =>
  chronicle.cloud.freeAt(offering, atMs) >= 1 &&
  (chronicle.cloud.priceAt(offering, atMs) ?? 0) <= limitFor(pool, offering.instanceType) &&
  !wasGone(chronicle, pool.asg, atMs, atMs) &&
  chronicle.history.spec.subnets.some(
    ({ id, zone }) => zone === offering.zone && pool.subnets.includes(id) && chronicle.cloud.addressesAt(id, atMs) >= 1,
  );

/** When what offerings can give may have changed, until a moment. */
const changesUntil = (chronicle: Chronicle, untilMs: number): readonly number[] =>
  [...chronicle.of('offering'), ...chronicle.of('quota'), ...chronicle.of('addresses'), ...chronicle.of('refused')]
    .map(({ atMs }) => atMs)
    .concat(chronicle.lives.map(({ launchedAtMs }) => launchedAtMs))
    .concat(
      chronicle.history.spec.autoScalingGroups.flatMap(({ name }) =>
        timesGone(chronicle, name).flatMap(({ fromMs, untilMs: backMs }) => [fromMs, backMs]),
      ),
    )
    .filter((atMs) => atMs <= untilMs);

/** Since when an offering that gives at a moment has given without a break. */
const givesSince = (chronicle: Chronicle, pool: PolicyPool, offering: OfferingName, atMs: number): number => {
  const earlier = changesUntil(chronicle, atMs).toSorted((one, other) => other - one);
  const broken = earlier.findIndex((changedMs) => !offeringGives(chronicle, pool, offering, changedMs));
  return broken < 0 ? Number.NEGATIVE_INFINITY : (earlier[broken - 1] ?? atMs);
};

/** While everything rests, the pools of a tree are requested in turn, each within this time after the one before. */
const askedWithinMs = (policy: Policy): number => (1 + poolsOf(policy, policy.capacity).length) * times.askAgainMs;

/**
 * Whether the shares of a policy have room for one more of an offering at a moment. A member that waits for its replacement gives room. One that EC2 advises
 * to replace and that nobody has claimed does not: the budget for advice may be spent.
 */
const hasRoomAt = (chronicle: Chronicle, policy: Policy, offering: OfferingName, atMs: number): boolean => {
  if (!hasShares(policy)) return true;
  const { staying, waiting, claimed } = headcountAt(chronicle, policy.group, atMs);
  const held = [...staying, ...waiting.filter((life) => !claimed.waiting.includes(life))];
  return hasShareRoom(policy, offering, held, Math.min(...chronicle.desiredIn(policy.group, atMs, atMs)));
};

/** Whether the cap of a pool has room for one more at a moment. A member that waits for its replacement counts. */
const isBelowCap = (chronicle: Chronicle, policy: Policy, pool: PolicyPool, atMs: number): boolean => {
  if (pool.cap === Number.POSITIVE_INFINITY) return true;
  const { staying, waiting } = headcountAt(chronicle, policy.group, atMs);
  return [...staying, ...waiting].filter((life) => poolOf(life, policy, atMs) === pool.name).length < pool.cap;
};

/** Whether an offering had capacity for one more at a moment, and is requested. After refusals it rests, at most until its turn. */
const givesAndIsAsked = (chronicle: Chronicle, policy: Policy, pool: PolicyPool, offering: OfferingName, atMs: number): boolean =>
  offeringGives(chronicle, pool, offering, atMs) &&
  hasRoomAt(chronicle, policy, offering, atMs) &&
  bootsRestUntil(chronicle, policy.group, pool.name, atMs) <= atMs &&
  (restedUntil(chronicle, pool, offering, { group: policy.group, sinceMs: atMs, atMs }) <= atMs ||
    givesSince(chronicle, pool, offering, atMs) + askedWithinMs(policy) <= atMs);

/** Whether some offering of a policy's whole tree could give one more at a moment, and is requested. */
const somethingGives = (chronicle: Chronicle, policy: Policy, atMs: number): boolean =>
  !deathsMayBound(chronicle, policy.group, atMs) &&
  !limitMayBound(chronicle, policy.group, atMs) &&
  usedPools(policy).some(
    (pool) =>
      isBelowCap(chronicle, policy, pool, atMs) && offeringsOf(pool).some((offering) => givesAndIsAsked(chronicle, policy, pool, offering, atMs)),
  );

/** Whether some on-demand pool of a policy's tree could give one more at a moment, does not rest, and is not one to which moves were undone. */
export const onDemandGives = (chronicle: Chronicle, policy: Policy, atMs: number): boolean => {
  const { group } = policy;
  if (deathsMayBound(chronicle, group, atMs) || limitMayBound(chronicle, group, atMs)) return false;
  const held = Map.groupBy(chronicle.membersAt(group, atMs), (life) => poolOf(life, policy, atMs));
  return usedPools(policy).some(
    (pool) =>
      pool.market === 'on-demand' &&
      (held.get(pool.name)?.length ?? 0) < pool.most &&
      !wasDeniedLately(chronicle, group, atMs, pool.name) &&
      bootsRestUntil(chronicle, group, pool.name, atMs) <= atMs &&
      offeringsOf(pool).some(
        (offering) =>
          offeringGives(chronicle, pool, offering, atMs) &&
          hasRoomAt(chronicle, policy, offering, atMs) &&
          undoneUntil(chronicle, policy, offering, atMs) <= atMs &&
          restedUntil(chronicle, pool, offering, { group, sinceMs: atMs, atMs }) <= atMs,
      ),
  );
};

/** When breakers prevented launches of an offering of a pool. */
const breakersStood = (chronicle: Chronicle, { group, breaker }: Policy, pool: PolicyPool, offering: OfferingName): readonly Span[] =>
  breaker === undefined ? [] : breakersStoodIn(chronicle, group, breaker, mayBecome(offering, pool));

/**
 * Whether spot could give one more at a moment, and may be requested. A resting pool or offering, or one below an open breaker, is not requested for a spare.
 * An offering also rests because EC2 took launches of it back at once: a spare would be taken as well.
 */
export const spotGives = (chronicle: Chronicle, policy: Policy, atMs: number): boolean => {
  const { group } = policy;
  if (deathsMayBound(chronicle, group, atMs) || limitMayBound(chronicle, group, atMs)) return false;
  const held = Map.groupBy(chronicle.membersAt(group, atMs), (life) => poolOf(life, policy, atMs));
  return usedPools(policy).some(
    (pool) =>
      (held.get(pool.name)?.length ?? 0) < pool.most &&
      !wasDeniedLately(chronicle, group, atMs, pool.name) &&
      bootsRestUntil(chronicle, group, pool.name, atMs) <= atMs &&
      neverServedUntil(chronicle, group, pool.name, atMs) <= atMs &&
      offeringsOf(pool).some(
        (offering) =>
          offering.market === 'spot' &&
          offeringGives(chronicle, pool, offering, atMs) &&
          !breakersStood(chronicle, policy, pool, offering).some((span) => covers(span, atMs)) &&
          !mayBeTakenAtOnce(chronicle, offering, { group, sinceMs: atMs, atMs }) &&
          hasRoomAt(chronicle, policy, offering, atMs) &&
          restedUntil(chronicle, pool, offering, { group, sinceMs: atMs, atMs }) <= atMs,
      ),
  );
};

/** Ends of rests of an offering after each of its refusals, and after those of subnets. No other refusal changes them. */
const restEndsOf = (chronicle: Chronicle, group: string, pool: PolicyPool, offering: OfferingName): readonly number[] =>
  [...refusalsOf(chronicle, group, offering), ...refusalsTo(chronicle, group).filter(isOfSubnet)].map(({ atMs }) =>
    restedUntil(chronicle, pool, offering, { group, sinceMs: atMs, atMs }),
  );

/** The offerings of the pools of policies, each once for the same subnets. */
const soldIn = (policies: readonly Policy[]): readonly (readonly [PolicyPool, OfferingName])[] => {
  const all = policies.flatMap((policy) => poolsOf(policy, policy.capacity)).flatMap((pool) => offeringsOf(pool).map((one) => [pool, one] as const));
  return [...new Map(all.map(([pool, one]) => [`${nameOf(one)} ${pool.subnets}`, [pool, one] as const])).values()];
};

/** Ends of all rests in the history of a group. */
const restsEnd = rememberedBy((chronicle: Chronicle, group: string): readonly number[] => {
  const untilMs = chronicle.history.endedAtMs;
  const policies = chronicle.policiesIn(group, Number.NEGATIVE_INFINITY, untilMs);
  return [
    ...launchesCountUntil(chronicle, group, untilMs),
    ...policies.flatMap((policy) =>
      poolsOf(policy, policy.capacity).flatMap((pool) =>
        offeringsOf(pool).flatMap((offering) => [
          ...breakersStood(chronicle, policy, pool, offering).map((span) => span.untilMs),
          ...(pool.market === 'on-demand' ? undoneEnds(chronicle, policy, offering) : []),
        ]),
      ),
    ),
    ...neverServedEnds(chronicle, group, untilMs),
    ...takenRestsEnd(chronicle, group),
    ...failedBootsOf(chronicle, group).flatMap((one) => [bootsRestUntil(chronicle, group, one.pool, one.diedAtMs), deathsCountUntil(chronicle, one)]),
    ...soldIn(policies).flatMap(([pool, offering]) => restEndsOf(chronicle, group, pool, offering)),
  ];
});

const hasCaps = ({ pools }: Policy): boolean => Object.values(pools).some(({ cap }) => cap < Number.POSITIVE_INFINITY);

/** When members of a full share or pool leave, or when the size changes from which shares are calculated. */
const roomChanges = (chronicle: Chronicle, group: string): readonly number[] => {
  const { policies = [], written = [] } = chronicle.groups.get(group) ?? {};
  if (!policies.some(({ policy }) => policy !== undefined && (hasShares(policy) || hasCaps(policy)))) return [];
  return [
    ...chronicle.livesIn(group).flatMap((life) => [goneAtMs(life), ...life.backAtMs, leavesAtMs(life, Number.POSITIVE_INFINITY)]),
    ...written.map(({ atMs }) => atMs),
    ...policies.map(({ atMs }) => atMs),
  ];
};

type Gives = (chronicle: Chronicle, policy: Policy, atMs: number) => boolean;

/** What one question about capacity found out, by group and moment. The moments of one debt are those of the next. */
const knownOf = rememberedBy((_chronicle: Chronicle, _gives: Gives) => new Map<string, boolean>());

/** Between two moments, the last one up to which no offering of the tree had capacity or would be requested. Without one, the first moment. */
export const gaveNothingUntil = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number, gives: Gives = somethingGives): number => {
  const changes = changesUntil(chronicle, untilMs);
  const turns = chronicle
    .policiesIn(group, Number.NEGATIVE_INFINITY, untilMs)
    .flatMap((policy) => changes.map((atMs) => atMs + askedWithinMs(policy)));
  const later = [...changes, ...turns, ...roomChanges(chronicle, group), ...restsEnd(chronicle, group)].filter(
    (atMs) => atMs > fromMs && atMs <= untilMs,
  );
  const sorted = [...new Set([fromMs, ...later])].sort((a, b) => a - b);
  const known = knownOf(chronicle, gives);
  const last = sorted.findLastIndex((atMs) => {
    const key = `${group} ${atMs}`;
    const policy = chronicle.policyAt(group, atMs);
    const isGiving = known.get(key) ?? (policy === undefined || gives(chronicle, policy, atMs));
    known.set(key, isGiving);
    return !isGiving;
  });
  return last < 0 ? fromMs : (sorted[last + 1] ?? untilMs);
};
