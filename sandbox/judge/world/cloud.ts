import type { Market } from '../../../core/pool/offering.ts';
import { firstSuspended } from '../../world/spec.ts';
import type { History, HistoryEvent } from '../history.ts';
import { goneAtMs, type Life, stayAt } from './life.ts';

export type OfferingName = { readonly instanceType: string; readonly zone: string; readonly market: Market };
export const nameOf = ({ instanceType, zone, market }: OfferingName): string => `${instanceType}/${zone}/${market}`;

type OfferingChange = OfferingName & { readonly atMs: number; readonly capacity: number; readonly priceUsdPerHour: number };
export type AsgChange = Extract<HistoryEvent, { readonly kind: 'asg-changed' }>;

/** The capacity of EC2 and the settings of Auto Scaling groups, over time. */
export type Cloud = {
  /** How many more an offering could have given, the account's quota counted; nothing where it is not sold. */
  readonly freeAt: (offering: OfferingName, atMs: number) => number;
  /** Least that an offering could have given at any moment between the two. */
  readonly leastFree: (offering: OfferingName, fromMs: number, untilMs: number) => number;
  readonly priceAt: (offering: OfferingName, atMs: number) => number | undefined;
  /** Every price of an offering between the two. */
  readonly pricesIn: (offering: OfferingName, fromMs: number, untilMs: number) => readonly number[];
  /** How many addresses a subnet has left. */
  readonly addressesAt: (subnet: string, atMs: number) => number;
  /** Changes of an Auto Scaling group, oldest first; the first is how the run found it. */
  readonly asgChanges: (asg: string) => readonly AsgChange[];
  readonly asgAt: (asg: string, atMs: number) => AsgChange | undefined;
  /** How many units the members count that a function attached with this change of an Auto Scaling group; or those of them that it holds at a moment. */
  readonly attachedWith: (change: AsgChange, heldAtMs?: number) => number;
};

const offeringChanges = ({ spec, events }: History): ReadonlyMap<string, readonly OfferingChange[]> => {
  const all: readonly OfferingChange[] = [
    ...spec.offerings.map((offering) => ({ ...offering, atMs: Number.NEGATIVE_INFINITY, capacity: offering.capacity ?? Number.POSITIVE_INFINITY })),
    ...events.flatMap((event) => (event.kind === 'offering' ? [{ ...event, capacity: event.capacity ?? Number.POSITIVE_INFINITY }] : [])),
  ];
  return Map.groupBy(all, nameOf);
};

const asgChangesOf = ({ spec, beganAtMs, events }: History): ReadonlyMap<string, readonly AsgChange[]> => {
  const found = Map.groupBy(
    events.filter((event): event is AsgChange => event.kind === 'asg-changed'),
    ({ asg }) => asg,
  );
  for (const group of spec.autoScalingGroups) {
    const { name, min, max, desired, rebalancesCapacity, warmPool, weights } = group;
    const suspended = firstSuspended(group);
    const isWeighed = Object.values(weights ?? {}).some((weight) => weight !== 1);
    const unfit = [
      ...(rebalancesCapacity ? (['capacity-rebalancing'] as const) : []),
      ...(warmPool ? (['warm-pool'] as const) : []),
      ...(isWeighed ? (['weights'] as const) : []),
    ];
    const numbers = { asg: name, min, max, desired, suspended, ...(unfit.length > 0 && { unfit }), ...(isWeighed && weights && { weights }) };
    const first: AsgChange = { kind: 'asg-changed', atMs: beganAtMs - 1, ...numbers, by: { kind: 'user' } };
    found.set(name, [first, ...(found.get(name) ?? [])]);
  }
  return found;
};

/** What an instance of a type counts towards the sizes of an Auto Scaling group. Without weights each counts as one. */
export const unitsOf = ({ weights }: Pick<AsgChange, 'weights'>, instanceType: string): number => weights?.[instanceType] ?? 1;

const attachedWith = ({ events }: History, lives: readonly Life[]): Cloud['attachedWith'] => {
  const lifeOf = new Map(lives.map((life) => [life.instance, life]));
  const joined = Map.groupBy(
    events.filter((event) => event.kind === 'joined'),
    ({ asg, atMs, by }) => `${asg} ${atMs} ${by.kind === 'function' ? by.invocation : ''}`,
  );
  return (change, heldAtMs) => {
    const { asg, atMs, by } = change;
    const found = by.kind === 'function' ? (joined.get(`${asg} ${atMs} ${by.invocation}`) ?? []) : [];
    return found.reduce((sum, { instance }) => {
      const life = lifeOf.get(instance);
      const isHeld = heldAtMs === undefined || (life !== undefined && stayAt(life, heldAtMs)?.asg === asg);
      return isHeld ? sum + unitsOf(change, life?.instanceType ?? '') : sum;
    }, 0);
  };
};

const quotaChanges = ({ spec, events }: History): Readonly<Record<Market, readonly { readonly atMs: number; readonly most: number }[]>> => {
  const of = (market: Market) => [
    { atMs: Number.NEGATIVE_INFINITY, most: spec.quotas?.[market] ?? Number.POSITIVE_INFINITY },
    ...events.flatMap((event) =>
      event.kind === 'quota' && event.market === market ? [{ atMs: event.atMs, most: event.most ?? Number.POSITIVE_INFINITY }] : [],
    ),
  ];
  return { spot: of('spot'), 'on-demand': of('on-demand') };
};

const addressesOf = ({ spec, events }: History, lives: readonly Life[]): Cloud['addressesAt'] => {
  const bySubnet = Map.groupBy(lives, ({ subnet }) => subnet);
  const changes = events.filter((event) => event.kind === 'addresses');
  return (subnet, atMs) => {
    const first = spec.subnets.find(({ id }) => id === subnet)?.freeAddresses ?? Number.POSITIVE_INFINITY;
    const { free, atMs: sinceMs } = changes.findLast((change) => change.subnet === subnet && change.atMs <= atMs) ?? {
      free: first,
      atMs: Number.NEGATIVE_INFINITY,
    };
    const isWithin = (whenMs: number): boolean => whenMs > sinceMs && whenMs <= atMs;
    const own = bySubnet.get(subnet) ?? [];
    return (
      free - own.filter((life) => isWithin(life.launchedAtMs)).length + own.filter(({ ended }) => ended !== undefined && isWithin(ended.atMs)).length
    );
  };
};

export const cloudOf = (history: History, lives: readonly Life[]): Cloud => {
  const offerings = offeringChanges(history);
  const asgs = asgChangesOf(history);
  const quotas = quotaChanges(history);
  const byOffering = Map.groupBy(lives, nameOf);
  const byMarket = Map.groupBy(lives, ({ market }) => market);
  const count = (list: readonly Life[] = [], atMs: number): number =>
    list.filter((life) => life.launchedAtMs <= atMs && goneAtMs(life) > atMs).length;
  const changesOf = (offering: OfferingName): readonly OfferingChange[] => offerings.get(nameOf(offering)) ?? [];
  const changeAt = (offering: OfferingName, atMs: number): OfferingChange | undefined =>
    changesOf(offering).findLast((change) => change.atMs <= atMs);
  const freeAt: Cloud['freeAt'] = (offering, atMs) => {
    const { capacity = 0 } = changeAt(offering, atMs) ?? {};
    const quota = quotas[offering.market].findLast((change) => change.atMs <= atMs)?.most ?? Number.POSITIVE_INFINITY;
    return Math.min(capacity - count(byOffering.get(nameOf(offering)), atMs), quota - count(byMarket.get(offering.market), atMs));
  };
  const momentsIn = (offering: OfferingName, fromMs: number, untilMs: number): readonly number[] => {
    const changes = [...changesOf(offering), ...quotas[offering.market]].map(({ atMs }) => atMs);
    const launches = (byMarket.get(offering.market) ?? []).map(({ launchedAtMs }) => launchedAtMs);
    return [fromMs, ...[...changes, ...launches].filter((atMs) => atMs > fromMs && atMs < untilMs)];
  };
  return {
    freeAt,
    leastFree: (offering, fromMs, untilMs) => Math.min(...momentsIn(offering, fromMs, untilMs).map((atMs) => freeAt(offering, atMs))),
    priceAt: (offering, atMs) => changeAt(offering, atMs)?.priceUsdPerHour,
    pricesIn: (offering, fromMs, untilMs) =>
      [fromMs, ...changesOf(offering).flatMap(({ atMs }) => (atMs > fromMs && atMs < untilMs ? [atMs] : []))].flatMap(
        (atMs) => changeAt(offering, atMs)?.priceUsdPerHour ?? [],
      ),
    addressesAt: addressesOf(history, lives),
    asgChanges: (asg) => asgs.get(asg) ?? [],
    asgAt: (asg, atMs) => asgs.get(asg)?.findLast((change) => change.atMs <= atMs),
    attachedWith: attachedWith(history, lives),
  };
};
