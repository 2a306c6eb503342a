import type { Market } from '../../core/pool/offering.ts';
import type { TokenBucket } from '../throttle/token-bucket.ts';
import { architectureOfType } from './ec2/images.ts';
import type { InstanceRecord } from './instance.ts';
import type { Instances, LaunchOrder } from './instances.ts';
import type { Subnet } from './network.ts';
import type { OfferingBook, OfferingRecord } from './offerings.ts';
import type { Architecture } from './spec.ts';

/** How many instances of a market the account may have; a market that is missing is without limit. */
export type Quotas = Map<Market, number>;

/** One place that a launch may take capacity from. */
export type Choice = {
  readonly instanceType: string;
  readonly subnet: Subnet;
  readonly market: Market;
  readonly maxPriceUsdPerHour?: number;
  readonly priority?: number;
  /** What an instance of this type counts (default: one). */
  readonly weight?: number;
  /** What the image runs that is to be launched. Absent: it runs on every type. */
  readonly architecture?: Architecture;
};

export type Refused<C extends Choice> = { readonly choice: C; readonly code: string; readonly message: string };

export type Fulfilment<C extends Choice> = {
  readonly launched: readonly { readonly choice: C; readonly instances: readonly InstanceRecord[] }[];
  readonly refused: readonly Refused<C>[];
};

export type FulfilmentOrder<C extends Choice> = {
  readonly choices: readonly C[];
  readonly count: number;
  /** EC2's allocation strategies by their API names. */
  readonly strategy: string;
  readonly details: (choice: C) => Omit<LaunchOrder, 'offering' | 'subnet'>;
  /** Each instance takes a token. Instances beyond the tokens are throttled. */
  readonly budget?: TokenBucket;
  /** The most that all launches may cost together. Launching stops before it costs more, without an error. */
  readonly maxTotalUsdPerHour?: number;
};

export type Fulfil = {
  /** Launches up to `count`. Returns, for each choice that was tried, why it launched fewer. */
  launch<C extends Choice>(order: FulfilmentOrder<C>): Fulfilment<C>;
  /** Why this choice cannot give that many; undefined when it can. */
  refusalOf<C extends Choice>(choice: C, count: number): Refused<C> | undefined;
  /** How many these choices could give now. */
  obtainable(choices: readonly Choice[]): number;
};

const emptyText: Readonly<Record<Market, string>> = {
  spot: 'There is no Spot capacity available that matches your request.',
  'on-demand': 'We currently do not have sufficient capacity in the Availability Zone you requested.',
};

const noAddresses = (subnet: Subnet): [code: string, message: string] => [
  'InsufficientFreeAddressesInSubnet',
  `There are not enough free addresses in subnet '${subnet.id}' to satisfy the requested number of instances.`,
];

const overQuota: Readonly<Record<Market, [code: string, message: string]>> = {
  spot: ['MaxSpotInstanceCountExceeded', 'Max spot instance count exceeded'],
  'on-demand': [
    'VcpuLimitExceeded',
    'You have requested more vCPU capacity than your current vCPU limit allows for the instance bucket that the specified instance type belongs to.',
  ],
};

/** `free` is what the pool has; `quota` what the account may still launch of the market. */
type Priced = { readonly offering: OfferingRecord | undefined; readonly free: number; readonly quota: number };
type Rank = (choice: Choice, priced: Priced) => readonly number[];

const price = ({ offering }: Priced): number => offering?.priceUsdPerHour ?? Number.POSITIVE_INFINITY;
const priority = (choice: Choice): number => choice.priority ?? Number.POSITIVE_INFINITY;

/** Lower ranks first. Spot pools are known by their free capacity; on-demand ones are simply tried. */
const ranks: Readonly<Record<string, Rank>> = {
  'price-capacity-optimized': (_, priced) => [-priced.free, price(priced)],
  'capacity-optimized': (_, priced) => [-priced.free],
  'capacity-optimized-prioritized': (choice, priced) => [-Math.sign(priced.free), priority(choice), -priced.free],
  // With weights by the price of a unit (User Guide, Configure an Auto Scaling group to use instance weights).
  'lowest-price': ({ weight = 1 }, priced) => [price(priced) / weight],
  prioritized: (choice) => [priority(choice)],
  diversified: () => [],
};

const compareRanks = (a: readonly number[], b: readonly number[]): number => {
  for (const [index, low] of a.entries()) {
    const high = b[index] ?? 0;
    if (low !== high) return low < high ? -1 : 1;
  }
  return 0;
};

/** The number of instances that a sum pays for. The small fraction allows for the rounding of sums. */
const affordable = (usdPerHour: number, offering: OfferingRecord | undefined): number =>
  offering === undefined ? 0 : Math.floor(usdPerHour / offering.priceUsdPerHour + 1e-6);

export const createFulfil = (instances: Instances, book: OfferingBook, quotas: Quotas): Fulfil => {
  const quotaLeft = (market: Market): number => {
    const quota = quotas.get(market);
    return quota === undefined ? Number.POSITIVE_INFINITY : Math.max(0, quota - book.used(market));
  };
  const look = (choice: Choice): Priced => {
    const offering = book.find({ instanceType: choice.instanceType, zone: choice.subnet.zone, market: choice.market });
    return { offering, free: offering === undefined ? 0 : book.free(offering), quota: quotaLeft(choice.market) };
  };
  /** Why this choice cannot give a single instance, whatever its capacity. */
  const impossible = (choice: Choice, offering: OfferingRecord | undefined): [code: string, message: string] | undefined => {
    const { instanceType, subnet, maxPriceUsdPerHour: limit } = choice;
    if (offering === undefined) {
      return ['Unsupported', `Your requested instance type (${instanceType}) is not supported in your requested Availability Zone (${subnet.zone}).`];
    }
    if (choice.architecture !== undefined && choice.architecture !== architectureOfType(instanceType)) {
      return [
        'InvalidParameterValue',
        `The architecture '${architectureOfType(instanceType)}' of the specified instance type does not match the architecture '${choice.architecture}' of the specified AMI. Specify an instance type and an AMI that have matching architectures, and try again.`,
      ];
    }
    if (choice.market === 'spot' && limit !== undefined && limit < offering.priceUsdPerHour) {
      return [
        'SpotMaxPriceTooLow',
        `Your Spot request price of ${limit} is lower than the minimum required Spot request fulfillment price of ${offering.priceUsdPerHour}.`,
      ];
    }
    if (subnet.free <= 0) return noAddresses(subnet);
    return undefined;
  };
  /** How many this choice could give: the least of its pool, its subnet's addresses and the account's quota. */
  const most = (choice: Choice): number => {
    const { offering, free, quota } = look(choice);
    return impossible(choice, offering) === undefined ? Math.min(free, choice.subnet.free, quota) : 0;
  };
  const shortage = (choice: Choice): [code: string, message: string] => {
    const { free, quota } = look(choice);
    if (quota < Math.min(free, choice.subnet.free)) return overQuota[choice.market];
    return free > choice.subnet.free ? noAddresses(choice.subnet) : ['InsufficientInstanceCapacity', emptyText[choice.market]];
  };
  const refusalOf = <C extends Choice>(choice: C, count: number): Refused<C> | undefined => {
    const no = impossible(choice, look(choice).offering) ?? (most(choice) >= count ? undefined : shortage(choice));
    return no === undefined ? undefined : { choice, code: no[0], message: no[1] };
  };
  const takeFrom = <C extends Choice>(
    choice: C,
    want: number,
    order: FulfilmentOrder<C>,
    leftUsd: number,
  ): { launched: InstanceRecord[]; refused?: Refused<C> } => {
    const { offering } = look(choice);
    const possible = Math.min(want, most(choice), affordable(leftUsd, offering));
    const refused = refusalOf(choice, want);
    const allowed = order.budget === undefined ? possible : order.budget.takeUpTo(possible);
    const launched: InstanceRecord[] = [];
    while (offering !== undefined && launched.length < allowed) {
      launched.push(instances.launch({ ...order.details(choice), offering, subnet: choice.subnet }));
    }
    if (allowed < possible) return { launched, refused: { choice, code: 'RequestLimitExceeded', message: 'Request limit exceeded.' } };
    return refused === undefined ? { launched } : { launched, refused };
  };

  const inOrder = <C extends Choice>(choices: readonly C[], strategy: string): C[] => {
    const rank = ranks[strategy] ?? (() => []);
    const ranked = choices.map((choice) => ({ choice, rank: rank(choice, look(choice)) }));
    return ranked.sort((a, b) => compareRanks(a.rank, b.rank)).map(({ choice }) => choice);
  };
  const costOf = (choice: Choice, count: number): number => count * (look(choice).offering?.priceUsdPerHour ?? 0);
  const launch = <C extends Choice>(order: FulfilmentOrder<C>): Fulfilment<C> => {
    const launched: { choice: C; instances: InstanceRecord[] }[] = [];
    const refused: Refused<C>[] = [];
    let left = order.count;
    let { maxTotalUsdPerHour: leftUsd = Number.POSITIVE_INFINITY } = order;
    const ordered = inOrder(order.choices, order.strategy);
    for (const [index, choice] of ordered.entries()) {
      if (left === 0) break;
      const share = order.strategy === 'diversified' ? Math.ceil(left / (ordered.length - index)) : left;
      const taken = takeFrom(choice, share, order, leftUsd);
      left -= taken.launched.length;
      leftUsd -= costOf(choice, taken.launched.length);
      if (taken.launched.length > 0) launched.push({ choice, instances: taken.launched });
      if (taken.refused !== undefined) refused.push(taken.refused);
    }
    return { launched, refused };
  };
  return {
    launch,
    refusalOf,
    obtainable: (choices) => choices.reduce((sum, choice) => sum + most(choice), 0),
  };
};
