const unitMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

const rate = (expression: string): number | undefined => {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  return count === undefined ? undefined : Number(count) * (unitMs[String(unit)] as number);
};

const dayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

const numberOf = (text: string, names: readonly string[], offset: number): number => {
  const named = names.indexOf(text.toUpperCase());
  return named < 0 ? Number(text) : named + offset;
};

/** One comma part of a cron field: `5`, `1-5`, `0/15`, `*`. */
const partMatches = (part: string, value: number, least: number, names: readonly string[]): boolean => {
  const [range = '*', step] = part.split('/');
  const [low, high] = range === '*' || range === '?' ? [least, Number.POSITIVE_INFINITY] : range.split('-').map((end) => numberOf(end, names, least));
  const last = high ?? (step === undefined ? low : Number.POSITIVE_INFINITY);
  return value >= (low as number) && value <= (last as number) && (value - (low as number)) % Number(step ?? 1) === 0;
};

const fieldMatches = (field: string, value: number, least: number, names: readonly string[] = []): boolean =>
  field.split(',').some((part) => partMatches(part, value, least, names));

const cronMatches = (fields: readonly string[], atMs: number): boolean => {
  const date = new Date(atMs);
  const [minute = '', hour = '', day = '', month = '', weekday = '', year = ''] = fields;
  return (
    fieldMatches(minute, date.getUTCMinutes(), 0) &&
    fieldMatches(hour, date.getUTCHours(), 0) &&
    fieldMatches(day, date.getUTCDate(), 1) &&
    fieldMatches(month, date.getUTCMonth() + 1, 1, monthNames) &&
    fieldMatches(weekday, date.getUTCDay() + 1, 1, dayNames) &&
    fieldMatches(year, date.getUTCFullYear(), 1970)
  );
};

const dayMs = 86_400_000;
const furthestDays = 366 * 5;

const nextCron = (fields: readonly string[], afterMs: number): number | undefined => {
  const [, , ...days] = fields;
  let atMs = Math.floor(afterMs / 60_000) * 60_000 + 60_000;
  for (const endMs = afterMs + furthestDays * dayMs; atMs < endMs; ) {
    if (!cronMatches(['*', '*', ...days], atMs)) atMs = Math.floor(atMs / dayMs) * dayMs + dayMs;
    else if (cronMatches(fields, atMs)) return atMs;
    else atMs += 60_000;
  }
  return undefined;
};

/**
 * When a rule's schedule fires next after a moment (epoch ms), for one that began at another. Undefined when it never does again.
 * @throws on an expression that is neither `rate(…)` nor a `cron(…)` of six fields; `L`, `W` and `#` are not known.
 */
export const nextFiring = (expression: string, startedMs: number, afterMs: number): number | undefined => {
  const everyMs = rate(expression);
  if (everyMs !== undefined) return startedMs + (Math.floor((afterMs - startedMs) / everyMs) + 1) * everyMs;
  const fields = /^cron\((.+)\)$/.exec(expression)?.[1]?.split(/\s+/) ?? [];
  if (fields.length !== 6 || fields.some((field) => /[LW#]/.test(field.replace(/[A-Z]{3}/gi, '')))) {
    throw new Error(`The sandbox does not know the schedule expression ${expression}.`);
  }
  return nextCron(fields, afterMs);
};
