import type { Surroundings } from '../../core/contract.ts';
import { startSlackMs } from '../../core/times/times.ts';

/** How long an invocation may take, and how much of that is left: its deadline less the own clock's time. */
type Timed = { readonly timeoutMs: number; readonly leftMs: () => number };

/** The span in which an invocation began, by the clock of AWS (epoch ms). */
export type Began = { readonly atLeastMs: number; readonly atMostMs?: number; readonly timed?: Timed };

/** A clock that is corrected where it is known to be wrong. */
export type CorrectedClock = {
  now(): number;
  /** An invocation begins. */
  begin(began: Began): void;
};

/**
 * The clock of an environment may be wrong. What calls a function names times of AWS, between which the invocation
 * began: a message was received before it is read, and a state was entered before its function is called. The deadline
 * of an invocation says when it was called. So the time of an invocation begins within that span. From then on it runs
 * evenly until the next invocation: it neither runs backwards nor stands still when the clock is set, or when a call
 * takes long.
 */
export const correctedClock = ({ now, elapsedMs }: Pick<Surroundings, 'now' | 'elapsedMs'>): CorrectedClock => {
  let originMs: number | undefined;
  return {
    now: () => (originMs === undefined ? now() : originMs + elapsedMs()),
    begin: ({ atLeastMs, atMostMs = Number.POSITIVE_INFINITY, timed }) => {
      const ownMs = now();
      const calledByMs = timed === undefined ? atMostMs : ownMs + timed.leftMs() - timed.timeoutMs + startSlackMs;
      originMs = Math.min(Math.max(atLeastMs, ownMs), atMostMs, Math.max(atLeastMs, calledByMs)) - elapsedMs();
    },
  };
};
