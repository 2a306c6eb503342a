import * as z from 'zod/mini';
import { key } from './field.ts';

const keyText = 'a tag key of 1 to 128 characters that begins with neither aws: nor holdfast:';
const valueText = 'a tag value: text of at most 256 characters (numbers and booleans in quotes)';
/**
 * EC2 allows 50 tags on a resource (Tag your Amazon EC2 resources, tag restrictions). The rest is kept for our tags and
 * those of Auto Scaling.
 */
const maxTags = 40;

export const tagsSchema = z
  .record(
    key(/^(?![aA][wW][sS]:|[hH][oO][lL][dD][fF][aA][sS][tT]:)[^\n]{1,128}$/, keyText),
    z.string({ error: valueText }).check(z.maxLength(256, valueText)),
    { error: 'a map of tag keys to tag values' },
  )
  .check(
    z.refine((tags) => Object.keys(tags).length <= maxTags, `at most ${maxTags} tags`),
    z.describe('Tags of every instance that Holdfast launches for the group.'),
  );
