import * as z from 'zod/mini';
import { isTimeZone } from '../returning/window.ts';
import { parseCron } from '../schedule/cron.ts';
import { map, mostMembers, shortList, wholeNumber } from './field.ts';

const atText =
  'five fields of cron (minute, hour, day of the month, month, day of the week) that name some day, ' +
  'such as 0 8 * * mon-fri';
const zoneText = 'the name of a time zone such as Europe/Berlin or UTC';

const mostTimes = 20;

export const scheduleSchema = shortList(
  map(
    {
      at: z.string({ error: atText }).check(
        z.maxLength(100, atText),
        z.refine((text) => parseCron(text) !== undefined, atText),
        z.describe('When the size is set: the five fields of cron, for example 0 8 * * mon-fri.'),
      ),
      timezone: z
        ._default(z.string({ error: zoneText }).check(z.refine(isTimeZone, zoneText)), 'UTC')
        .check(z.describe('The time zone of `at` (IANA name).')),
      size: wholeNumber(0, mostMembers).check(
        z.describe('The desired size from then on, until an alarm or the schedule changes it.'),
      ),
    },
    'a map with at, timezone and size',
  ),
  'a list of { at, timezone, size }',
  mostTimes,
).check(z.describe('Sizes that are set at certain times, within min and max.'));
