import { isMap, type Json, mapsOf, numberOf, textOf } from '../read-json.ts';
import type { Stored } from './stored-items.ts';

/** What a command of the command line printed about a group, or about an instance. `error`: it failed instead. */
export type Shown = { readonly command: 'status' | 'decisions' | 'explain'; readonly about: string; readonly text: string; readonly error?: string };

/** What commands printed at one moment, and what was stored then. */
export type Showing = { readonly atMs: number; readonly stored: Pick<Stored, 'swaps' | 'decisions'>; readonly shown: readonly Shown[] };

/** A time as commands print it. */
export const shownTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** The time at the beginning of a line. */
export const timeIn = (line: string): number => {
  const [, day, time] = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/.exec(line) ?? [];
  return Date.parse(`${day}T${time}Z`);
};

/** The newest swap of an instance, as it was stored. */
export const swapIn = ({ stored }: Showing, instance: string): Json | undefined =>
  mapsOf(stored.swaps)
    .filter((swap) => swap.instance === instance)
    .toSorted((a, b) => numberOf(b.claimedAtMs) - numberOf(a.claimedAtMs))[0];

/** Decisions about a group, newest first. */
export const decisionsIn = ({ stored }: Showing, group: string): readonly Json[] =>
  mapsOf(stored.decisions)
    .filter((one) => one.group === group)
    .toSorted((a, b) => (textOf(a.id) < textOf(b.id) ? 1 : -1));

export const launchesIn = ({ outcome }: Json): readonly Json[] => (isMap(outcome) ? mapsOf(outcome.launches) : []);
