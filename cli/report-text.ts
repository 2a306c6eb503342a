import Table from 'cli-table3';
import pc from 'picocolors';
import { shortfallText } from '../core/drain/shortfall-text.ts';
import type { InterruptionRow, ObservedRow, Report } from '../sandbox/door.ts';
import { costText } from './reason-text.ts';
import { clockText, durationText } from './time.ts';

const plain = { head: [], border: [] };

const after = (row: InterruptionRow, ms: number | undefined): string =>
  ms === undefined ? pc.red('never') : `+${((ms - row.warnedAtMs) / 1_000).toFixed(1)}`;

const interruptionTable = (rows: readonly InterruptionRow[]): string => {
  const table = new Table({
    head: ['instance', 'zone', 'warned', 'replacement', 'requested', 'serving', 'drain begun', 'drained', 'gone'],
    style: plain,
  });
  for (const row of rows) {
    table.push([
      row.instance,
      row.zone,
      clockText(row.warnedAtMs),
      row.replacement ?? pc.red('none'),
      after(row, row.replacementRequestedAtMs),
      after(row, row.replacementServingAtMs),
      after(row, row.drainStartedAtMs),
      after(row, row.drainedAtMs),
      after(row, row.goneAtMs),
    ]);
  }
  return table.toString();
};

const mostRows = 20;

const interruptionSection = ({ interruptions }: Report): readonly string[] => {
  if (interruptions.length === 0) return [];
  const shown = interruptions.slice(0, mostRows);
  const rest = interruptions.length - shown.length;
  return [
    '',
    `${pc.bold('Interruptions')} (seconds after the warning)`,
    interruptionTable(shown),
    ...(rest > 0 ? [`and ${rest} more: see --report`] : []),
    ...shown.flatMap(({ instance, shortfall }) =>
      shortfall === undefined ? [] : [`${instance}: ${shortfallText(shortfall)}`],
    ),
  ];
};

const observedTable = (rows: readonly ObservedRow[]): string => {
  const head = ['at', 'group', 'leaves', 'would launch', 'for', 'would remove', 'came by itself'];
  const table = new Table({ head, style: plain });
  for (const { group, atMs, leaves, launches, removals, adds, came } of rows) {
    const instead =
      came === undefined ? 'nothing yet' : `${came.count} in ${durationText(came.afterMs)}: ${costText(came.cost)}`;
    const row = [clockText(atMs), group, leaves.join('\n'), launches.join('\n'), costText(adds), removals.join('\n')];
    table.push([...row, launches.length === 0 ? '' : instead]);
  }
  return table.toString();
};

const observedSection = ({ observed }: Report): readonly string[] =>
  observed.length === 0 ? [] : ['', `${pc.bold('Observed, and not carried out')}`, observedTable(observed)];

const adviceSection = ({ advice }: Report): readonly string[] => {
  if (advice.length === 0) return [];
  const head = ['group', 'advised', 'replaced for it', 'interrupted', 'interruptions avoided', 'replaced for nothing'];
  const table = new Table({ head, style: plain });
  for (const { group, advised, replaced, interrupted, avoided } of advice)
    table.push([group, advised, replaced, interrupted, avoided, replaced - avoided]);
  return ['', `${pc.bold('Advice to rebalance')}`, table.toString()];
};

const groupTable = ({ groups }: Report): string => {
  const table = new Table({
    head: ['group', 'desired', 'serving', 'lowest', 'full size, % of time', 'by pool'],
    style: plain,
  });
  for (const { group, desired, serving, lowestServing, availabilityPercent, byPool } of groups) {
    const pools = Object.entries(byPool).map(([pool, count]) => `${pool} ${count}`);
    table.push([group, desired, serving, lowestServing, availabilityPercent.toFixed(2), pools.join(', ')]);
  }
  return table.toString();
};

const callTable = ({ calls }: Report): string => {
  const table = new Table({ head: ['call', 'count'], style: plain, colAligns: ['left', 'right'] });
  for (const [call, count] of Object.entries(calls).sort(([, a], [, b]) => b - a)) table.push([call, count]);
  return table.toString();
};

const invariantLines = ({ invariants }: Report): readonly string[] =>
  invariants.map(
    ({ name, ok, detail }) =>
      `${ok ? pc.green('ok  ') : pc.red('FAIL')} ${name}${detail === '' ? '' : pc.dim(` (${detail})`)}`,
  );

/** The report for a terminal. */
export const reportText = (report: Report): string => {
  const { requests, costUsd, onDemandCostUsd, mutatingCalls, endedAtMs, startedAtMs } = report;
  const worldTime = durationText(endedAtMs - startedAtMs);
  const share = onDemandCostUsd > 0 ? `, ${((100 * costUsd) / onDemandCostUsd).toFixed(1)} % of on-demand` : '';
  return [
    '',
    `${pc.bold(`Report: ${report.scenario}`)} (${report.mode}, seed ${report.seed}, ${worldTime} of world time)`,
    groupTable(report),
    ...interruptionSection(report),
    ...observedSection(report),
    ...adviceSection(report),
    '',
    `Requests: ${requests.served} served, ${requests.dropped} dropped.  Instances cost $${costUsd.toFixed(4)}${share}.`,
    '',
    `${pc.bold('AWS calls')} (${mutatingCalls} of them change something)`,
    callTable(report),
    '',
    ...invariantLines(report),
    '',
    ...report.notes,
    report.ok ? pc.green(pc.bold('Every invariant holds.')) : pc.red(pc.bold('An invariant is broken.')),
  ].join('\n');
};
