import * as z from 'zod/mini';
import type { DrainError } from '../../../core/drain/shortfall.ts';
import type { DrainOrder } from '../../../core/ports.ts';

const orderSchema = z.object({
  group: z.string(),
  drain: z.string(),
  instances: z.array(z.string()),
  deadlineMs: z.optional(z.number()),
  awaitServingUntilMs: z.optional(z.number()),
  error: z.optional(z.object({ Error: z.string(), Cause: z.optional(z.string()) })),
});

/** Reads a drain function's input: the order that started the execution and, after a Catch, the error. Throws on anything else. */
export const readOrder = (event: unknown): { readonly order: DrainOrder; readonly error: DrainError | undefined } => {
  const { error, ...order } = z.parse(orderSchema, event);
  return { order, error };
};
