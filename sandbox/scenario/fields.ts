import * as z from 'zod';
import { parseDurationMs } from '../../core/units/duration.ts';
import { exactly } from '../shape.ts';

/** `90s`, `2m`, `24h`; in code milliseconds. */
export const duration = z.string().transform((text, context) => {
  const ms = parseDurationMs(text);
  if (ms !== undefined) return ms;
  context.addIssue({ code: 'custom', message: `found ${JSON.stringify(text)}; a duration is a number and a unit, for example 90s, 2m or 24h` });
  return z.NEVER;
});

/** A fixed number of seconds, or a lower and an upper bound to draw between. */
export const secondsRange = z
  .union([z.number().nonnegative(), z.tuple([z.number().nonnegative(), z.number().nonnegative()])])
  .transform((value): readonly [number, number] => (typeof value === 'number' ? [value, value] : value));

export const market = z.enum(['spot', 'on-demand']);
/** Instances that an offering can give: a number, or `unlimited`. */
export const capacity = z
  .union([z.number().int().nonnegative(), z.literal('unlimited')])
  .transform((value) => (value === 'unlimited' ? null : value));

/** Selects offerings. An absent member matches all. */
const offeringFields = { instanceType: z.string().optional(), zone: z.string().optional(), market: market.optional() };
export const offeringFilter = exactly(offeringFields);
export type OfferingFilter = z.infer<typeof offeringFilter>;

/** Selects launches by offering, template and Auto Scaling group. */
export const bootFilter = exactly({ ...offeringFields, template: z.string().optional(), asg: z.string().optional() });

/** Selects members of a group by zone and market, oldest first, up to a number. */
export const memberFields = {
  group: z.string(),
  zone: z.string().optional(),
  market: market.optional(),
  count: z.number().int().positive().optional(),
};
export const memberFilter = exactly(memberFields);
export type MemberFilter = z.infer<typeof memberFilter>;
