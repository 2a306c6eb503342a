import type { Chronicle } from '../chronicle.ts';
import type { Choice } from '../members/choices.ts';
import type { Policy } from '../policy/policy.ts';
import { offeringsOf, priceFactorOf } from '../policy/pools.ts';
import { nameOf } from '../world/cloud.ts';
import type { Life } from '../world/life.ts';
import { priceBeliefMs } from './giving.ts';

/** The range of prices of a member that Holdfast may have known. */
type Paid = { readonly least: number; readonly most: number };

/** Prices that differ by less than a tenth count as one (docs/policy.md, Removal). */
const alike = 0.9;

const isSpot = ({ market }: Life): boolean => market === 'spot';

/** Whether this policy makes Holdfast read spot prices (docs/policy.md, Prices). */
export const readsPrices = ({ capacity, pools, mode }: Policy): boolean =>
  mode === 'observe' ||
  JSON.stringify(capacity).includes('"cheapest"') ||
  Object.values(pools).some(
    ({ market, maxPriceUsdPerHour, typeLimits }) =>
      market === 'spot' && (maxPriceUsdPerHour < Number.POSITIVE_INFINITY || Object.keys(typeLimits).length > 0),
  );

type Chosen = Pick<Choice, 'lookedSinceMs' | 'chosenAtMs'>;

/**
 * The oldest time from which the spot prices may be that a function compared. Undefined if the prices may be unknown: the policy reads none, a read within the
 * last minutes failed, or there was no read. Each group reads by itself, and calls do not show the group.
 */
export const readSince = (chronicle: Chronicle, policy: Policy, { lookedSinceMs, chosenAtMs }: Chosen): number | undefined => {
  if (!readsPrices(policy)) return undefined;
  const believedSinceMs = lookedSinceMs - priceBeliefMs;
  const reads = chronicle
    .of('called')
    .filter((call) => call.operation === 'DescribeSpotPriceHistory' && call.askedAtMs >= believedSinceMs && call.atMs <= chosenAtMs);
  if (reads.some(({ outcome }) => outcome !== 'ok')) return undefined;
  const last = reads.findLast(({ atMs }) => atMs <= lookedSinceMs) ?? reads[0];
  return last && (chronicle.groups.size === 1 ? last.askedAtMs : believedSinceMs);
};

/** Spot prices are read of the offerings of the policy's pools, and of no others. */
const isPriced = ({ pools }: Policy, life: Life): boolean =>
  Object.values(pools).some((pool) => offeringsOf(pool).some((offering) => nameOf(offering) === nameOf(life)));

/** What a function compared: the policy, and the spot prices that it had read since a time until it chose. */
export type Comparing = { readonly policy: Policy; readonly choice: Choice; readonly pricesSinceMs: number | undefined };

/** What is paid for a member. Undefined where Holdfast may not know. */
export const paidFor = (chronicle: Chronicle, life: Life, { policy, choice: { chosenAtMs }, pricesSinceMs }: Comparing): Paid | undefined => {
  const stated = policy.onDemandPrices[life.instanceType];
  const isRead = pricesSinceMs !== undefined && isPriced(policy, life);
  const read = isRead ? chronicle.cloud.pricesIn(life, pricesSinceMs, chosenAtMs) : [];
  const known = isSpot(life) ? read : stated === undefined ? [] : [stated];
  const paid = known.map((price) => price * priceFactorOf(life, policy, chosenAtMs));
  return paid.length === 0 ? undefined : { least: Math.min(...paid), most: Math.max(...paid) };
};

/** Whether one is surely dearer than the other: by price, or, while a price on demand is not known, because it is on demand. */
export const isDearer = (chronicle: Chronicle, one: Life, other: Life, comparing: Comparing): boolean => {
  if (isSpot(one) && !isSpot(other)) return false;
  const [first, second] = [paidFor(chronicle, one, comparing), paidFor(chronicle, other, comparing)];
  if (!isSpot(one) && isSpot(other) && first === undefined) return true;
  return first !== undefined && second !== undefined && first.least * alike > second.most;
};
