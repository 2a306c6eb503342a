import { type Offering, offeringKey } from '../offering.ts';
import { offeringsOf, type Pool } from '../pool.ts';
import { isResting, type Lesson, type PoolMemory } from '../pool-memory.ts';

/** Limits what is below a spread by zone or by instance type to one of them. */
export type Scope = { readonly zone?: string; readonly instanceType?: string };

/** Whether something at this zone and of this type lies within a scope. */
export const isWithin = (scope: Scope, { zone, instanceType }: { readonly zone: string; readonly instanceType: string }): boolean =>
  (scope.zone === undefined || scope.zone === zone) && (scope.instanceType === undefined || scope.instanceType === instanceType);

/** What is known about the market when a decision is made. */
export type Market = {
  readonly memory: PoolMemory;
  /** USD per hour by offering key; what is missing is unknown. */
  readonly prices: Readonly<Record<string, number>>;
  readonly nowMs: number;
  readonly lastResort: LastResort;
};

/**
 * Which offerings may be used that EC2 takes instances from, or says it may: none, then those at risk, then those that were interrupted a moment ago.
 * Each only when nothing else in the whole tree is eligible.
 */
export type LastResort = 'none' | 'advised' | 'interrupted';

const usable: Readonly<Record<LastResort, readonly Lesson['kind'][]>> = {
  none: [],
  advised: ['advised'],
  interrupted: ['advised', 'interrupted'],
};

const setbacks = { interrupted: 'was interrupted', advised: 'is at risk (rebalance recommendation)' } as const;

/** An offering that may not be used now, and what stands against it. */
export type Resting = { readonly offering: Offering; readonly why: string };

/** A pool's offerings within a scope, told apart: those that may be tried, best first, and those that may not. */
export type Standing = { readonly offerings: readonly Offering[]; readonly resting: readonly Resting[] };

const seconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`;

/** Price of an offering in USD per hour, undefined when unknown. */
export const priceOf = (market: Pick<Market, 'prices'>, offering: Offering): number | undefined => market.prices[offeringKey(offering)];

/** A limit that cannot be checked, because the price is unknown, does not stand against an offering. */
const whatStandsAgainst = (offering: Offering, pool: Pool, market: Market): string | undefined => {
  const price = priceOf(market, offering);
  if (pool.maxPriceUsdPerHour !== undefined && price !== undefined && price > pool.maxPriceUsdPerHour) {
    return `costs ${price} USD per hour, above the limit of ${pool.maxPriceUsdPerHour}`;
  }
  const lesson = market.memory[offeringKey(offering)];
  if (!isResting(lesson, market.nowMs)) return undefined;
  const left = seconds(lesson.coolingUntilMs - market.nowMs);
  if (lesson.kind === 'refused') return `was refused (${lesson.code}) and rests for ${left} more`;
  return usable[market.lastResort].includes(lesson.kind) ? undefined : `${setbacks[lesson.kind]} and is a last resort for ${left} more`;
};

/** Unknown prices go last; equal ones keep the pool's order of preference. */
const byPrice = (offerings: readonly Offering[], market: Market): readonly Offering[] =>
  [...offerings].sort((a, b) => {
    const left = priceOf(market, a) ?? Number.MAX_VALUE;
    const right = priceOf(market, b) ?? Number.MAX_VALUE;
    return left - right;
  });

/** Sorts out a pool's offerings within a scope: in order of preference, or cheapest first below a `cheapest` node. */
export const standingOf = (pool: Pool, scope: Scope, market: Market, cheapestFirst: boolean): Standing => {
  const offerings: Offering[] = [];
  const resting: Resting[] = [];
  for (const offering of offeringsOf(pool)) {
    if (!isWithin(scope, offering)) continue;
    const why = whatStandsAgainst(offering, pool, market);
    if (why === undefined) offerings.push(offering);
    else resting.push({ offering, why });
  }
  return { offerings: cheapestFirst ? byPrice(offerings, market) : offerings, resting };
};
