import type { RemovalRank, RemovalReason } from '../decision/decision.ts';
import type { RemovalOrder } from '../group/group.ts';
import type { Member } from '../view/view.ts';

/** What is paid for a member. Undefined when unknown. */
export type PriceOf = (member: Member) => number | undefined;

/** Members that the order ranks equally. The tree decides among them. */
type Alike = { readonly rank: RemovalRank; readonly members: readonly Member[] };

/** Members that leave for one reason. The tree decides among them. */
export type Rank = {
  readonly why: Extract<RemovalReason, { readonly code: 'surplus' }>;
  readonly members: readonly Member[];
};

/** Prices that differ by less count as equal. */
const alike = 0.1;

/**
 * Prices within a tenth of the dearest one of a rank count as equal, so that a difference of a cent between two zones
 * does not empty one of them.
 */
const rankByPrice = (members: readonly Member[], priceOf: PriceOf): readonly Alike[] => {
  const priced = members.flatMap((member) => {
    const price = priceOf(member);
    return price === undefined ? [] : [{ member, price }];
  });
  priced.sort((a, b) => b.price - a.price);
  const ranks: { rank: RemovalRank; floor: number; members: Member[] }[] = [];
  for (const { member, price } of priced) {
    const last = ranks.at(-1);
    if (last !== undefined && price >= last.floor) last.members.push(member);
    else {
      const rank: RemovalRank = { order: 'dearest-first', aboutUsdPerHour: price };
      ranks.push({ rank, floor: price * (1 - alike) - 1e-9, members: [member] });
    }
  }
  const unknown = members.filter((member) => priceOf(member) === undefined);
  return [...ranks, { rank: { order: 'dearest-first' }, members: unknown }];
};

/** While a price is unknown, on-demand counts as dearer than spot. */
const dearestFirst = (members: readonly Member[], priceOf: PriceOf): readonly Alike[] => {
  if (members.every((member) => priceOf(member) !== undefined)) return rankByPrice(members, priceOf);
  const onDemand = members.filter(({ offering }) => offering.market === 'on-demand');
  const spot = members.filter(({ offering }) => offering.market === 'spot');
  return [...rankByPrice(onDemand, priceOf), ...rankByPrice(spot, priceOf)];
};

const byAge = (members: readonly Member[], order: 'oldest-first' | 'newest-first'): readonly Alike[] => {
  const groups = Map.groupBy(members, ({ launchedAtMs }) => launchedAtMs);
  return [...groups]
    .sort(([a], [b]) => (order === 'oldest-first' ? a - b : b - a))
    .map(([launchedAtMs, alike]) => ({ rank: { order, launchedAtMs }, members: alike }));
};

const rankAlike = (order: RemovalOrder, members: readonly Member[], priceOf: PriceOf): readonly Alike[] => {
  switch (order) {
    case 'dearest-first':
      return dearestFirst(members, priceOf);
    case 'oldest-first':
    case 'newest-first':
      return byAge(members, order);
    case 'same-order':
      return [{ rank: { order }, members }];
  }
};

/** Members in the ranks of a removal order: the unhealthy first, whatever the order. Protected members are left out. */
export const rankForRemoval = (order: RemovalOrder, members: readonly Member[], priceOf: PriceOf): readonly Rank[] => {
  const removable = members.filter((member) => !member.protected);
  const unhealthy = rankAlike(
    order,
    removable.filter((member) => member.unhealthy),
    priceOf,
  );
  const healthy = rankAlike(
    order,
    removable.filter((member) => !member.unhealthy),
    priceOf,
  );
  return [
    ...unhealthy.map(({ rank, members: alike }) => ({
      why: { code: 'surplus', rank, unhealthy: true } as const,
      members: alike,
    })),
    ...healthy.map(({ rank, members: alike }) => ({ why: { code: 'surplus', rank } as const, members: alike })),
  ];
};
