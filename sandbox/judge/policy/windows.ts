import type { ReturnRule } from './policy.ts';
import { shownAt } from './scheduled.ts';

const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const pattern = /^(?:([a-z,-]+) )?(\d\d):(\d\d)-(\d\d):(\d\d)$/;

/** Whether a list of days, such as `sat,mon-wed`, names a day. A range such as `fri-mon` goes over the weekend. */
const namesDay = (list: string, day: number): boolean =>
  list.split(',').some((part) => {
    const [from = 0, to = from] = part.split('-').map((name) => days.indexOf(name));
    return from <= to ? day >= from && day <= to : day >= from || day <= to;
  });

/** Whether a window is open on a day at a minute of it. One over midnight belongs to the day on which it begins. */
const holds = (window: string, day: number, minute: number): boolean => {
  const [, list = 'sun-sat', ...numbers] = pattern.exec(window) ?? [];
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = numbers.map(Number);
  const [from, to] = [60 * fromHour + fromMinute, 60 * toHour + toMinute];
  if (from < to) return namesDay(list, day) && minute >= from && minute < to;
  return (namesDay(list, day) && minute >= from) || (namesDay(list, (day + 6) % 7) && minute < to);
};

/** Whether a policy lets members move at a moment, as a clock in its time zone shows it. Without windows, they may at any time. */
const isOpenAt = ({ windows, timezone }: ReturnRule, atMs: number): boolean => {
  if (windows.length === 0) return true;
  const [minute = 0, hour = 0, , , weekday = 0] = shownAt(atMs, timezone);
  return windows.some((window) => holds(window, weekday, 60 * hour + minute));
};

const minuteMs = 60_000;

/** One moment of each minute between two, and the last one. A clock shows nothing else in between. */
const minutesIn = (fromMs: number, untilMs: number): readonly number[] => [
  ...Array.from({ length: Math.floor(Math.max(0, untilMs - fromMs) / minuteMs) + 1 }, (_, index) => fromMs + index * minuteMs),
  untilMs,
];

/** Whether a policy lets members move at some time between two moments. */
export const isEverOpen = (rule: ReturnRule, fromMs: number, untilMs: number): boolean =>
  minutesIn(fromMs, untilMs).some((atMs) => isOpenAt(rule, atMs));

/** Whether a policy lets members move at all times between two moments. */
export const isAlwaysOpen = (rule: ReturnRule, fromMs: number, untilMs: number): boolean =>
  minutesIn(fromMs, untilMs).every((atMs) => isOpenAt(rule, atMs));

/** When windows of a policy open between two moments, to the minute. */
export const openingsIn = (rule: ReturnRule, fromMs: number, untilMs: number): readonly number[] => {
  if (rule.windows.length === 0) return [];
  const first = Math.ceil(fromMs / minuteMs) * minuteMs;
  return minutesIn(first, untilMs).filter((atMs) => isOpenAt(rule, atMs) && !isOpenAt(rule, atMs - minuteMs));
};
