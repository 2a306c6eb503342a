import { type Market, type Offering, type OfferingKey, offeringKey } from '../../core/pool/offering.ts';
import type { WorldClock } from '../clock.ts';
import type { OfferingSpec } from './spec.ts';

/** The capacity of one offering, how much of it is in use, and its cost so far. */
export type OfferingRecord = {
  readonly instanceType: string;
  readonly zone: string;
  readonly market: Market;
  capacity: number | null;
  priceUsdPerHour: number;
  used: number;
  /** How many are billed right now: running ones. */
  billed: number;
  settledAtMs: number;
  usd: number;
  onDemandUsd: number;
  /** Prices in force, oldest first. */
  readonly prices: { readonly atMs: number; readonly usdPerHour: number }[];
};

export type OfferingBook = {
  find(offering: Offering): OfferingRecord | undefined;
  list(): readonly OfferingRecord[];
  /** Infinite where there is no limit. */
  free(record: OfferingRecord): number;
  /** How many are taken of a market. */
  used(market: Market): number;
  /** Starts (1) or ends (-1) billing one instance. */
  bill(record: OfferingRecord, change: 1 | -1): void;
  setPrice(record: OfferingRecord, usdPerHour: number): void;
  cost(): { readonly usd: number; readonly onDemandUsd: number };
};

const msPerHour = 3_600_000;

export const createOfferingBook = (specs: readonly OfferingSpec[], clock: Pick<WorldClock, 'now'>): OfferingBook => {
  const records = new Map<OfferingKey, OfferingRecord>();
  const onDemandByType = new Map<string, OfferingRecord>();
  for (const spec of specs) {
    const nowMs = clock.now();
    const prices = [{ atMs: nowMs, usdPerHour: spec.priceUsdPerHour }];
    const record = { ...spec, used: 0, billed: 0, settledAtMs: nowMs, usd: 0, onDemandUsd: 0, prices };
    records.set(offeringKey(spec), record);
    if (spec.market === 'on-demand' && !onDemandByType.has(spec.instanceType)) onDemandByType.set(spec.instanceType, record);
  }
  /** A type that nobody sells on demand is compared with itself. */
  const onDemandPrice = (record: OfferingRecord): number => {
    const sameZone = records.get(offeringKey({ ...record, market: 'on-demand' }));
    return (sameZone ?? onDemandByType.get(record.instanceType) ?? record).priceUsdPerHour;
  };
  const settle = (record: OfferingRecord): void => {
    const hours = (record.billed * (clock.now() - record.settledAtMs)) / msPerHour;
    record.usd += hours * record.priceUsdPerHour;
    record.onDemandUsd += hours * onDemandPrice(record);
    record.settledAtMs = clock.now();
  };
  const settleAll = (): void => records.forEach(settle);
  return {
    find: (offering) => records.get(offeringKey(offering)),
    list: () => [...records.values()],
    free: ({ capacity, used }) => (capacity === null ? Number.POSITIVE_INFINITY : Math.max(0, capacity - used)),
    used: (market) => [...records.values()].reduce((sum, record) => sum + (record.market === market ? record.used : 0), 0),
    bill: (record, change) => {
      settle(record);
      record.billed += change;
    },
    setPrice: (record, usdPerHour) => {
      settleAll();
      record.priceUsdPerHour = usdPerHour;
      record.prices.push({ atMs: clock.now(), usdPerHour });
    },
    cost: () => {
      settleAll();
      const all = [...records.values()];
      return { usd: all.reduce((sum, { usd }) => sum + usd, 0), onDemandUsd: all.reduce((sum, { onDemandUsd }) => sum + onDemandUsd, 0) };
    },
  };
};
