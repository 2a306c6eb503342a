import type { Chronicle, Written } from '../../chronicle.ts';
import { lookedSince } from '../../members/staying.ts';
import type { Heard } from '../../told/sizes-of-alarms.ts';
import { isLostByRestore } from '../../world/restores.ts';

/** When the function looked that last acted for an alarm, and when it had written that: it acted in between. */
type Acted = { readonly sinceMs: number; readonly writtenMs: number };

/** When functions acted for each alarm, the latest last. */
export type AlarmsActed = { readonly acted: Map<string, readonly Acted[]> };

export const actedIn = (chronicle: Chronicle, { by, atMs }: Written): Acted => ({ sinceMs: lookedSince(chronicle, by, atMs), writtenMs: atMs });

export const noteActed = ({ acted }: AlarmsActed, alarms: readonly string[], one: Acted): void => {
  for (const alarm of alarms) acted.set(alarm, [...(acted.get(alarm) ?? []), one]);
};

/** Whether an alarm may act at a moment. A restored state item does not have the cooldowns that began after it was copied. */
export const isCool = (chronicle: Chronicle, { row, happenedAtMs, lasts }: Heard, { acted }: AlarmsActed, atMs: number): boolean => {
  const last = acted.get(row.alarm)?.findLast(({ writtenMs }) => !isLostByRestore(chronicle, writtenMs, atMs));
  if (last === undefined) return true;
  // What lasts is as old as the look that acts on it, so both ends are known no better than to a look.
  return happenedAtMs >= (lasts ? last.sinceMs : last.writtenMs) + row.cooldownMs - 2 * chronicle.times.clockMs;
};
