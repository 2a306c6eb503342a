import * as z from 'zod/mini';
import { map } from './field.ts';
import { parseShare } from './return-schema.ts';

const shareText = 'a share of the size such as 40%';
const text = 'a map with instanceType, zone or offering, each a share such as 40%';

const share = (meaning: string) =>
  z.optional(
    z.string({ error: shareText }).check(
      z.refine((value) => parseShare(value) !== undefined, shareText),
      z.describe(meaning),
    ),
  );

export const maxShareSchema = map(
  {
    instanceType: share('The most of one instance type.'),
    zone: share('The most in one zone.'),
    offering: share('The most of one offering: an instance type in a zone, on spot or on demand.'),
  },
  text,
).check(
  z.refine((shares) => Object.keys(shares).length > 0, text),
  z.describe(
    'The largest part of the size in one place, so that one loss cannot take more. No launch of Holdfast exceeds ' +
      'it. A share is rounded up, to one member at least.',
  ),
);
