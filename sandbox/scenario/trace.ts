import { ScenarioError } from './scenario-error.ts';
import type { RecordedPool, RecordedTrace } from './trace-file.ts';

/** What spot can give in one zone of the world, and its price where the trace has prices, from this moment on. `null` is without limit. */
export type CapacityChange = {
  /** Milliseconds from the trace's chosen start. */
  readonly atMs: number;
  readonly zone: string;
  readonly capacity: number | null;
  readonly priceUsdPerHour?: number;
};

/** The part of a trace that is played, and how. */
export type Excerpt = {
  /** Zone of the trace by zone of the world. */
  readonly zones: Readonly<Record<string, string>>;
  readonly fromSample: number;
  readonly lastsMs: number;
  /** How long before a fall of its capacity a zone has only the capacity that will be left. */
  readonly noticeMs: number;
  /** Whether spot prices follow the trace as well. */
  readonly prices: boolean;
  /** For a trace that requested one instance at a time: a zone that had capacity for one counts as unlimited. */
  readonly unlimitedWhenUp?: boolean;
};

const zoneIn = ({ file, pools }: RecordedTrace, zone: string): RecordedPool => {
  const pool = pools.find((candidate) => candidate.zone === zone);
  if (pool !== undefined) return pool;
  throw new ScenarioError(`The trace ${file} has no zone ${zone}; it has ${pools.map((one) => one.zone).join(', ')}.`);
};

/** A sample without a price has the price before it. Samples before the first known price have that price. */
const knownPrices = (prices: readonly (number | null)[]): readonly number[] => {
  let last = prices.find((price) => price !== null) ?? undefined;
  return prices.flatMap((price) => {
    last = price ?? last;
    return last ?? [];
  });
};

type State = Pick<CapacityChange, 'capacity' | 'priceUsdPerHour'>;
type Samples = { readonly capacity: readonly number[]; readonly prices: readonly number[] | undefined };

/** The values at that moment: the lowest capacity until the end of the notice, and the price of the sample. */
const stateAt = ({ capacity, prices }: Samples, atMs: number, gapMs: number, { noticeMs, unlimitedWhenUp = false }: Excerpt): State => {
  const index = Math.min(capacity.length - 1, Math.floor(atMs / gapMs));
  const least = Math.min(...capacity.slice(index, Math.floor((atMs + noticeMs) / gapMs) + 1));
  const price = prices?.[index];
  return { capacity: unlimitedWhenUp && least > 0 ? null : least, ...(price !== undefined && { priceUsdPerHour: price }) };
};

const isSame = (a: State | undefined, b: State): boolean => a?.capacity === b.capacity && a.priceUsdPerHour === b.priceUsdPerHour;

const changesOf = (zone: string, samples: Samples, gapMs: number, excerpt: Excerpt): readonly CapacityChange[] => {
  const starts = samples.capacity.map((_, index) => index * gapMs);
  const moments = [...new Set([...starts, ...starts.map((startMs) => startMs - excerpt.noticeMs)])].filter((atMs) => atMs >= 0);
  const changes: CapacityChange[] = [];
  for (const atMs of moments.sort((a, b) => a - b)) {
    const state = stateAt(samples, atMs, gapMs, excerpt);
    if (!isSame(changes.at(-1), state)) changes.push({ atMs, zone, ...state });
  }
  return changes;
};

/**
 * How capacity and prices change while an excerpt of a trace is played. A fall comes a notice before the trace has it: instances are warned then, and gone
 * when the trace says so. Zones are renamed by the map of the excerpt.
 */
export const changesIn = (trace: RecordedTrace, excerpt: Excerpt): readonly CapacityChange[] => {
  const { gapMs, samples } = trace;
  const { fromSample, lastsMs } = excerpt;
  if (fromSample >= samples) throw new ScenarioError(`The trace ${trace.file} has ${samples} samples, so it cannot begin at sample ${fromSample}.`);
  const toSample = Math.min(samples, fromSample + Math.ceil(lastsMs / gapMs));
  return Object.entries(excerpt.zones)
    .flatMap(([zone, recorded]) => {
      const { capacity, spotUsdPerHour } = zoneIn(trace, recorded);
      const prices = excerpt.prices && spotUsdPerHour ? knownPrices(spotUsdPerHour).slice(fromSample, toSample) : undefined;
      return changesOf(zone, { capacity: capacity.slice(fromSample, toSample), prices }, gapMs, excerpt);
    })
    .sort((a, b) => a.atMs - b.atMs);
};
