import * as z from 'zod/mini';
import type { DrainError } from '../../../core/drain/shortfall.ts';
import type { DrainOrder } from '../../../core/ports.ts';

const inputSchema = z.object({
  group: z.string(),
  drain: z.string(),
  instances: z.array(z.string()),
  deadlineMs: z.optional(z.number()),
  awaitServingUntilMs: z.optional(z.number()),
  step: z.optional(z.object({ latestStartMs: z.optional(z.number()) })),
  error: z.optional(z.object({ Error: z.string(), Cause: z.optional(z.string()) })),
});

/** What the state machine hands to a step: the order that started it, what the step before found out, and after a Catch the error. */
export type DrainInput = { readonly order: DrainOrder; readonly latestStartMs: number | undefined; readonly error: DrainError | undefined };

/** Reads a drain function's input. Throws on anything else. */
export const readDrainInput = (event: unknown): DrainInput => {
  const { error, step, ...order } = z.parse(inputSchema, event);
  return { order, latestStartMs: step?.latestStartMs, error };
};
