import type { Policy, ScheduledRow } from './policy.ts';

const minuteMs = 60_000;
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Minute, hour, day, month and day of the week as a clock in a time zone shows them: the order of cron's fields. */
export const shownAt = (atMs: number, timeZone: string): readonly number[] => {
  const form = { timeZone, minute: 'numeric', hour: 'numeric', day: 'numeric', month: 'numeric', weekday: 'short', hourCycle: 'h23' } as const;
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('en-US', form);
  clocks.set(timeZone, clock);
  const parts = new Map(clock.formatToParts(atMs).map(({ type, value }) => [type as string, value]));
  return [...['minute', 'hour', 'day', 'month'].map((type) => Number(parts.get(type))), weekdays.indexOf(parts.get('weekday') ?? '')];
};

const numbered = (text: string): string =>
  [...months.map((name, index) => [name, index + 1] as const), ...weekdays.map((name, index) => [name.toLowerCase(), index] as const)].reduce(
    (rest, [name, number]) => rest.replaceAll(name, String(number)),
    text.toLowerCase(),
  );

/** Whether one field of cron has a number. `*` counts its steps from the first that the field can have. */
const has = (field: string, value: number, first: number): boolean =>
  field.split(',').some((part) => {
    const [range = '', step = '1'] = part.split('/');
    const [from = 0, to = from] = range === '*' ? [first, value] : range.split('-').map(Number);
    return value >= from && value <= to && (value - from) % Number(step) === 0;
  });

/** Whether a row of a schedule names the minute in which a moment lies. Clocks do not change in the worlds that are judged. */
const names = ({ at, timezone }: ScheduledRow, atMs: number): boolean => {
  const fields = numbered(at).trim().split(/\s+/);
  const shown = shownAt(atMs, timezone);
  const [minute, hour, day, month, weekday] = fields.map((field, index) => {
    const value = shown[index] ?? 0;
    return has(field, value, index === 2 || index === 3 ? 1 : 0) || (index === 4 && value === 0 && has(field, 7, 0));
  });
  const isDay = fields[2] === '*' || fields[4] === '*' ? day && weekday : day || weekday;
  return Boolean(minute && hour && month && isDay);
};

/** A size that a schedule sets, and when. */
export type DueSize = { readonly atMs: number; readonly size: number };

/** What a policy's schedule sets after one moment and until another, in order. Of several at one time, the last in its list. */
export const dueIn = ({ schedule, size: { min, max } }: Policy, afterMs: number, untilMs: number): readonly DueSize[] => {
  if (schedule.length === 0) return [];
  const first = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  const minutes = Array.from({ length: Math.max(0, Math.floor((untilMs - first) / minuteMs) + 1) }, (_, index) => first + index * minuteMs);
  return minutes.flatMap((atMs) => {
    const row = schedule.findLast((one) => names(one, atMs));
    return row === undefined ? [] : [{ atMs, size: Math.min(max, Math.max(min, row.size)) }];
  });
};
