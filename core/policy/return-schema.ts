import * as z from 'zod/mini';
import { isTimeZone, parseWindow } from '../returning/window.ts';
import { duration } from './duration-field.ts';
import { map, nonEmptyList, wholeNumber } from './field.ts';

const limitText = 'a number of members such as 2, or a share of the group such as 10%';
const windowText =
  'a time of the day such as 22:00-06:00, with days before it if it is not for every day: mon-fri 22:00-06:00';
const zoneText = 'the name of a time zone such as Europe/Berlin or UTC';
const sharePattern = /^\d{1,3}%$/;

/** 10 for `10%`. Undefined when the text is not a share of a group. */
export const parseShare = (text: string): number | undefined => {
  const percent = sharePattern.test(text) ? Number(text.slice(0, -1)) : 0;
  return percent >= 1 && percent <= 100 ? percent : undefined;
};

const limit = z.union(
  [wholeNumber(1), z.string({ error: limitText }).check(z.refine((text) => parseShare(text) !== undefined, limitText))],
  { error: limitText },
);

const window = z.string({ error: windowText }).check(z.refine((text) => parseWindow(text) !== undefined, windowText));

const mostWindows = 20;

const rule = map(
  {
    after: z
      ._default(duration('1m', '24h'), '10m')
      .check(
        z.describe(
          'How long an offering must have been free of refusals and warnings, and the size and the policy unchanged.',
        ),
      ),
    atMost: z
      ._default(limit, '50%')
      .check(
        z.describe('The most members that move within `every`: a number, or a share of the group (at least one).'),
      ),
    every: z._default(duration('1m', '24h'), '5m').check(z.describe('The time that `atMost` is for.')),
    window: z.optional(
      z
        .union([window, nonEmptyList(window, windowText).check(z.maxLength(mostWindows, `at most ${mostWindows}`))], {
          error: `${windowText}; or a list of these`,
        })
        .check(z.describe('When moves may begin, for example mon-fri 22:00-06:00. Default: at any time.')),
    ),
    timezone: z
      ._default(z.string({ error: zoneText }).check(z.refine(isTimeZone, zoneText)), 'UTC')
      .check(z.describe('The time zone of `window` (IANA name).')),
  },
  'false, or a map with after, atMost, every, window and timezone',
);

export const returnSchema = z
  .union([z.literal(false, { error: 'false' }), rule], {
    error: 'false, or a map with after, atMost, every, window and timezone',
  })
  .check(
    z.describe(
      'When members of a later tier move to an earlier one, and members below `cheapest` to a cheaper place. ' +
        'false: never.',
    ),
  );
