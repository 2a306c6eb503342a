import type { Market } from '../core/pool/offering.ts';

/** The number of runners that the jobs need from this moment on. */
export type Wanted = { readonly atMs: number; readonly runners: number };

export type CiLife = {
  readonly market: Market;
  readonly zone: string;
  readonly launchedAtMs: number;
  readonly warnedAtMs?: number;
  readonly goneAtMs?: number;
};

export type CiFigures = {
  /** The share of the wanted runner time in which a runner served. */
  readonly servedPercent: number;
  /** The wanted runner time without a serving runner. */
  readonly shortMinutes: number;
  /** The longest time with fewer runners than wanted. */
  readonly longestShortageMinutes: number;
  /** What all instances cost, as a share of the wanted time on demand. */
  readonly costSharePercent: number;
  readonly usd: number;
  readonly launches: number;
  readonly interruptions: number;
};

type Fleet = {
  readonly lives: readonly CiLife[];
  readonly serving: readonly { readonly atMs: number; readonly serving: number }[];
  readonly wanted: readonly Wanted[];
  readonly untilMs: number;
  readonly usdPerHour: Readonly<Record<Market, number>>;
};

const msPerHour = 3_600_000;
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

type Span = { readonly fromMs: number; readonly untilMs: number; readonly wanted: number; readonly serving: number };

/** Times in which neither number changes. */
const spansOf = ({ serving, wanted, untilMs }: Fleet): readonly Span[] => {
  const fromMs = wanted[0]?.atMs ?? 0;
  const moments = [...new Set([...wanted, ...serving].map(({ atMs }) => atMs))]
    .filter((atMs) => atMs >= fromMs && atMs < untilMs)
    .sort((a, b) => a - b);
  return moments.map((atMs, index) => ({
    fromMs: atMs,
    untilMs: moments[index + 1] ?? untilMs,
    wanted: wanted.findLast((one) => one.atMs <= atMs)?.runners ?? 0,
    serving: serving.findLast((one) => one.atMs <= atMs)?.serving ?? 0,
  }));
};

const longestShortageMs = (spans: readonly Span[]): number => {
  let [longest, current] = [0, 0];
  for (const { fromMs, untilMs, wanted, serving } of spans) {
    current = serving < wanted ? current + untilMs - fromMs : 0;
    longest = Math.max(longest, current);
  }
  return longest;
};

export const ciFiguresOf = (fleet: Fleet): CiFigures => {
  const spans = spansOf(fleet);
  const total = (of: (span: Span) => number): number => spans.reduce((sum, span) => sum + of(span) * (span.untilMs - span.fromMs), 0);
  const wantedMs = total(({ wanted }) => wanted);
  const usd = fleet.lives.reduce((sum, { market, launchedAtMs, goneAtMs = fleet.untilMs }) => {
    const runsMs = Math.max(0, Math.min(goneAtMs, fleet.untilMs) - launchedAtMs);
    return sum + (runsMs * fleet.usdPerHour[market]) / msPerHour;
  }, 0);
  return {
    servedPercent: rounded((100 * total(({ wanted, serving }) => Math.min(wanted, serving))) / wantedMs, 2),
    shortMinutes: rounded(total(({ wanted, serving }) => Math.max(0, wanted - serving)) / 60_000, 1),
    longestShortageMinutes: rounded(longestShortageMs(spans) / 60_000, 1),
    costSharePercent: rounded((100 * usd * msPerHour) / (wantedMs * fleet.usdPerHour['on-demand']), 1),
    usd: rounded(usd, 2),
    launches: fleet.lives.length,
    interruptions: fleet.lives.filter(({ warnedAtMs }) => warnedAtMs !== undefined).length,
  };
};
