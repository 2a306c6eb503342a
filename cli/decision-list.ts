import type { DecisionRecord } from '../core/decision/decision-record.ts';
import { decisionText, endedLine } from './decision-text.ts';
import { timeText } from './time.ts';

const times = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g;

/** Lines that show the moment. They do not make a decision different from another one. */
const passing = ['  prices: ', endedLine];

/** The text of a decision without its id, times, age of prices and ended members. Equal texts are one repeat. */
const saidIn = (record: DecisionRecord): string =>
  decisionText(record)
    .split('\n')
    .slice(1)
    .filter((line) => !passing.some((start) => line.startsWith(start)))
    .join('\n')
    .replaceAll(times, '');

const timesText = (count: number): string => (count === 1 ? 'once' : `${count} times`);

const foldedText = ([newest, ...older]: readonly [DecisionRecord, ...DecisionRecord[]]): string => {
  const oldest = older.at(-1);
  if (oldest === undefined) return decisionText(newest);
  return `${decisionText(newest)}\n  the same ${timesText(older.length)} before, since ${timeText(oldest.atMs)}`;
};

/**
 * Decisions as text, newest first. Equal ones in a row are shown once, with their count, because a lasting shortage
 * leads to the same decision each minute.
 */
export const decisionTexts = (newestFirst: readonly DecisionRecord[]): readonly string[] => {
  const runs: [DecisionRecord, ...DecisionRecord[]][] = [];
  for (const record of newestFirst) {
    const run = runs.at(-1);
    if (run !== undefined && saidIn(run[0]) === saidIn(record)) run.push(record);
    else runs.push([record]);
  }
  return runs.map(foldedText);
};
