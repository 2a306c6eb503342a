import * as z from 'zod/mini';
import { duration } from './duration-field.ts';
import { map } from './field.ts';

export const readySchema = map(
  {
    after: z.optional(
      duration('1s', '1h').check(
        z.describe('A member counts as serving this long after its launch: what it needs to start and warm up.'),
      ),
    ),
    checks: z.optional(
      z
        .literal('ec2', { error: 'ec2' })
        .check(
          z.describe('A member counts as serving once both status checks of EC2 have passed, after 2 to 3 minutes.'),
        ),
    ),
    within: z.optional(
      duration('2m', '24h').check(
        z.describe(
          'A new member that does not serve by this age is given up and replaced. Longer than after. Default: 10m.',
        ),
      ),
    ),
  },
  'a map with after, checks and within',
).check(
  z.describe(
    'When a new member counts as serving. With target groups: once it is healthy there, and ready as this says.',
  ),
);
