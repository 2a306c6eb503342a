import { dayNumber } from './calendar.ts';

/** A moment as a clock on the wall shows it, to the minute, and written as if that clock were UTC. */
export type WallMs = number;

export const minuteMs = 60_000;
export const dayMs = 86_400_000;

/** One formatter for each time zone, because creating one takes longer than all of its use. */
const formatters = new Map<string, Intl.DateTimeFormat>();

const shown = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  hourCycle: 'h23',
} as const;

const formatterOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', { ...shown, timeZone });
  formatters.set(timeZone, made);
  return made;
};

/** What a clock in a time zone shows at a moment. */
export const wallAt = (atMs: number, timeZone: string): WallMs => {
  const parts = formatterOf(timeZone).formatToParts(atMs);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = (
    ['year', 'month', 'day', 'hour', 'minute'] as const
  ).map((type) => Number(parts.find((part) => part.type === type)?.value));
  return dayNumber(year, month, day) * dayMs + (hour * 60 + minute) * minuteMs;
};

/**
 * The moment at which a clock shows a time. If it shows the time twice, the first moment. If clocks go forward over the
 * time, the moment of the change.
 */
export const momentOf = (wall: WallMs, timeZone: string): number => {
  const [before, after] = [wall - dayMs, wall + dayMs].map((near) => near - wallAt(near, timeZone)) as [number, number];
  const candidates = [wall + before, wall + after].sort((a, b) => a - b);
  const shown = candidates.find((atMs) => wallAt(atMs, timeZone) === wall);
  return shown ?? endOfGap(wall, candidates, timeZone);
};

/** The moment at which clocks go forward over a time: the first one between the two at which they show a later time. */
const endOfGap = (wall: WallMs, [first = wall, last = first]: readonly number[], timeZone: string): number => {
  for (let atMs = first; atMs < last; atMs += minuteMs) if (wallAt(atMs, timeZone) > wall) return atMs;
  return last;
};
