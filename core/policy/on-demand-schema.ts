import * as z from 'zod/mini';
import { map, wholeNumber } from './field.ts';
import { parseShare } from './return-schema.ts';

const percentText = 'a share of the size such as 20%';
const text = 'a map with floor, percent or both';

export const onDemandSchema = map(
  {
    floor: z.optional(wholeNumber(0).check(z.describe('At least this many members are on demand.'))),
    percent: z.optional(
      z.string({ error: percentText }).check(
        z.refine((share) => parseShare(share) !== undefined, percentText),
        z.describe('At least this share of the size is on demand, rounded up.'),
      ),
    ),
  },
  text,
).check(
  z.refine(({ floor, percent }) => floor !== undefined || percent !== undefined, text),
  z.describe('The least that is on demand, even while spot has capacity: the larger of floor and percent.'),
);
