import { z } from 'zod';
import { exactly } from './shape.ts';

/** No world runs for a month; beyond some thousand years no date can be written. */
const milliseconds = z
  .number()
  .nonnegative()
  .max(30 * 24 * 3_600_000);

/** How often and while a fault acts, among the calls or events that match it. With none of these: every time, until it is removed. */
const frequency = {
  /** Chance, 0 to 1. */
  probability: z.number().min(0).max(1).optional(),
  /** Only the n-th match since the fault was set, counted from 1. */
  nth: z.int().positive().optional(),
  /** At most this many times. */
  times: z.int().positive().optional(),
  /** In force from then on, counted from when the fault was set (default: at once). */
  fromMs: milliseconds.optional(),
  /** In force until then, counted from when the fault was set (default: until it is removed). */
  untilMs: milliseconds.positive().optional(),
};

const oneOrMany = z.union([z.string(), z.array(z.string()).nonempty()]);

const callMatch = exactly({
  /** As in IAM actions: `ec2`, `autoscaling`, … */
  service: oneOrMany.optional(),
  operation: oneOrMany.optional(),
  /** A role's name, or `operator`. */
  caller: oneOrMany.optional(),
  /** Only dry runs of EC2 calls (`true`), or only calls that are none (`false`). */
  dryRun: z.boolean().optional(),
}).default({});

const eventMatch = exactly({ source: oneOrMany.optional(), detailType: oneOrMany.optional() }).default({});

const onCall = { on: z.literal('call'), match: callMatch, ...frequency };
const onEvent = { on: z.literal('event'), match: eventMatch, ...frequency };

const callFaultSchema = z.discriminatedUnion('kind', [
  /** The service's own throttling error. Nothing is applied. */
  exactly({ kind: z.literal('throttle'), ...onCall }),
  /** Any error. Nothing is applied. */
  exactly({
    kind: z.literal('error'),
    code: z.string().min(1),
    message: z.string().optional(),
    status: z.int().min(400).max(599).default(400),
    ...onCall,
  }),
  /** The response never comes: the connection is reset, or times out `afterMs` later. `when: after`: the call was still applied. */
  exactly({
    kind: z.literal('lose-answer'),
    when: z.enum(['before', 'after']).default('after'),
    as: z.enum(['reset', 'timeout']).default('reset'),
    afterMs: milliseconds.default(0),
    ...onCall,
  }),
  /** The response arrives this much later. */
  exactly({ kind: z.literal('delay'), delayMs: milliseconds, ...onCall }),
  /** The calling function is killed: before the call was applied, after (`after`), or as the response arrives (`answered`). */
  exactly({ kind: z.literal('crash-caller'), when: z.enum(['before', 'after', 'answered']).default('after'), ...onCall }),
]);

const eventFaultSchema = z.discriminatedUnion('kind', [
  exactly({ kind: z.literal('drop'), ...onEvent }),
  exactly({ kind: z.literal('duplicate'), copies: z.int().positive().max(100).default(1), withinMs: milliseconds.default(0), ...onEvent }),
  exactly({ kind: z.literal('delay'), delayMs: milliseconds, ...onEvent }),
  /** Each event comes at a random moment within this time: later ones may overtake earlier ones. */
  exactly({ kind: z.literal('reorder'), withinMs: milliseconds.positive(), ...onEvent }),
]);

/** A batch of messages on its way from a queue to a function. */
const messageFaultSchema = exactly({
  on: z.literal('message'),
  /** SQS delivers at least once. A received message is delivered again to another environment within this time, even if it was deleted. */
  kind: z.literal('duplicate'),
  copies: z.int().positive().max(100).default(1),
  withinMs: milliseconds.default(0),
  match: exactly({ queue: oneOrMany.optional() }).default({}),
  ...frequency,
});

/** A function that reads its clock. */
const clockFaultSchema = exactly({
  on: z.literal('clock'),
  /** The clock of its environment jumps: from then on it is ahead or behind by up to this much. When the fault is removed, the clock is right again. */
  kind: z.literal('step'),
  withinMs: milliseconds.positive(),
  match: exactly({ caller: oneOrMany.optional() }).default({}),
  ...frequency,
});

/** A fault as scenarios and the control door give it. */
export const faultSchema = z.discriminatedUnion('on', [callFaultSchema, eventFaultSchema, messageFaultSchema, clockFaultSchema]);

export type CallFault = z.infer<typeof callFaultSchema>;
export type EventFault = z.infer<typeof eventFaultSchema>;
export type Fault = z.infer<typeof faultSchema>;
/** As it may be written: with defaults left out. */
export type FaultInput = z.input<typeof faultSchema>;
