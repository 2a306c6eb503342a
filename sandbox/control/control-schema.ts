import * as z from 'zod';
import { faultSchema } from '../fault-schema.ts';
import { duration } from '../scenario/fields.ts';
import { exactly } from '../shape.ts';

/** No world runs for a month. */
const longestNoticeMs = 30 * 24 * 3_600_000;

/** Seconds, or a duration such as `2m`; in code milliseconds. */
const notice = z.union([
  z
    .number()
    .nonnegative()
    .max(longestNoticeMs / 1_000)
    .transform((seconds) => seconds * 1_000),
  duration.refine((ms) => ms <= longestNoticeMs, 'at most 30 days'),
]);

/** Body of `POST /_sandbox/interrupt`. Without `notice` two minutes, as EC2 gives. */
export const interruptBody = exactly({
  instanceIds: z.array(z.string()).min(1),
  notice: notice.default(120_000),
  /** EC2 takes them, and no function receives the warning. */
  silent: z.boolean().default(false),
  action: z.enum(['terminate', 'stop', 'hibernate']).default('terminate'),
});

/** Body of `POST /_sandbox/rebalance`. */
export const instancesBody = exactly({ instanceIds: z.array(z.string()).min(1) });

/** Body of `POST /_sandbox/events`: an event as an AWS service puts it on the bus. Absent fields are filled in. */
export const eventBody = z.looseObject({
  source: z.string(),
  'detail-type': z.string(),
  detail: z.record(z.string(), z.unknown()),
  resources: z.array(z.string()).default([]),
});

/**
 * Body of `PUT /_sandbox/offerings/{type}/{zone}/{market}`. A capacity of null has no limit. `reclaim`: EC2 warns the surplus, and takes it after this notice.
 */
export const offeringBody = exactly({
  capacity: z.number().int().nonnegative().nullable().optional(),
  priceUsdPerHour: z.number().positive().optional(),
  reclaim: notice.optional(),
});

/** Filters of `GET /_sandbox/calls`. */
export const callsQuery = exactly({
  service: z.string().optional(),
  operation: z.string().optional(),
  caller: z.string().optional(),
  outcome: z.string().optional(),
  sinceMs: z.coerce.number().optional(),
});

/** Body of `POST /_sandbox/faults`: replaces the faults that are set; an empty list clears them. */
export const faultsBody = z.preprocess((body) => {
  if (Array.isArray(body)) return body;
  return typeof body === 'object' && body !== null && 'faults' in body ? body.faults : [body];
}, z.array(faultSchema));
