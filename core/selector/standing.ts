import type { Against } from '../decision.ts';
import { type Offering, type OfferingKey, offeringKey } from '../offering.ts';
import { offeringsOf, type Pool } from '../pool.ts';
import { isResting, type Lesson, type PoolMemory, restOfSubnet } from '../pool-memory.ts';

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
  /** USD per hour by offering key; what is missing is unknown. */
  readonly prices: Readonly<Record<string, number>>;
  readonly nowMs: number;
  readonly lastResort: LastResort;
};

/**
 * Which last resorts may be used: none, then offerings at risk, then offerings that were interrupted a moment ago. Each
 * step is taken only when nothing else in the whole tree is eligible.
 */
export type LastResort = 'none' | 'advised' | 'interrupted';

const usable: Readonly<Record<LastResort, readonly Lesson['kind'][]>> = {
  none: [],
  advised: ['advised'],
  interrupted: ['advised', 'interrupted'],
};

/** An offering that may not be used now, and the reason. */
export type Resting = Extract<Against, { readonly offering: OfferingKey }>;

/** The offerings of a pool within a scope: the eligible ones, best first, and the others. */
export type Standing = { readonly offerings: readonly Offering[]; readonly resting: readonly Resting[] };

/** Price of an offering in USD per hour, undefined when unknown. */
export const priceOf = (market: Pick<Market, 'prices'>, offering: Offering): number | undefined =>
  market.prices[offeringKey(offering)];

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

/** A limit that cannot be checked, because the price is unknown, does not exclude an offering. */
const whatStandsAgainst = (offering: Offering, pool: Pool, market: Market): Resting | undefined => {
  const price = priceOf(market, offering);
  if (pool.maxPriceUsdPerHour !== undefined && price !== undefined && price > pool.maxPriceUsdPerHour) {
    return {
      code: 'over-price',
      offering: offeringKey(offering),
      priceUsdPerHour: price,
      limitUsdPerHour: pool.maxPriceUsdPerHour,
    };
  }
  const noAddress = subnetsRest(offering, pool, market);
  if (noAddress !== undefined)
    return {
      code: 'refused',
      offering: offeringKey(offering),
      untilMs: noAddress.coolingUntilMs,
      awsCode: noAddress.code,
    };
  const lesson = market.memory[offeringKey(offering)];
  if (!isResting(lesson, market.nowMs)) return undefined;
  const rests = { offering: offeringKey(offering), untilMs: lesson.coolingUntilMs };
  if (lesson.kind === 'refused') return { code: 'refused', ...rests, awsCode: lesson.code };
  return usable[market.lastResort].includes(lesson.kind) ? undefined : { code: lesson.kind, ...rests };
};

/** Unknown prices go last. Equal prices keep the pool's order of preference. */
const byPrice = (offerings: readonly Offering[], market: Market): readonly Offering[] =>
  [...offerings].sort((a, b) => {
    const left = priceOf(market, a) ?? Number.MAX_VALUE;
    const right = priceOf(market, b) ?? Number.MAX_VALUE;
    return left - right;
  });

/** Sorts the offerings of a pool within a scope: in order of preference, or cheapest first below a `cheapest` node. */
export const standingOf = (pool: Pool, scope: Scope, market: Market, cheapestFirst: boolean): Standing => {
  const offerings: Offering[] = [];
  const resting: Resting[] = [];
  for (const offering of offeringsOf(pool)) {
    if (!isWithin(scope, offering)) continue;
    const against = whatStandsAgainst(offering, pool, market);
    if (against === undefined) offerings.push(offering);
    else resting.push(against);
  }
  return { offerings: cheapestFirst ? byPrice(offerings, market) : offerings, resting };
};
