import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ScheduledSize } from '../../../core/group/group.ts';
import { dateOf, dayNumber } from '../../../core/schedule/calendar.ts';
import { parseCron } from '../../../core/schedule/cron.ts';
import { lastDue, lastTime } from '../../../core/schedule/due.ts';

const at = (text: string): number => Date.parse(text);

/** All times of a schedule in a span, the earliest first. */
const timesIn = (text: string, timeZone: string, from: string, until: string): readonly string[] => {
  const cron = parseCron(text);
  if (cron === undefined) throw new Error(`${text} is no schedule`);
  const found: string[] = [];
  let untilMs = at(until);
  for (;;) {
    const atMs = lastTime(cron, timeZone, at(from), untilMs);
    if (atMs === undefined) return found.toReversed();
    found.push(new Date(atMs).toISOString());
    untilMs = atMs - 1;
  }
};

describe('times of a schedule', () => {
  test('days of the week, in a time zone, over the change of clocks', () => {
    expect(timesIn('0 8 * * mon-fri', 'Europe/Berlin', '2026-10-22T00:00:00Z', '2026-10-27T12:00:00Z')).toEqual([
      '2026-10-22T06:00:00.000Z',
      '2026-10-23T06:00:00.000Z',
      '2026-10-26T07:00:00.000Z',
      '2026-10-27T07:00:00.000Z',
    ]);
  });

  test('a time that clocks leave out is the moment at which they go forward', () => {
    expect(timesIn('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z')).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  test('a time that comes twice is the first of the two', () => {
    expect(timesIn('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z')).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });

  test('a time that came before clocks went back is due although they show an earlier one now', () => {
    const cron = parseCron('50 2 * * *');
    if (cron === undefined) throw new Error('no schedule');
    const first = at('2026-10-25T00:50:00Z');
    expect(lastTime(cron, 'Europe/Berlin', first - 60_000, at('2026-10-25T01:10:00Z'))).toBe(first);
    expect(lastTime(cron, 'Europe/Berlin', first, at('2026-10-25T01:10:00Z'))).toBeUndefined();
  });

  test('a time shortly before midnight is found after it', () => {
    const cron = parseCron('30 23 * * *');
    if (cron === undefined) throw new Error('no schedule');
    expect(lastTime(cron, 'UTC', at('2026-11-22T23:00:00Z'), at('2026-11-23T01:00:00Z'))).toBe(at('2026-11-22T23:30:00Z'));
  });

  test('a list is read only where each of its parts can be read', () => {
    const unread = ['0,x 8 * * *', 'x,0 8 * * *', '50-10 8 * * *', '0-60 8 * * *', '0 8 * * 8', '0 24 * * *', '0 8 0 * *', '0 8 * * mon-x'];
    expect(unread.map(parseCron)).toEqual(unread.map(() => undefined));
    expect(parseCron('0,30 8-10 * * *')).toMatchObject({ minutes: [0, 30], hours: [8, 9, 10] });
  });

  test('a day of the month or a day of the week is enough where both are named', () => {
    expect(timesIn('0 8 1 * mon', 'UTC', '2026-11-24T00:00:00Z', '2026-12-08T00:00:00Z')).toEqual([
      '2026-11-30T08:00:00.000Z',
      '2026-12-01T08:00:00.000Z',
      '2026-12-07T08:00:00.000Z',
    ]);
  });

  test('a time is due at its very moment, and only once', () => {
    const daily = parseCron('0 8 * * *');
    if (daily === undefined) throw new Error('no schedule');
    const eight = at('2026-11-22T08:00:00Z');
    expect(lastTime(daily, 'UTC', eight - 1, eight)).toBe(eight);
    expect(lastTime(daily, 'UTC', eight, eight + 3_600_000)).toBeUndefined();
    expect(lastTime(daily, 'UTC', eight - 3_600_000, eight - 1)).toBeUndefined();
  });
});

type Shown = { readonly minute: number; readonly hour: number; readonly day: number; readonly month: number; readonly weekday: number };

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const formatters = new Map<string, Intl.DateTimeFormat>();

const formatterOf = (timeZone: string): Intl.DateTimeFormat => {
  const options = { timeZone, minute: 'numeric', hour: 'numeric', day: 'numeric', month: 'numeric', weekday: 'short', hourCycle: 'h23' } as const;
  const formatter = formatters.get(timeZone) ?? new Intl.DateTimeFormat('en-US', options);
  formatters.set(timeZone, formatter);
  return formatter;
};

/** What a clock shows, asked of the runtime's own dates and not of the code under test. */
const shownAt = (ms: number, timeZone: string): Shown => {
  const parts = new Map(
    formatterOf(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  );
  const numberOf = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  return {
    minute: numberOf('minute'),
    hour: numberOf('hour'),
    day: numberOf('day'),
    month: numberOf('month'),
    weekday: weekdays.indexOf(parts.get('weekday') ?? ''),
  };
};

/** One field of cron, read in another way: whether it has a number. */
const has = (text: string, value: number): boolean =>
  text.split(',').some((part) => {
    const [range = '', step = '1'] = part.split('/');
    const [first, last = first] = range === '*' ? [value % Number(step) === 0 ? value : -1] : range.split('-').map(Number);
    return value >= Number(first) && value <= Number(last) && (range === '*' || (value - Number(first)) % Number(step) === 0);
  });

const isDueAt = (text: string, { minute, hour, day, month, weekday }: Shown): boolean => {
  const [minutes = '', hours = '', days = '', months = '', onWeekdays = ''] = text.split(' ');
  const isDay = days === '*' || onWeekdays === '*' ? has(days, day) && has(onWeekdays, weekday) : has(days, day) || has(onWeekdays, weekday);
  return has(minutes, minute) && has(hours, hour) && has(months, month) && isDay;
};

describe('the same times as a search through every minute', () => {
  const numbers = (from: number, to: number) => fc.integer({ min: from, max: to }).map(String);
  const range = (from: number, to: number) =>
    fc.tuple(fc.integer({ min: from, max: to }), fc.integer({ min: from, max: to })).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  /** A step from `*` is compared with a remainder, so it begins at 0. */
  const field = (from: number, to: number) =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('*') },
      { weight: 2, arbitrary: numbers(from, to) },
      { weight: 1, arbitrary: range(from, to) },
      { weight: 1, arbitrary: from === 0 ? fc.integer({ min: 2, max: 5 }).map((by) => `*/${by}`) : fc.constant('*') },
      { weight: 1, arbitrary: fc.array(numbers(from, to), { minLength: 2, maxLength: 4 }).map((list) => list.join(',')) },
    );
  const texts = fc.tuple(numbers(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6)).map((fields) => fields.join(' '));
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Pacific/Auckland');
  const moments = fc.integer({ min: at('2025-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') });
  const days = 2;

  test('between changes of clocks', () => {
    fc.assert(
      fc.property(texts, zones, moments, (text, timeZone, nowMs) => {
        const hourOf = (daysAway: number): number => shownAt(nowMs + daysAway * 86_400_000, timeZone).hour;
        fc.pre(hourOf(-days - 1) === hourOf(1));
        const lastMinute = nowMs - (nowMs % 60_000);
        const minutes = Array.from({ length: days * 1_440 }, (_, index) => lastMinute - index * 60_000);
        const expected = minutes.find((ms) => isDueAt(text, shownAt(ms, timeZone)));
        const cron = parseCron(text);
        expect(cron && lastTime(cron, timeZone, lastMinute - days * 86_400_000, nowMs)).toBe(expected);
      }),
      { numRuns: 25 },
    );
  });
});

describe('days of the calendar', () => {
  test('are those of the runtime over four hundred years', () => {
    for (let day = -100_000; day < 100_000; day += 37) {
      const date = new Date(day * 86_400_000);
      const expected = { month: date.getUTCMonth() + 1, day: date.getUTCDate(), weekday: date.getUTCDay() };
      expect(dateOf(day)).toEqual(expected);
      expect(dayNumber(date.getUTCFullYear(), expected.month, expected.day)).toBe(day);
    }
  });
});

describe('the last days of February', () => {
  test('are the 29th in leap years, and the 28th in the other years, also of centuries', () => {
    const lastOf = (year: number) => dateOf(dayNumber(year, 3, 1) - 1);
    expect([1999, 2000, 2024, 2100, 2400].map((year) => lastOf(year).day)).toEqual([28, 29, 29, 28, 29]);
    expect(dateOf(dayNumber(2000, 2, 29))).toEqual({ month: 2, day: 29, weekday: 2 });
  });
});

describe('the day of a schedule', () => {
  const dueIn = (text: string): number | undefined => {
    const cron = parseCron(text);
    return cron && lastTime(cron, 'UTC', at('2026-11-01T00:00:00Z'), at('2026-11-21T12:00:00Z'));
  };
  // 21 November 2026 is a Saturday.
  test('is each day, a day of the month, a weekday, or either of two', () => {
    expect(['0 8 * * *', '0 8 19 * *', '0 8 * * fri', '0 8 19 * fri', '0 8 20 * mon'].map(dueIn)).toEqual(
      ['21', '19', '20', '20', '20'].map((day) => at(`2026-11-${day}T08:00:00Z`)),
    );
  });
  test('is in one of its months', () => {
    expect(['0 8 * nov *', '0 8 * 1-11/5 *', '0 8 * dec *'].map(dueIn)).toEqual([at('2026-11-21T08:00:00Z'), at('2026-11-21T08:00:00Z'), undefined]);
  });
});

describe('what was due last', () => {
  const schedule: readonly ScheduledSize[] = [
    { at: '0 8 * * *', timezone: 'UTC', size: 10 },
    { at: '0 20 * * *', timezone: 'UTC', size: 2 },
    { at: '0 20 * * sun', timezone: 'UTC', size: 1 },
  ];

  test('is the latest of all, and of two at once the later in the list', () => {
    expect(lastDue(schedule, at('2026-11-20T00:00:00Z'), at('2026-11-21T21:00:00Z'))).toEqual({
      scheduled: schedule[1],
      atMs: at('2026-11-21T20:00:00Z'),
    });
    expect(lastDue(schedule, at('2026-11-20T00:00:00Z'), at('2026-11-22T21:00:00Z'))?.scheduled.size).toBe(1);
  });

  test('is nothing where nothing came due since', () => {
    expect(lastDue(schedule, at('2026-11-22T08:00:00Z'), at('2026-11-22T19:59:59Z'))).toBeUndefined();
  });

  test('is looked for over a month at most', () => {
    const yearly: readonly ScheduledSize[] = [{ at: '0 0 1 1 *', timezone: 'UTC', size: 5 }];
    expect(lastDue(yearly, 0, at('2026-11-22T00:00:00Z'))).toBeUndefined();
  });
});

describe('text that is no schedule', () => {
  test.each([
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '0 24 * * *',
    '0 8 0 * *',
    '0 8 * 13 *',
    '0 8 * * 8',
    '5/20 * * * *',
    '5-1 * * * *',
    '*/0 * * * *',
    '0 8 31 2,4 *',
    '0 8 * * mon-',
    '@daily',
    '0 8 L * *',
    '0 8 ? * *',
    '-1 * * * *',
  ])('%s', (text) => {
    expect(parseCron(text)).toBeUndefined();
  });

  test.each(['0 8 * * mon-fri', '*/15 8-17 * JAN,jul SUN', '0 8 * * 7', '0 8 30 2 mon', '  0  8 * * *  '])('but %s is one', (text) => {
    expect(parseCron(text)).toBeDefined();
  });
});

describe('the fields of a schedule', () => {
  const isRead = (text: string): boolean => parseCron(text) !== undefined;

  test('are steps up to the largest value, of a range or of all', () => {
    expect([isRead('*/59 * * * *'), isRead('*/60 * * * *'), isRead('*/0 * * * *'), isRead('5/2 * * * *')]).toEqual([true, false, false, false]);
    expect(parseCron('10-20/5 * * * *')?.minutes).toEqual([10, 15, 20]);
  });

  test('are five, each with a value', () => {
    expect(['* * * *', '* * * * * *', ', * * * *', '1- * * * *', 'x * * * *', '9-1 * * * *', '1-99 * * * *', '99-1 * * * *'].filter(isRead)).toEqual(
      [],
    );
    expect(parseCron(' 1,1,0  2 * * * ')).toMatchObject({ minutes: [0, 1], hours: [2] });
  });

  test('name a day that comes, in any of their months', () => {
    expect(['0 0 30 2 *', '0 0 31 4,6,9,11 *'].filter(isRead)).toEqual([]);
    expect(['0 0 29 2 *', '0 0 30 2,4 *', '0 0 30,31 6 *', '0 0 31 1 *', '0 0 31 4 mon', '0 0 30 4 *'].filter((text) => !isRead(text))).toEqual([]);
  });
});
