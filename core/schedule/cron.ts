/**
 * Times of a schedule: the five fields of cron, in a time zone.
 *
 * When clocks go forward, a time in the gap counts as the moment of the change. When clocks go back, a time that comes
 * twice counts as the first of the two.
 */

/** The minutes, hours and days at which a schedule acts. */
export type Cron = {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Days of the month. Undefined: any. */
  readonly days?: ReadonlySet<number>;
  /** 1 is January. */
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. Undefined: any. Where days of the month are named too, either is enough. */
  readonly weekdays?: ReadonlySet<number>;
};

type Field = { readonly from: number; readonly to: number; readonly names: readonly string[] };

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const minute: Field = { from: 0, to: 59, names: [] };
const hour: Field = { from: 0, to: 23, names: [] };
const day: Field = { from: 1, to: 31, names: [] };
const month: Field = { from: 1, to: 12, names: months };
/** 7 is Sunday, too. */
const weekday: Field = { from: 0, to: 7, names: weekdays };

const partPattern = /^(?:(\*)|([a-z]+|\d+)(?:-([a-z]+|\d+))?)(?:\/(\d+))?$/i;

/** The number of a text, or of a name. `NaN` where the field has no such number. */
const numberIn = ({ from, to, names }: Field, text = ''): number => {
  const named = names.indexOf(text.toLowerCase());
  const value = named >= 0 ? named + from : Number(text);
  return value >= from && value <= to ? value : Number.NaN;
};

/** `*`, `5` and `1-5`; the first and the last also with a step: `1-5/2`. Empty where the text has no such form. */
const valuesOf = (field: Field, text: string): readonly number[] => {
  const [whole, any, first, last = first, step = '1'] = partPattern.exec(text) ?? [];
  const from = any ? field.from : numberIn(field, first);
  const to = any ? field.to : numberIn(field, last);
  const isStepped = text.includes('/');
  const by = Number(step);
  if (whole === undefined) return [];
  if (by === 0 || by > field.to || (isStepped && !any && !text.includes('-'))) return [];
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by);
};

const listOf = (field: Field, text = ''): readonly number[] | undefined => {
  const parts = text.split(',').map((part) => valuesOf(field, part));
  if (parts.some((part) => part.length === 0)) return undefined;
  return [...new Set(parts.flat())].sort((a, b) => a - b);
};

const longestMonth = (number: number): number => {
  if (number === 2) return 29;
  return [4, 6, 9, 11].includes(number) ? 30 : 31;
};

/** Reads `minute hour day-of-month month day-of-week`. Undefined where the text is not that, or names no day at all. */
export const parseCron = (text: string): Cron | undefined => {
  const fields = text.trim().split(/\s+/);
  const lists = [minute, hour, day, month, weekday].map((field, index) => listOf(field, fields[index]));
  const [minutes, hours, days, inMonths, onWeekdays] = lists;
  if (fields.length !== 5 || !minutes || !hours || !days || !inMonths || !onWeekdays) return undefined;
  const isAnyWeekday = fields[4] === '*';
  if (isAnyWeekday && !inMonths.some((number) => days.some((one) => one <= longestMonth(number)))) return undefined;
  return {
    minutes,
    hours,
    months: new Set(inMonths),
    ...(fields[2] !== '*' && { days: new Set(days) }),
    ...(!isAnyWeekday && { weekdays: new Set(onWeekdays.map((one) => one % 7)) }),
  };
};
