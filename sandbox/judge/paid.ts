import type { Chronicle } from './chronicle.ts';
import { nameOf } from './cloud.ts';
import { priceBeliefMs } from './giving.ts';
import type { Life } from './life.ts';
import type { Policy } from './policy.ts';
import { offeringsOf, poolOf } from './pools.ts';
import type { Choice } from './rules/needless-removal.ts';

/** A span of what was paid for a member, as far as Holdfast may have known. */
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

/**
 * Since when the spot prices may stand that a function compared. Undefined where they may be unknown: a read of the last minutes failed, or there was
 * none. Each group reads for itself, and calls do not say for which.
 */
const readSince = (chronicle: Chronicle, { lookedSinceMs, chosenAtMs }: Choice): number | undefined => {
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

/** What is paid for a member. Undefined where Holdfast may not know. */
export const paidFor = (chronicle: Chronicle, life: Life, policy: Policy, choice: Choice): Paid | undefined => {
  const factor = policy.pools[poolOf(life, policy, choice.chosenAtMs) ?? '']?.priceFactor ?? 1;
  const stated = policy.onDemandPrices[life.instanceType];
  if (!isSpot(life)) return stated === undefined ? undefined : { least: stated * factor, most: stated * factor };
  const sinceMs = readsPrices(policy) && isPriced(policy, life) ? readSince(chronicle, choice) : undefined;
  if (sinceMs === undefined) return undefined;
  const known = chronicle.cloud.pricesIn(life, sinceMs, choice.chosenAtMs).map((price) => price * factor);
  return known.length === 0 ? undefined : { least: Math.min(...known), most: Math.max(...known) };
};

/** Whether one is surely dearer than the other: by price, or, while a price on demand is not known, because it is on demand. */
export const isDearer = (chronicle: Chronicle, one: Life, other: Life, policy: Policy, choice: Choice): boolean => {
  if (isSpot(one) && !isSpot(other)) return false;
  const [first, second] = [paidFor(chronicle, one, policy, choice), paidFor(chronicle, other, policy, choice)];
  if (!isSpot(one) && isSpot(other) && first === undefined) return true;
  return first !== undefined && second !== undefined && first.least * alike > second.most;
};
