import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import pc from 'picocolors';
import { shortfallText } from '../core/drain/shortfall-text.ts';
import type { InterruptionRow, ObservedRow, Report } from '../sandbox/door.ts';
import { costText } from './reason-text.ts';
import { clockText, durationText } from './time.ts';

const plain = { head: [], border: [] };

type Cell = string | number;
type Rows = {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly alignedRight?: boolean;
};

/** Undefined: there is no terminal, so that no line is too long. */
type Columns = number | undefined;

const widthOf = (text: string): number =>
  Math.max(...text.split('\n').map((line) => stripVTControlCharacters(line).length));

const nonEmpty = (row: readonly Cell[], head: readonly string[]): readonly string[] =>
  row.flatMap((cell, index) => (cell === '' ? [] : [`${head[index]} ${String(cell).replaceAll('\n', ', ')}`]));

/** A table. In a terminal that is too narrow for it, a line of words for each row: a wrapped table cannot be read. */
const tableText = ({ head, rows, alignedRight }: Rows, columns: Columns): string => {
  const colAligns = alignedRight ? { colAligns: ['left' as const, 'right' as const] } : {};
  const table = new Table({ head: [...head], style: plain, ...colAligns });
  for (const row of rows) table.push([...row]);
  const text = table.toString();
  return columns === undefined || widthOf(text) <= columns
    ? text
    : rows.map((row) => nonEmpty(row, head).join(', ')).join('\n');
};

const after = (row: InterruptionRow, ms: number | undefined): string =>
  ms === undefined ? pc.red('never') : `+${((ms - row.warnedAtMs) / 1_000).toFixed(1)}`;

const interruptionTable = (rows: readonly InterruptionRow[], columns: Columns): string =>
  tableText(
    {
      head: ['instance', 'zone', 'warned', 'replacement', 'requested', 'serving', 'drain begun', 'drained', 'gone'],
      rows: rows.map((row) => [
        row.instance,
        row.zone,
        clockText(row.warnedAtMs),
        row.replacement ?? pc.red('none'),
        after(row, row.replacementRequestedAtMs),
        after(row, row.replacementServingAtMs),
        after(row, row.drainStartedAtMs),
        after(row, row.drainedAtMs),
        after(row, row.goneAtMs),
      ]),
    },
    columns,
  );

const mostRows = 20;

const interruptionSection = ({ interruptions }: Report, columns: Columns): readonly string[] => {
  if (interruptions.length === 0) return [];
  const shown = interruptions.slice(0, mostRows);
  const rest = interruptions.length - shown.length;
  return [
    '',
    `${pc.bold('Interruptions')} (seconds after the warning)`,
    interruptionTable(shown, columns),
    ...(rest > 0 ? [`and ${rest} more: see --report`] : []),
    ...shown.flatMap(({ instance, shortfall }) =>
      shortfall === undefined ? [] : [`${instance}: ${shortfallText(shortfall)}`],
    ),
  ];
};

const observedTable = (rows: readonly ObservedRow[], columns: Columns): string =>
  tableText(
    {
      head: ['at', 'group', 'leaves', 'would launch', 'for', 'would remove', 'came by itself'],
      rows: rows.map(({ group, atMs, leaves, launches, removals, adds, came }) => {
        const instead =
          came === undefined ? 'nothing yet' : `${came.count} in ${durationText(came.afterMs)}: ${costText(came.cost)}`;
        const row = [
          clockText(atMs),
          group,
          leaves.join('\n'),
          launches.join('\n'),
          costText(adds),
          removals.join('\n'),
        ];
        return [...row, launches.length === 0 ? '' : instead];
      }),
    },
    columns,
  );

const observedSection = ({ observed }: Report, columns: Columns): readonly string[] =>
  observed.length === 0 ? [] : ['', `${pc.bold('Observed, and not carried out')}`, observedTable(observed, columns)];

const adviceSection = ({ advice }: Report, columns: Columns): readonly string[] => {
  if (advice.length === 0) return [];
  const head = ['group', 'advised', 'replaced for it', 'interrupted', 'interruptions avoided', 'replaced for nothing'];
  const rows = advice.map(({ group, advised, replaced, interrupted, avoided }) => [
    group,
    advised,
    replaced,
    interrupted,
    avoided,
    replaced - avoided,
  ]);
  return ['', `${pc.bold('Advice to rebalance')}`, tableText({ head, rows }, columns)];
};

const groupTable = ({ groups }: Report, columns: Columns): string =>
  tableText(
    {
      head: ['group', 'desired', 'serving', 'lowest', 'full size, % of time', 'by pool'],
      rows: groups.map(({ group, desired, serving, lowestServing, availabilityPercent, byPool }) => {
        const pools = Object.entries(byPool).map(([pool, count]) => `${pool} ${count}`);
        return [group, desired, serving, lowestServing, availabilityPercent.toFixed(2), pools.join(', ')];
      }),
    },
    columns,
  );

const callTable = ({ calls }: Report, columns: Columns): string => {
  const rows = Object.entries(calls).sort(([, a], [, b]) => b - a);
  return tableText({ head: ['call', 'count'], rows, alignedRight: true }, columns);
};

const invariantLines = ({ invariants }: Report): readonly string[] =>
  invariants.map(
    ({ name, ok, detail }) =>
      `${ok ? pc.green('ok  ') : pc.red('FAIL')} ${name}${detail === '' ? '' : pc.dim(` (${detail})`)}`,
  );

/** The report for a terminal of this width, or for a file. */
export const reportText = (report: Report, columns?: number): string => {
  const { requests, costUsd, onDemandCostUsd, mutatingCalls, endedAtMs, startedAtMs } = report;
  const speed = report.reachedSpeed === undefined ? '' : `, at ${report.reachedSpeed} times real time`;
  const lasted = `${durationText(endedAtMs - startedAtMs)} of world time${speed}`;
  const share = onDemandCostUsd > 0 ? `, ${((100 * costUsd) / onDemandCostUsd).toFixed(1)} % of on-demand` : '';
  return [
    '',
    `${pc.bold(`Report: ${report.scenario}`)} (${report.mode}, seed ${report.seed}, ${lasted})`,
    groupTable(report, columns),
    ...interruptionSection(report, columns),
    ...observedSection(report, columns),
    ...adviceSection(report, columns),
    '',
    `Requests: ${requests.served} served, ${requests.dropped} dropped.  Instances cost $${costUsd.toFixed(4)}${share}.`,
    '',
    `${pc.bold('AWS calls')} (${mutatingCalls} of them change something)`,
    callTable(report, columns),
    '',
    ...invariantLines(report),
    '',
    ...report.notes,
    report.ok ? pc.green(pc.bold('Every invariant holds.')) : pc.red(pc.bold('An invariant is broken.')),
  ].join('\n');
};
