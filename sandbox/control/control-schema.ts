import * as z from 'zod';
import { faultSchema } from '../fault-schema.ts';

/** Body of `POST /_sandbox/interrupt`. `notice` is in seconds; 120 is what EC2 gives. */
export const interruptBody = z.strictObject({
  instanceIds: z.array(z.string()).min(1),
  notice: z.number().nonnegative().default(120),
  /** Takes them without the warning reaching anybody. */
  silent: z.boolean().default(false),
  action: z.enum(['terminate', 'stop', 'hibernate']).default('terminate'),
});

/** Body of `POST /_sandbox/rebalance`. */
export const instancesBody = z.strictObject({ instanceIds: z.array(z.string()).min(1) });

/** Body of `POST /_sandbox/events`: an event as a service of AWS would put it on the bus; what is left out is filled in. */
export const eventBody = z.looseObject({
  source: z.string(),
  'detail-type': z.string(),
  detail: z.record(z.string(), z.unknown()),
  resources: z.array(z.string()).default([]),
});

/** Body of `PUT /_sandbox/offerings/{type}/{zone}/{market}`. A capacity of null is without limit. `reclaim` in seconds: the surplus is warned and taken. */
export const offeringBody = z.strictObject({
  capacity: z.number().int().nonnegative().nullable().optional(),
  priceUsdPerHour: z.number().positive().optional(),
  reclaim: z.number().nonnegative().optional(),
});

/** Body of `POST /_sandbox/faults`: replaces the faults that are set; an empty list clears them. */
export const faultsBody = z.union([
  z.array(faultSchema),
  z.strictObject({ faults: z.array(faultSchema) }).transform(({ faults }) => faults),
  faultSchema.transform((fault) => [fault]),
]);
