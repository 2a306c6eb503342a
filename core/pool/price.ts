import type { PriceSource } from '../decision/decision-record.ts';
import type { GroupState, View } from '../view/view.ts';
import { type Offering, offeringKey } from './offering.ts';
import { offeringsOf, type Pool } from './pool.ts';

/** USD per hour by offering key; what is missing is unknown. */
export type PriceList = Readonly<Record<string, number>>;

/** The spot prices that were read, and the on-demand prices that the policy states. */
export const pricesIn = ({
  group: { pools, onDemandPrices },
  state,
  members,
}: Pick<View, 'group' | 'members'> & { readonly state: Pick<GroupState, 'prices'> }): PriceList => {
  const read = state.prices.usdPerHour;
  if (onDemandPrices === undefined) return read;
  const offerings = [...Object.values(pools).flatMap(offeringsOf), ...members.map(({ offering }) => offering)];
  const stated = offerings.flatMap((offering) => {
    const price = onDemandPrices[offering.instanceType];
    return offering.market === 'spot' || price === undefined ? [] : [[offeringKey(offering), price] as const];
  });
  return { ...read, ...Object.fromEntries(stated) };
};

/** The price of an instance of a pool without the part that a commitment pays. Undefined when unknown. */
export const paidPrice = (
  prices: PriceList,
  offering: Offering,
  pool: Pick<Pool, 'priceFactor'> | undefined,
): number | undefined => {
  const price = prices[offeringKey(offering)];
  return price === undefined ? undefined : price * (pool?.priceFactor ?? 1);
};

/** The limit of a pool for an instance type. Undefined when there is none. */
export const priceLimit = (
  { maxPriceUsdPerHour, maxPriceByType }: Pick<Pool, 'maxPriceUsdPerHour' | 'maxPriceByType'>,
  instanceType: string,
): number | undefined => {
  const relative = maxPriceByType?.[instanceType];
  if (relative === undefined || maxPriceUsdPerHour === undefined) return relative ?? maxPriceUsdPerHour;
  return Math.min(relative, maxPriceUsdPerHour);
};

/** Whether a pool has a price limit for any of its types. */
export const hasPriceLimit = ({
  maxPriceUsdPerHour,
  maxPriceByType,
}: Pick<Pool, 'maxPriceUsdPerHour' | 'maxPriceByType'>): boolean =>
  maxPriceUsdPerHour !== undefined || maxPriceByType !== undefined;

/** When the prices were read that a state holds. 0 when none were. */
export const pricesReadAtMs = ({ prices }: Pick<GroupState, 'prices'>): number => prices.readAtMs ?? prices.atMs;

/** The source of the prices that a decision compares. Undefined when there are none. */
export const priceSourceOf = ({ group, state }: Pick<View, 'group' | 'state'>): PriceSource | undefined => {
  const isRead = Object.keys(state.prices.usdPerHour).length > 0;
  const isStated = group.onDemandPrices !== undefined;
  return isRead || isStated
    ? { ...(isRead && { readAtMs: pricesReadAtMs(state) }), ...(isStated && { isStated }) }
    : undefined;
};
