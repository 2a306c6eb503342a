import type { Market } from '../core/pool/offering.ts';
import { availability, type ServingSpan } from '../sandbox/scenario/observe.ts';

/** One instance: what it is, and its times in epoch milliseconds. */
export type Life = {
  readonly zone: string;
  readonly market: Market;
  readonly launchedAtMs: number;
  readonly servingAtMs?: number;
  readonly warnedAtMs?: number;
  /** When it began to shut down. */
  readonly goneAtMs?: number;
};

/** The price of spot in one zone from this moment on. */
export type PriceChange = { readonly atMs: number; readonly zone: string; readonly usdPerHour: number };

export type Prices = {
  /** The price of on-demand, by zone. */
  readonly onDemand: Readonly<Record<string, number>>;
  /** In the order of time, from the beginning on. */
  readonly spot: readonly PriceChange[];
};

/** What is measured: from when to when, and how many members should have served. */
export type Window = { readonly fromMs: number; readonly toMs: number; readonly members: number };

const msPerHour = 3_600_000;

/** What one instance cost within the window: from its launch, which AWS does not bill before it runs, to its shutdown. */
const costUsd = (life: Life, { onDemand, spot }: Prices, { fromMs, toMs }: Window): number => {
  const [beginMs, endMs] = [Math.max(fromMs, life.launchedAtMs), Math.min(toMs, life.goneAtMs ?? toMs)];
  if (endMs <= beginMs) return 0;
  if (life.market === 'on-demand') return ((endMs - beginMs) * (onDemand[life.zone] ?? Number.NaN)) / msPerHour;
  const here = spot.filter(({ zone }) => zone === life.zone);
  return here.reduce((sum, { atMs, usdPerHour }, index) => {
    const untilMs = Math.min(endMs, here[index + 1]?.atMs ?? endMs);
    return sum + (Math.max(0, untilMs - Math.max(beginMs, atMs)) * usdPerHour) / msPerHour;
  }, 0);
};

/** The spans from a moment on; the one that holds then begins there. */
const spansFrom = (spans: readonly ServingSpan[], fromMs: number): readonly ServingSpan[] => {
  const held = spans.findLast(({ atMs }) => atMs <= fromMs)?.serving ?? 0;
  return [{ atMs: fromMs, serving: held }, ...spans.filter(({ atMs }) => atMs > fromMs)];
};

export type Figures = {
  /** Share of the time in which all members served. */
  readonly availabilityPercent: number;
  /** What all instances cost, as a share of that many on demand where that is cheapest. */
  readonly costSharePercent: number;
  readonly launches: number;
  readonly interruptions: number;
  /** Members of the last tier that served, and that Holdfast ended: EC2 takes none of them, so their place went to an earlier tier. */
  readonly returns: number;
};

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

export const figuresOf = (lives: readonly Life[], spans: readonly ServingSpan[], prices: Prices, window: Window): Figures => {
  const { fromMs, toMs, members } = window;
  const usd = lives.reduce((sum, life) => sum + costUsd(life, prices, window), 0);
  const onDemandUsd = (members * (toMs - fromMs) * Math.min(...Object.values(prices.onDemand))) / msPerHour;
  const within = spansFrom(spans, fromMs).filter(({ atMs }) => atMs < toMs);
  return {
    availabilityPercent: rounded(100 * availability(within, members, toMs), 4),
    costSharePercent: rounded((100 * usd) / onDemandUsd, 2),
    launches: lives.length,
    interruptions: lives.filter(({ warnedAtMs }) => warnedAtMs !== undefined).length,
    returns: lives.filter(({ market, servingAtMs, goneAtMs }) => market === 'on-demand' && servingAtMs !== undefined && goneAtMs !== undefined)
      .length,
  };
};
