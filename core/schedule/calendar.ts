/**
 * Days of the calendar as numbers since 1970-01-01 and back, without a clock. Years begin in March, so that the leap
 * day is the last day of its year. 400 years always have the same number of days.
 */
const daysIn400Years = 146_097;
/** From 0000-03-01 to 1970-01-01. */
const daysBefore1970 = 719_468;

/** The days that passed in a year that began in March before a month began. */
const daysBeforeMonth = (monthsSinceMarch: number): number => Math.floor((153 * monthsSinceMarch + 2) / 5);

/** The number of a day. `month` counts from 1. */
export const dayNumber = (year: number, month: number, day: number): number => {
  const marchYear = month > 2 ? year : year - 1;
  const age = Math.floor(marchYear / 400);
  const yearOfAge = marchYear - age * 400;
  const dayOfYear = daysBeforeMonth((month + 9) % 12) + day - 1;
  const leapDays = Math.floor(yearOfAge / 4) - Math.floor(yearOfAge / 100);
  return age * daysIn400Years + yearOfAge * 365 + leapDays + dayOfYear - daysBefore1970;
};

/** Month (from 1), day of the month, and day of the week (0 is Sunday) of a day by its number. */
export const dateOf = (number: number): { readonly month: number; readonly day: number; readonly weekday: number } => {
  const since = number + daysBefore1970;
  const dayOfAge = since - Math.floor(since / daysIn400Years) * daysIn400Years;
  const leapDays = Math.floor(dayOfAge / 1_460) - Math.floor(dayOfAge / 36_524) + Math.floor(dayOfAge / 146_096);
  const yearOfAge = Math.floor((dayOfAge - leapDays) / 365);
  const dayOfYear = dayOfAge - (365 * yearOfAge + Math.floor(yearOfAge / 4) - Math.floor(yearOfAge / 100));
  const monthsSinceMarch = Math.floor((5 * dayOfYear + 2) / 153);
  return {
    month: ((monthsSinceMarch + 2) % 12) + 1,
    day: dayOfYear - daysBeforeMonth(monthsSinceMarch) + 1,
    // 1970-01-01 was a Thursday.
    weekday: (((number + 4) % 7) + 7) % 7,
  };
};
