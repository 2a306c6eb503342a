import type { Surroundings } from '../../core/contract.ts';

/** The span in which an invocation began, by the clock of AWS (epoch ms). */
export type Began = { readonly atLeastMs: number; readonly atMostMs?: number };

/** A clock that is corrected where it is known to be wrong. */
export type CorrectedClock = {
  now(): number;
  /** An invocation begins. */
  begin(began: Began): void;
};

/**
 * The clock of an environment may be wrong. What calls a function names times of AWS, between which the invocation
 * began: a message was received before it is read, and a state was entered before its function is called. So the time
 * of an invocation begins within that span. From then on it runs evenly until the next invocation: it neither runs
 * backwards nor stands still when the clock is set, or when a call takes long.
 */
export const correctedClock = ({ now, elapsedMs }: Pick<Surroundings, 'now' | 'elapsedMs'>): CorrectedClock => {
  let originMs: number | undefined;
  return {
    now: () => (originMs === undefined ? now() : originMs + elapsedMs()),
    begin: ({ atLeastMs, atMostMs = Number.POSITIVE_INFINITY }) => {
      originMs = Math.min(Math.max(atLeastMs, now()), atMostMs) - elapsedMs();
    },
  };
};
