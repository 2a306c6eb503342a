import * as z from 'zod/mini';
import { duration } from './duration-field.ts';
import { map, wholeNumber } from './field.ts';

export const breakerSchema = map(
  {
    interruptions: z
      ._default(wholeNumber(1), 5)
      .check(z.describe('So many interruption warnings within `within` open the breaker.')),
    within: z._default(duration('1m', '24h'), '10m').check(z.describe('The time that `interruptions` is for.')),
    hold: z
      ._default(duration('1m', '24h'), '60m')
      .check(
        z.describe('For so long spot (or the instance family that was interrupted) is passed over once it is open.'),
      ),
  },
  'a map with interruptions, within and hold',
).check(
  z.describe(
    'After many interruptions the tree goes on without spot, or without one family of it, for a while. Default: never.',
  ),
);
