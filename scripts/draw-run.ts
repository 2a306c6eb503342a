import { readFile, writeFile } from 'node:fs/promises';
import type { InterruptionRow, Report } from '../sandbox/scenario/report.ts';
import { commandLine, helpOfCommand, OptionError, refuse } from './command-line.ts';

/** Draws the report of a played scenario: how many served over time, and what happened to every interrupted instance. */

const width = 960;
const left = 190;
const right = 24;
const rowHeight = 26;
const chart = { top: 66, height: 110 };
const colours = {
  serving: '#1f6f5c',
  desired: '#888888',
  coming: '#d99a2b',
  draining: '#3d6fb6',
  waiting: '#d8d8d8',
  gone: '#b3372e',
  text: '#222222',
  faint: '#777777',
};

type Scale = (ms: number) => number;
type Drawn = { readonly report: Report; readonly x: Scale; readonly fromMs: number; readonly toMs: number };

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const round = (value: number): string => String(Math.round(value * 10) / 10);

const text = (x: number, y: number, content: string, { anchor = 'start', fill = colours.text, size = 12, weight = 'normal' } = {}): string =>
  `<text x="${round(x)}" y="${round(y)}" fill="${fill}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}">${escaped(content)}</text>`;
const line = (x1: number, y1: number, x2: number, y2: number, stroke: string, more = ''): string =>
  `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${stroke}" ${more}/>`;
const bar = (from: number, to: number, y: number, fill: string, height = 10): string =>
  `<rect x="${round(from)}" y="${round(y)}" width="${round(Math.max(1, to - from))}" height="${height}" fill="${fill}" rx="2"/>`;

const axis = ({ x, fromMs, toMs, report }: Drawn, zeroMs: number): readonly string[] => {
  const bottom = chart.top + chart.height + 48 + report.interruptions.length * rowHeight;
  const first = Math.ceil((fromMs - zeroMs) / 20_000) * 20;
  const ticks = Array.from({ length: Math.floor((toMs - zeroMs) / 20_000) - first / 20 + 1 }, (_, index) => first + index * 20);
  return ticks.flatMap((seconds) => {
    const at = x(zeroMs + seconds * 1_000);
    return [
      line(at, chart.top, at, bottom, '#eeeeee'),
      text(at, bottom + 16, seconds === 0 ? 'first warning' : `${seconds > 0 ? '+' : ''}${seconds} s`, {
        anchor: 'middle',
        fill: colours.faint,
        size: 11,
      }),
    ];
  });
};

const capacityChart = ({ report, x, fromMs, toMs }: Drawn): readonly string[] =>
  report.groups.slice(0, 1).flatMap(({ group, desired, servingOverTime }) => {
    const most = Math.max(desired, ...servingOverTime.map(({ serving }) => serving)) + 2;
    const y = (count: number): number => chart.top + chart.height * (1 - count / most);
    const before = servingOverTime.findLast(({ atMs }) => atMs <= fromMs)?.serving ?? desired;
    const steps = servingOverTime.filter(({ atMs }) => atMs > fromMs && atMs <= toMs);
    const path = steps.map(({ atMs, serving }) => `H${round(x(atMs))}V${round(y(serving))}`).join('');
    return [
      line(x(fromMs), y(0), x(toMs), y(0), '#cccccc'),
      line(x(fromMs), y(desired), x(toMs), y(desired), colours.desired, 'stroke-dasharray="4 4"'),
      `<path d="M${round(x(fromMs))} ${round(y(before))}${path}H${round(x(toMs))}" fill="none" stroke="${colours.serving}" stroke-width="2.5"/>`,
      text(16, y(desired) + 4, `${group}: desired ${desired}`, { fill: colours.faint }),
      text(16, y(0) + 4, '0 serving', { fill: colours.faint }),
      text(16, chart.top + 8, 'members that serve', { fill: colours.serving, weight: 'bold' }),
    ];
  });

const markers = (row: InterruptionRow, x: Scale, y: number): readonly string[] => {
  const {
    warnedAtMs,
    replacementRequestedAtMs: requested,
    replacementServingAtMs: serving,
    drainStartedAtMs: begun,
    drainedAtMs: drained,
    goneAtMs,
  } = row;
  return [
    ...(goneAtMs === undefined ? [] : [bar(x(warnedAtMs), x(goneAtMs), y - 3, colours.waiting, 4)]),
    ...(requested === undefined ? [] : [bar(x(requested), x(serving ?? goneAtMs ?? requested), y - 9, colours.coming, 7)]),
    ...(begun === undefined ? [] : [bar(x(begun), x(drained ?? goneAtMs ?? begun), y + 1, colours.draining, 7)]),
    line(x(warnedAtMs), y - 10, x(warnedAtMs), y + 9, colours.text, 'stroke-width="1.5"'),
    ...(goneAtMs === undefined ? [] : [line(x(goneAtMs), y - 10, x(goneAtMs), y + 9, colours.gone, 'stroke-width="2.5"')]),
  ];
};

const rows = ({ report, x }: Drawn): readonly string[] =>
  report.interruptions.flatMap((row, index) => {
    const y = chart.top + chart.height + 44 + index * rowHeight;
    return [
      text(16, y + 4, row.instance, { size: 11 }),
      text(left - 12, y + 4, row.zone.slice(-2), { anchor: 'end', fill: colours.faint, size: 11 }),
      ...markers(row, x, y),
    ];
  });

const legend = (y: number): readonly string[] => {
  const entries: readonly (readonly [string, string])[] = [
    [colours.text, 'warned'],
    [colours.coming, 'replacement: requested to serving'],
    [colours.draining, 'drain: begun to drained'],
    [colours.gone, 'gone'],
  ];
  return entries.flatMap(([colour, label], index) => {
    const at = left + ([0, 90, 330, 520][index] ?? 0);
    return [bar(at, at + 12, y - 9, colour), text(at + 18, y, label, { size: 11 })];
  });
};

const draw = (report: Report): string => {
  const zeroMs = Math.min(...report.interruptions.map(({ warnedAtMs }) => warnedAtMs));
  const lastMs = Math.max(...report.interruptions.map(({ goneAtMs, warnedAtMs }) => goneAtMs ?? warnedAtMs));
  const fromMs = zeroMs - 10_000;
  const toMs = lastMs + 10_000;
  const x: Scale = (ms) => left + ((ms - fromMs) / (toMs - fromMs)) * (width - left - right);
  const drawn = { report, x, fromMs, toMs };
  const legendY = chart.top + chart.height + 92 + report.interruptions.length * rowHeight;
  const { served, dropped } = report.requests;
  const title = `${report.scenario}: ${report.interruptions.length} instances taken, ${served} requests served, ${dropped} dropped`;
  const lowest = report.groups.map(({ group, lowestServing, desired }) => `${group} never below ${lowestServing} of ${desired}`).join(', ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${legendY + 16}" font-family="system-ui, sans-serif" role="img" aria-label="${escaped(title)}">`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    text(16, 26, title, { size: 15, weight: 'bold' }),
    text(16, 46, `${lowest}; seed ${report.seed}, ${report.mode}`, { fill: colours.faint }),
    ...axis(drawn, zeroMs),
    ...capacityChart(drawn),
    ...rows(drawn),
    ...legend(legendY),
    '</svg>',
    '',
  ].join('\n');
};

const command = {
  name: 'node scripts/draw-run.ts',
  does: 'Draws the report of a played scenario as an SVG file.',
  examples: ['run.json run.svg'],
  positionals: 'REPORT SVG',
  options: {},
} as const;

const isReport = (value: unknown): value is Report =>
  typeof value === 'object' && value !== null && 'scenario' in value && 'groups' in value && 'interruptions' in value && 'requests' in value;

const parsed = (path: string, json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new OptionError(`${path} is no JSON: ${(error as Error).message}`);
  }
};

/** The report in a file. @throws OptionError where there is none, or nothing to draw */
const reportIn = async (path: string): Promise<Report> => {
  const json = await readFile(path, 'utf8').catch((error: Error) => {
    throw new OptionError(`${path} cannot be read: ${error.message}`);
  });
  const report = parsed(path, json);
  if (!isReport(report)) throw new OptionError(`${path} is no report of a scenario. holdfast sandbox --report FILE writes one.`);
  if (report.interruptions.length === 0) throw new OptionError(`Nothing was interrupted in ${report.scenario}: there is nothing to draw.`);
  return report;
};

const [from, to] = commandLine(command, ({ positionals }) => {
  if (positionals.length !== 2) throw new OptionError(`Give a report and the file to draw.\n\n${helpOfCommand(command)}`);
  return positionals;
}) as [string, string];
try {
  const drawn = draw(await reportIn(from));
  await writeFile(to, drawn).catch((error: Error) => {
    throw new OptionError(`${to} cannot be written: ${error.message}`);
  });
} catch (error) {
  refuse(error);
}
