import * as z from 'zod/mini';
import type { DrainError } from '../../../core/drain/shortfall.ts';
import type { DrainOrder } from '../../../core/ports/drains.ts';
import { startSlackMs } from '../../../core/times/times.ts';
import type { Began } from '../clock.ts';

const inputSchema = z.object({
  group: z.string(),
  drain: z.string(),
  step: z.optional(
    z.object({
      untilIso: z.optional(z.string()),
      deregistrationDelayMs: z.optional(z.number()),
      delayOfMs: z.optional(z.number()),
      delayMayGrow: z.optional(z.literal(true)),
      lookAtMs: z.optional(z.number()),
      brokeOff: z.optional(z.literal(true)),
      failsSinceMs: z.optional(z.number()),
      isUntold: z.optional(z.literal(true)),
    }),
  ),
  error: z.optional(z.object({ Error: z.string(), Cause: z.optional(z.string()) })),
  state: z.optional(z.object({ EnteredTime: z.string(), RetryCount: z.number() })),
  isRepeat: z.optional(z.literal(true)),
});

/**
 * The longest deregistration delay of a batch, from an earlier step, and when the last member was ordered whose delay
 * is included. Members that joined the batch later may be in other target groups. `mayGrow`: some members were in no
 * target group when it was read.
 */
export type KnownDelay = { readonly delayMs: number; readonly ofMs?: number; readonly mayGrow?: true };

type Input = z.infer<typeof inputSchema>;
type Step = NonNullable<Input['step']>;

/** Steps of an earlier version have the time 0 where the delay may grow. */
const knownIn = ({
  deregistrationDelayMs: delayMs,
  delayOfMs: ofMs,
  delayMayGrow,
}: Step): Pick<DrainInput, 'known'> => {
  if (delayMs === undefined) return {};
  const growing = delayMayGrow || ofMs === 0 ? { mayGrow: true as const } : {};
  return { known: { delayMs, ...(ofMs !== undefined && { ofMs }), ...growing } };
};

/**
 * The input of a step from the state machine: the order that started it, the result of the step before and, after a
 * Catch, the error.
 */
export type DrainInput = {
  readonly order: DrainOrder;
  /** Absent in the first step, and after one that read no delay. */
  readonly known?: KnownDelay;
  /** When Step Functions called the function, by its own clock. */
  readonly began: Began;
  /** The time that the step before returned. Absent in the first step. */
  readonly waitedUntilMs?: number;
  /** When the next look is due, if this step comes before that for heartbeats. */
  readonly plannedMs?: number;
  /** Since when AWS could not carry out a call of the last step, if the step is repeated for that. */
  readonly failsSinceMs?: number;
  /** Whether all but the event about the end was done then. */
  readonly isUntold?: true;
  /** Whether an earlier attempt of this step failed. A call for which Lambda had no room is no attempt. */
  readonly isRepeat?: true;
  /** Whether an attempt to take members out of service broke off before. It may have done so without a record. */
  readonly brokeOff?: true;
  readonly error: DrainError | undefined;
};

const failureSchema = z.object({ errorMessage: z.string() });

/** The message in the cause of a failed function, which Lambda gives as JSON. Any other cause is returned as it is. */
const messageOf = (cause: string): string => {
  try {
    return z.parse(failureSchema, JSON.parse(cause)).errorMessage;
  } catch {
    return cause;
  }
};

/**
 * When the function was called. Step Functions calls it as soon as it enters the state, and again after each attempt
 * that failed. Executions that an earlier version started do not name that time, but until when they waited.
 */
const beganIn = ({ state, step }: Input): Began => {
  if (state === undefined) return { atLeastMs: step?.untilIso === undefined ? 0 : Date.parse(step.untilIso) };
  const enteredAtMs = Date.parse(state.EnteredTime);
  return { atLeastMs: enteredAtMs, ...(state.RetryCount === 0 && { atMostMs: enteredAtMs + startSlackMs }) };
};

/** Reads a drain function's input. Throws on anything else. */
export const readDrainInput = (event: unknown): DrainInput => {
  const input = z.parse(inputSchema, event);
  const { error, step, state, isRepeat: wasRepeat, ...order } = input;
  const told = error?.Cause === undefined ? error : { ...error, Cause: messageOf(error.Cause) };
  const known = knownIn(step ?? {});
  const waited: { readonly waitedUntilMs?: number } =
    step?.untilIso === undefined ? {} : { waitedUntilMs: Date.parse(step.untilIso) };
  const { lookAtMs } = step ?? {};
  // Both times are of the step before, so it does not matter how far clocks differ.
  const isEarly = lookAtMs !== undefined && waited.waitedUntilMs !== undefined && waited.waitedUntilMs < lookAtMs;
  return {
    ...{ order, began: beganIn(input), ...known, ...waited, ...(isEarly && { plannedMs: lookAtMs }), error: told },
    ...((wasRepeat || (state !== undefined && state.RetryCount > 0)) && { isRepeat: true as const }),
    ...(step?.brokeOff && { brokeOff: true as const }),
    ...(step?.isUntold && { isUntold: true as const }),
    ...(step?.failsSinceMs !== undefined && { failsSinceMs: step.failsSinceMs }),
  };
};
