import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as times from '../core/times/times.ts';

const root = join(import.meta.dirname, '..');
const [begins, ends] = ['<!-- times: written by npm run times -->', '<!-- /times -->'];

const units = [
  [86_400_000, 'days'],
  [3_600_000, 'hours'],
  [60_000, 'minutes'],
  [1_000, 's'],
] as const;

/** In the largest unit of which it is more than one and a whole number. */
const durationText = (ms: number): string => {
  const [size, unit] = units.find(([unitMs]) => ms % unitMs === 0 && ms > unitMs) ?? [1_000, 's'];
  return `${ms / size} ${unit}`;
};

/** The comment of each constant of core/times/times.ts, in their order: its first block of text, in one line. */
const meanings = (source: string): readonly (readonly [name: string, meaning: string])[] =>
  [...source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const (\w+)Ms = /g)].map(([, comment = '', name = '']) => [
    name,
    comment.replaceAll(/\s*\n?\s*\* ?/g, ' ').trim(),
  ]);

/** Every time of core/times/times.ts as a row: its name, how long it is, what it means. */
export const timesTable = (): string => {
  const lengths: Readonly<Record<string, number>> = times;
  const rows = meanings(readFileSync(join(root, 'core', 'times', 'times.ts'), 'utf8')).map(
    ([name, meaning]) => `| \`${name}Ms\` | ${durationText(lengths[`${name}Ms`] ?? Number.NaN)} | ${meaning} |`,
  );
  return ['| time | length | meaning |', '|---|---|---|', ...rows].join('\n');
};

/** A document with the table between its marks. */
export const withTimes = (document: string): string => {
  const [from, to] = [document.indexOf(begins), document.indexOf(ends)];
  if (from < 0 || to < from) throw new Error(`Expected "${begins}" and after it "${ends}" in the document, found none or one of them.`);
  return `${document.slice(0, from + begins.length)}\n\n${timesTable()}\n\n${document.slice(to)}`;
};
