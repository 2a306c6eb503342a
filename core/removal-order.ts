import type { RemovalOrder } from './group.ts';
import { offeringKey } from './offering.ts';
import { worthwhileSaving } from './selector/cheapest.ts';
import type { Member } from './view.ts';

type Prices = Readonly<Record<string, number>>;

/** Members that the order does not tell apart; the tree decides among them. */
export type Rank = { readonly why: string; readonly members: readonly Member[] };

const priceOf = (prices: Prices, { offering }: Member): number | undefined => prices[offeringKey(offering)];

/** Prices within {@link worthwhileSaving} of the dearest of a rank are one price: a cent between two zones must not empty one of them. */
const rankByPrice = (members: readonly Member[], prices: Prices): readonly Rank[] => {
  const priced = members.flatMap((member) => {
    const price = priceOf(prices, member);
    return price === undefined ? [] : [{ member, price }];
  });
  priced.sort((a, b) => b.price - a.price);
  const ranks: { why: string; floor: number; members: Member[] }[] = [];
  for (const { member, price } of priced) {
    const rank = ranks.at(-1);
    if (rank !== undefined && price >= rank.floor) rank.members.push(member);
    else ranks.push({ why: `dearest first: about ${price} USD per hour`, floor: price * (1 - worthwhileSaving) - 1e-9, members: [member] });
  }
  const unknown = members.filter((member) => priceOf(prices, member) === undefined);
  return unknown.length > 0 ? [...ranks, { why: 'dearest first: price unknown', members: unknown }] : ranks;
};

/** While a price is unknown, on-demand counts as dearer than spot. */
const dearestFirst = (members: readonly Member[], prices: Prices): readonly Rank[] => {
  if (members.every((member) => priceOf(prices, member) !== undefined)) return rankByPrice(members, prices);
  const onDemand = members.filter(({ offering }) => offering.market === 'on-demand');
  const spot = members.filter(({ offering }) => offering.market === 'spot');
  return [...rankByPrice(onDemand, prices), ...rankByPrice(spot, prices)];
};

const byAge = (members: readonly Member[], why: string, direction: 1 | -1): readonly Rank[] => {
  const groups = Map.groupBy(members, ({ launchedAtMs }) => launchedAtMs);
  return [...groups].sort(([a], [b]) => direction * (a - b)).map(([, alike]) => ({ why, members: alike }));
};

const rankAlike = (order: RemovalOrder, members: readonly Member[], prices: Prices): readonly Rank[] => {
  switch (order) {
    case 'dearest-first':
      return dearestFirst(members, prices);
    case 'oldest-first':
      return byAge(members, 'oldest first', 1);
    case 'newest-first':
      return byAge(members, 'newest first', -1);
    case 'same-order':
      return [{ why: 'same order: what the tree would place last goes first', members }];
  }
};

/** Members in the ranks of a removal order: the unhealthy first, whatever the order; the protected not at all. */
export const rankForRemoval = (order: RemovalOrder, members: readonly Member[], prices: Prices): readonly Rank[] => {
  const removable = members.filter((member) => !member.protected);
  const unhealthy = rankAlike(
    order,
    removable.filter((member) => member.unhealthy),
    prices,
  );
  const healthy = rankAlike(
    order,
    removable.filter((member) => !member.unhealthy),
    prices,
  );
  return [...unhealthy.map(({ why, members: alike }) => ({ why: `unhealthy; ${why}`, members: alike })), ...healthy].filter(
    (rank) => rank.members.length > 0,
  );
};
