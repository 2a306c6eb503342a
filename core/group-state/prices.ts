import type { Group } from '../group/group.ts';
import { modeOf } from '../group/mode.ts';
import { type Offering, type OfferingKey, offeringKey } from '../pool/offering.ts';
import { offeringsOf } from '../pool/pool.ts';
import { hasPriceLimit, pricesReadAtMs } from '../pool/price.ts';
import { selectorKinds } from '../selector/kinds.ts';
import { childrenOf, type Selector } from '../selector/selector.ts';
import type { GroupState, Member } from '../view/view.ts';

/** Spot prices change slowly: they are read again when older than this. */
const pricesAgeMs = 300_000;

/** After a failed read of prices, the next one comes after this time. The earlier prices hold until then. */
const askAgainMs = 60_000;

/** Whether prices decide somewhere in a tree. */
const comparesPrices = (node: Selector): boolean =>
  node.kind !== 'pool' && (selectorKinds[node.kind].movesFor === 'price' || childrenOf(node).some(comparesPrices));

/**
 * Reading prices costs a call. So they are read only for a policy that depends on them, and for observed groups, whose
 * decisions show their cost.
 */
const asksForPrices = (group: Group): boolean =>
  modeOf(group) === 'observe' ||
  comparesPrices(group.capacity) ||
  Object.values(group.pools).some((pool) => pool.market === 'spot' && hasPriceLimit(pool));

/** What prices are read for. */
export type Priced = { readonly group: Group; readonly state: GroupState; readonly members: readonly Member[] };

/**
 * The spot offerings whose prices are to be read now, each once. Undefined while the known prices are recent enough.
 */
export const offeringsToPrice = ({ group, state, members }: Priced, nowMs: number): readonly Offering[] | undefined => {
  if (!asksForPrices(group) || nowMs - state.prices.atMs < pricesAgeMs) return undefined;
  const held = modeOf(group) === 'observe' ? members.map(({ offering }) => offering) : [];
  const spot = [...Object.values(group.pools).flatMap(offeringsOf), ...held].filter(({ market }) => market === 'spot');
  return [...new Map(spot.map((offering) => [offeringKey(offering), offering])).values()];
};

/**
 * The state without prices that only an earlier policy needed. They are not read again, and would decide about removals
 * for as long as the group lives.
 */
export const withNeededPrices = ({ group, state }: Pick<Priced, 'group' | 'state'>): GroupState =>
  state.prices.atMs === 0 || asksForPrices(group) ? state : { ...state, prices: { atMs: 0, usdPerHour: {} } };

/** The state after prices were read. A read that failed leaves the earlier prices, and is repeated soon. */
export const withPrices = (
  state: GroupState,
  usdPerHour: Readonly<Record<OfferingKey, number>> | undefined,
  nowMs: number,
): GroupState =>
  usdPerHour === undefined
    ? {
        ...state,
        prices: {
          usdPerHour: state.prices.usdPerHour,
          atMs: nowMs - pricesAgeMs + askAgainMs,
          readAtMs: pricesReadAtMs(state),
        },
      }
    : { ...state, prices: { atMs: nowMs, usdPerHour } };
