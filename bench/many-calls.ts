import type { Seen } from './many-watch.ts';
import { table } from './table.ts';

const binMs = 5_000;
const mostBins = 12;

const cellOf = (calls: Seen['calls']): string => {
  const throttled = calls.filter(({ isThrottled }) => isThrottled).length;
  return calls.length === 0 ? '' : `${calls.length}${throttled === 0 ? '' : ` (${throttled})`}`;
};

/** Calls of functions by operation and time, those that the account's buckets refused in brackets: where the calls of a storm go. */
export const callTable = ({ calls }: Pick<Seen, 'calls'>, startedAtMs: number): string => {
  const bins = Array.from({ length: mostBins }, (_, index) => startedAtMs + index * binMs);
  const rows = [...Map.groupBy(calls, ({ name }) => name)].sort(([, one], [, other]) => other.length - one.length);
  return table(
    ['calls (throttled)', 'all', ...bins.map((fromMs) => `${(fromMs - startedAtMs) / 1_000} s`)],
    rows.map(([name, made]) => [
      name,
      cellOf(made),
      ...bins.map((fromMs) => cellOf(made.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + binMs))),
    ]),
  );
};
