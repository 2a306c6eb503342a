import * as z from 'zod/mini';
import { duration } from './duration-field.ts';
import { map, wholeNumber } from './field.ts';

export const breakerSchema = map(
  {
    interruptions: z
      ._default(wholeNumber(1), 5)
      .check(z.describe('The breaker opens after this many interruption warnings within `within`.')),
    within: z._default(duration('1m', '24h'), '10m').check(z.describe('The time that `interruptions` is for.')),
    hold: z
      ._default(duration('1m', '24h'), '60m')
      .check(z.describe('How long spot (or the interrupted instance family) is passed over after the breaker opened.')),
  },
  'a map with interruptions, within and hold',
).check(
  z.describe('After many interruptions, spot or one instance family on spot is not used for a while. Default: never.'),
);
