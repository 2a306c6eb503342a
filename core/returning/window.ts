/** Days of the week as people write them, Sunday first as in JavaScript's dates. */
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
type Day = (typeof dayNames)[number];

/**
 * A time of the day in which members may move. A window such as 22:00-06:00 ends on the next day, and belongs to the
 * day on which it begins.
 */
export type Window = {
  /** Numbers of days, 0 is Sunday. */
  readonly days: readonly number[];
  /** Minutes since midnight. */
  readonly fromMinute: number;
  /** Minutes since midnight, 1440 for the end of the day. */
  readonly untilMinute: number;
};

const day = `(?:${dayNames.join('|')})`;
const dayRange = `${day}(?:-${day})?`;
const time = '(?:[01]\\d|2[0-3]):[0-5]\\d';

/** `22:00-06:00`, `mon-fri 22:00-06:00`, `sat,sun 00:00-24:00`. */
const windowPattern = new RegExp(`^(?:(${dayRange}(?:,${dayRange})*) )?(${time})-(${time}|24:00)$`);

const dayMinutes = 1_440;

const minuteOf = (text: string): number => {
  const [hours, minutes] = text.split(':').map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
};

const numberOf = (name: string): number => dayNames.indexOf(name as Day);

/** `fri-mon` goes over the weekend. */
const daysIn = (range: string): readonly number[] => {
  const [first = '', last = first] = range.split('-');
  const count = ((numberOf(last) - numberOf(first) + 7) % 7) + 1;
  return Array.from({ length: count }, (_, index) => (numberOf(first) + index) % 7);
};

/** Reads a window. Undefined when the text is not one, or when it has no minute. */
export const parseWindow = (text: string): Window | undefined => {
  const [, days, from, until] = windowPattern.exec(text) ?? [];
  if (from === undefined || until === undefined || from === until) return undefined;
  const listed = days === undefined ? dayNames.map((_, index) => index) : days.split(',').flatMap(daysIn);
  return {
    days: [...new Set(listed)].sort((a, b) => a - b),
    fromMinute: minuteOf(from),
    untilMinute: minuteOf(until),
  };
};

/** Whether this runtime has a time zone of this name (IANA). */
export const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

type LocalTime = { readonly day: number; readonly minute: number };

const localTime = (atMs: number, timeZone: string): LocalTime => {
  const options = { timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const parts = new Intl.DateTimeFormat('en-US', options).formatToParts(atMs);
  const partOf = (type: 'weekday' | 'hour' | 'minute'): string => parts.find((part) => part.type === type)?.value ?? '';
  return {
    day: numberOf(partOf('weekday').toLowerCase()),
    minute: Number(partOf('hour')) * 60 + Number(partOf('minute')),
  };
};

const holds = ({ days, fromMinute, untilMinute }: Window, now: LocalTime): boolean => {
  const isToday = days.includes(now.day);
  if (fromMinute < untilMinute) return isToday && now.minute >= fromMinute && now.minute < untilMinute;
  const wasYesterday = days.includes((now.day + 6) % 7);
  return (isToday && now.minute >= fromMinute) || (wasYesterday && now.minute < untilMinute % dayMinutes);
};

/** Whether members may move at this time. Without windows they may at any time. */
export const isWindowOpen = (windows: readonly Window[] | undefined, timeZone: string, atMs: number): boolean => {
  if (windows === undefined) return true;
  const now = localTime(atMs, timeZone);
  return windows.some((window) => holds(window, now));
};
