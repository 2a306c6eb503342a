import * as z from 'zod/mini';
import type { MoveLimit } from '../returning/returning.ts';
import { duration } from './duration-field.ts';
import { map, wholeNumber } from './field.ts';

const atMostText = 'a number of launches such as 40, or a share of the size from 100% to 10000%';
const sharePattern = /^\d{3,5}%$/;

const shareIn = (text: string): number | undefined => {
  const percent = sharePattern.test(text) ? Number(text.slice(0, -1)) : 0;
  return percent >= 100 && percent <= 10_000 ? percent : undefined;
};

/** What `launches.atMost` says: a number, or a share of the size. Undefined when it is neither. */
export const launchLimitOf = (atMost: number | string): MoveLimit | undefined => {
  if (typeof atMost === 'number') return { kind: 'count', by: atMost };
  const percent = shareIn(atMost);
  return percent === undefined ? undefined : { kind: 'share', percent };
};

export const launchesSchema = map(
  {
    atMost: z
      ._default(
        z.union(
          [
            wholeNumber(1),
            z.string({ error: atMostText }).check(z.refine((text) => shareIn(text) !== undefined, atMostText)),
          ],
          { error: atMostText },
        ),
        '300%',
      )
      .check(
        z.describe(
          'The most launches within `within`: a number, or a share of the largest size in that time (ten at least). ' +
            'Each member that EC2 warns about adds one.',
        ),
      ),
    within: z._default(duration('1m', '24h'), '10m').check(z.describe('The time that `atMost` is for.')),
  },
  'a map with atMost and within',
).check(
  z.describe('How often the group may launch, so that instances that fail again and again do not cost without end.'),
);
