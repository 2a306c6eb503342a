import type { ScheduledSize } from '../group/group.ts';
import { dateOf } from './calendar.ts';
import { type Cron, parseCron } from './cron.ts';
import { dayMs, minuteMs, momentOf, type WallMs, wallAt } from './local-time.ts';

const isOnDay = ({ days, months, weekdays }: Cron, dayStart: WallMs): boolean => {
  const date = dateOf(dayStart / dayMs);
  if (!months.has(date.month)) return false;
  if (days === undefined && weekdays === undefined) return true;
  return days?.has(date.day) === true || weekdays?.has(date.weekday) === true;
};

/** The times of a day, the latest first. */
function* timesOn({ hours, minutes }: Cron, dayStart: WallMs): Generator<WallMs> {
  for (const hour of hours.toReversed())
    for (const minute of minutes.toReversed()) yield dayStart + (hour * 60 + minute) * minuteMs;
}

/** Clocks go forward or back by no more than this. */
const jumpMs = 3 * 3_600_000;

/** The last time of a schedule after one moment and until another. Undefined where there is none. */
export const lastTime = (cron: Cron, timeZone: string, afterMs: number, untilMs: number): number | undefined => {
  const from = wallAt(afterMs, timeZone) - jumpMs;
  // Where clocks went back, a time that they show later has come already.
  const until = wallAt(untilMs, timeZone) + jumpMs;
  for (let day = until - (until % dayMs); day + dayMs > from; day -= dayMs) {
    if (!isOnDay(cron, day)) continue;
    for (const wall of timesOn(cron, day)) {
      if (wall > until) continue;
      const atMs = momentOf(wall, timeZone);
      if (atMs <= afterMs) return undefined;
      if (atMs <= untilMs) return atMs;
    }
  }
  return undefined;
};

/** A size that a schedule sets, and when it was due. */
export type Due = { readonly scheduled: ScheduledSize; readonly atMs: number };

/** A time of a schedule that was due longer ago no longer counts. */
const longestMs = 31 * dayMs;

/** What was due last, after one moment and until another. Of several at one time, the last in the list. */
export const lastDue = (schedule: readonly ScheduledSize[], afterMs: number, untilMs: number): Due | undefined => {
  const fromMs = Math.max(afterMs, untilMs - longestMs);
  return schedule
    .flatMap((scheduled): readonly Due[] => {
      const cron = parseCron(scheduled.at);
      const atMs = cron && lastTime(cron, scheduled.timezone, fromMs, untilMs);
      return atMs === undefined ? [] : [{ scheduled, atMs }];
    })
    .reduce<Due | undefined>((last, one) => (last !== undefined && last.atMs > one.atMs ? last : one), undefined);
};
