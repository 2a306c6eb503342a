import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pMap from 'p-map';
import { assemble } from '../assembly/assemble.ts';
import { hasTraceFile } from '../sandbox/scenario/trace-file.ts';
import { OptionError } from '../scripts/command-line.ts';
import { playTrace, type TraceFigures } from './traces.ts';
import type { TracesOptions } from './traces-options.ts';
import { type PlayedRow, traceFiles } from './traces-rows.ts';

type Part = Pick<TracesOptions, 'days' | 'folder'>;

/** One row in a process of its own: nothing of one play can weigh on the next, and several run at once. */
const playApart = async (row: PlayedRow, part: Part): Promise<TraceFigures> => {
  const flags = ['--max-semi-space-size=64', '--single-threaded-gc', '--disable-warning=ExperimentalWarning'];
  const task = JSON.stringify({ row, part });
  const child = join(import.meta.dirname, 'traces-worker.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, child, task], { maxBuffer: 10_000_000 });
  return JSON.parse(stdout);
};

/** Rows whose trace exists. The others are reported. @throws OptionError if no row is left */
const withTraces = (rows: readonly PlayedRow[], folder: string | undefined, tell: (text: string) => void): readonly PlayedRow[] => {
  const isThere = ({ trace }: PlayedRow): boolean => hasTraceFile(traceFiles[trace].file, folder);
  const missing = new Set(rows.filter((row) => !isThere(row)).map(({ trace }) => `${trace} (${traceFiles[trace].file})`));
  const list = [...missing].join(', ');
  if (rows.every((row) => !isThere(row))) throw new OptionError(`No trace of these rows is there: ${list}. See --traces in --help.`);
  if (missing.size > 0) tell(`Left out, because the trace is not there: ${list}.`);
  return rows.filter(isThere);
};

/** Plays rows, and returns their figures in the order of the rows. */
export const playRows = async ({ rows, jobs, ...part }: TracesOptions, tell: (text: string) => void): Promise<readonly TraceFigures[]> => {
  const there = withTraces(rows, part.folder, tell);
  if (there.length === 1) return Promise.all(there.map((row) => playTrace(row, part)));
  await assemble();
  return pMap(
    there,
    async (row) => {
      const figures = await playApart(row, part);
      tell(JSON.stringify(figures));
      return figures;
    },
    { concurrency: jobs },
  );
};
