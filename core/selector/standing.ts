import { type BreakerRules, breakerOver } from '../breaker/breaker.ts';
import type { Against } from '../decision/decision.ts';
import { atShare, type ShareBook } from '../placement/shares.ts';
import { type Market as Bought, type Offering, type OfferingKey, offeringKey } from '../pool/offering.ts';
import { offeringsOf, type Pool } from '../pool/pool.ts';
import { priceLimit } from '../pool/price.ts';
import { type BootMemory, restOfBoots } from '../pool-memory/boot-memory.ts';
import { type Denials, restOfDenial } from '../pool-memory/denials.ts';
import { isResting, type Lesson, type PoolMemory, restOfSubnet, withoutRefusal } from '../pool-memory/pool-memory.ts';

/** Limits everything below a spread by zone or by instance type to one zone or type. */
export type Scope = { readonly zone?: string; readonly instanceType?: string };

/** Whether this zone and type lie within a scope. */
export const isWithin = (
  scope: Scope,
  { zone, instanceType }: { readonly zone: string; readonly instanceType: string },
): boolean =>
  (scope.zone === undefined || scope.zone === zone) &&
  (scope.instanceType === undefined || scope.instanceType === instanceType);

/** What is known about the market when a decision is made. */
export type Market = {
  readonly memory: PoolMemory;
  /** Pools whose instances end before they serve. */
  readonly failedBoots?: BootMemory['failedBoots'];
  /** Pools whose launches EC2 denied. */
  readonly denials?: Denials;
  /** Auto Scaling groups that are gone. Nothing can be launched in them. Absent: none. */
  readonly goneAsgs?: readonly string[];
  /** The group's breakers, and the policy's rule for them. */
  readonly breaking?: BreakerRules;
  /** USD per hour by offering key; what is missing is unknown. */
  readonly prices: Readonly<Record<string, number>>;
  readonly nowMs: number;
  /** Only offerings of this market are used. Absent: all. */
  readonly only?: Bought;
  /** How full the shares of `maxShare` are. Absent: no share is limited. */
  readonly shares?: ShareBook;
};

/**
 * Why an offering comes last in its tier: EC2 advises to leave it, EC2 took instances of it a moment ago, or its
 * breaker is half-open.
 */
export type LastResort = 'advised' | 'interrupted' | 'trial';

/** Offerings are used in this order: without any lesson, at risk, interrupted, below a half-open breaker. */
const ranks = [undefined, 'advised', 'interrupted', 'trial'] as const satisfies readonly (LastResort | undefined)[];

/** The place of offerings in the order of use: the lowest goes first. */
export type Rank = number;

/** The rank of what is not eligible. */
export const closed: Rank = Number.POSITIVE_INFINITY;

/** The rank of offerings where one launch tests whether interruptions are over. */
export const trialRank: Rank = ranks.indexOf('trial');

export const lastResortOf = (rank: Rank): LastResort | undefined => ranks[rank];

/** An offering that may not be used now or comes last, and the reason. */
export type Resting = Extract<Against, { readonly offering: OfferingKey }>;

/** A pool's offerings within a scope. */
export type Standing = {
  /** The eligible ones of the best rank, in order of preference. */
  readonly offerings: readonly Offering[];
  /** Their rank. {@link closed} when none is eligible. */
  readonly opensAt: Rank;
  /** Those that are not eligible, and those that come last. */
  readonly resting: readonly Resting[];
};

/** Subnets of a pool that had no free addresses a moment ago, in the zones of these offerings. */
export const restingSubnets = (
  pool: Pool,
  offerings: readonly Offering[],
  market: Pick<Market, 'memory' | 'nowMs'>,
): readonly string[] =>
  pool.subnets
    .filter(
      ({ id, zone }) =>
        offerings.some((offering) => offering.zone === zone) &&
        restOfSubnet(market.memory, id, market.nowMs) !== undefined,
    )
    .map(({ id }) => id);

/** The lesson of an offering whose subnets all have no free addresses: the one that expires first. */
const subnetsRest = ({ zone }: Offering, { subnets }: Pool, { memory, nowMs }: Market): Lesson | undefined => {
  const lessons = subnets.filter((subnet) => subnet.zone === zone).map(({ id }) => restOfSubnet(memory, id, nowMs));
  return lessons.includes(undefined)
    ? undefined
    : lessons.toSorted((a, b) => (a?.coolingUntilMs ?? 0) - (b?.coolingUntilMs ?? 0))[0];
};

/** Why a whole pool rests: its instances end before they serve, or its launches are denied. */
const whyPoolRests = (pool: Pool, { failedBoots, denials, nowMs }: Market) => {
  const failed = restOfBoots(failedBoots, pool, nowMs);
  if (failed !== undefined)
    return {
      code: 'boots-failed' as const,
      untilMs: failed.restsUntilMs,
      awsCode: failed.code,
      awsMessage: failed.message,
    };
  const denial = restOfDenial(denials, pool, nowMs);
  return (
    denial && { code: 'denied' as const, untilMs: denial.untilMs, awsCode: denial.code, awsMessage: denial.message }
  );
};

/** A limit that cannot be checked, because the price is unknown, does not exclude an offering. */
const whatStandsAgainst = (offering: Offering, pool: Pool, market: Market): Resting | undefined => {
  const { asg = '' } = pool;
  if (market.goneAsgs?.includes(asg)) return { code: 'asg-gone', offering: offeringKey(offering), asg };
  const price = market.prices[offeringKey(offering)] ?? 0;
  const limit = priceLimit(pool, offering.instanceType) ?? Number.POSITIVE_INFINITY;
  if (price > limit) {
    return { code: 'over-price', offering: offeringKey(offering), priceUsdPerHour: price, limitUsdPerHour: limit };
  }
  const rest = whyPoolRests(pool, market);
  if (rest !== undefined) return { ...rest, offering: offeringKey(offering) };
  const noAddress = subnetsRest(offering, pool, market);
  if (noAddress !== undefined)
    return {
      code: 'refused',
      offering: offeringKey(offering),
      untilMs: noAddress.coolingUntilMs,
      awsCode: noAddress.code,
    };
  return whatWasHeard(offering, pool, market);
};

/** The offerings that a launch may get. An Auto Scaling group picks one of its types itself. */
const mayBecome = (offering: Offering, pool: Pool): readonly Offering[] =>
  pool.asg === undefined ? [offering] : offeringsOf(pool);

/** The lesson or breaker that speaks against an offering. A test launch of a breaker comes last of all. */
const whatWasHeard = (offering: Offering, pool: Pool, market: Market): Resting | undefined => {
  const key = offeringKey(offering);
  const lesson = market.memory[key];
  const isRefused = isResting(lesson, market.nowMs) && lesson.kind === 'refused';
  if (isRefused) return { code: 'refused', offering: key, untilMs: lesson.coolingUntilMs, awsCode: lesson.code };
  const over = breakerOver(mayBecome(offering, pool), market.breaking ?? {}, market.nowMs);
  if (over !== undefined) return { code: 'breaker', offering: key, ...over };
  const warning = withoutRefusal(lesson);
  return warning !== undefined && isResting(warning, market.nowMs)
    ? { code: warning.kind, offering: key, untilMs: warning.coolingUntilMs }
    : undefined;
};

/** A refusal, a price and an open breaker make an offering ineligible. With a warning or advice it comes last. */
const rankOf = (against: Resting | undefined): Rank => {
  if (against === undefined) return 0;
  if (against.code === 'breaker') return against.is === 'half-open' ? trialRank : closed;
  return against.code === 'advised' || against.code === 'interrupted' ? ranks.indexOf(against.code) : closed;
};

/** Unknown prices go last. Equal prices keep the pool's order of preference. */
const byPrice = (offerings: readonly Offering[], { prices }: Market): readonly Offering[] =>
  [...offerings].sort((a, b) => {
    const left = prices[offeringKey(a)] ?? Number.MAX_VALUE;
    const right = prices[offeringKey(b)] ?? Number.MAX_VALUE;
    return left - right;
  });

/**
 * EC2 chooses among the offerings of a launch. So all of them have the same shares as the first one, and it is known
 * which shares the launch uses.
 */
const inOneShare = (offerings: readonly Offering[], { shares }: Market): readonly Offering[] => {
  const [first] = offerings;
  return shares === undefined || first === undefined
    ? offerings
    : offerings.filter((offering) => shares.alike(first, offering));
};

/** Sorts the offerings of a pool within a scope: in order of preference, or cheapest first below a `cheapest` node. */
export const standingOf = (pool: Pool, scope: Scope, market: Market, cheapestFirst: boolean): Standing => {
  const judged = offeringsOf(pool)
    .filter((offering) => isWithin(scope, offering) && (market.only ?? offering.market) === offering.market)
    .map((offering) => {
      const known = whatStandsAgainst(offering, pool, market);
      const against = rankOf(known) === closed ? known : (atShare(market.shares, offering) ?? known);
      return { offering, against, rank: rankOf(against) };
    });
  const opensAt = judged.reduce((best, { rank }) => Math.min(best, rank), closed);
  const best = judged.flatMap(({ offering, rank }) => (rank === opensAt && rank !== closed ? [offering] : []));
  return {
    offerings: inOneShare(cheapestFirst ? byPrice(best, market) : best, market),
    opensAt,
    resting: judged.flatMap(({ against }) => against ?? []),
  };
};
