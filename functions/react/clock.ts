import type { Surroundings } from '../../core/contract.ts';

/** A clock that is corrected where it is behind. */
export type CorrectedClock = {
  now(): number;
  /** An invocation begins. Something happened at this time before it, by the clock of AWS. */
  hear(happenedAtMs: number): void;
};

/**
 * The clock of an environment may be behind that of AWS, and a message was sent before it is read. So the time of an
 * invocation begins no earlier than its latest message. From then on it runs evenly until the next invocation: it
 * neither runs backwards nor stands still when the clock is set, or when a call takes long.
 */
export const correctedClock = ({ now, elapsedMs }: Pick<Surroundings, 'now' | 'elapsedMs'>): CorrectedClock => {
  let originMs: number | undefined;
  return {
    now: () => (originMs === undefined ? now() : originMs + elapsedMs()),
    hear: (happenedAtMs) => {
      originMs = Math.max(happenedAtMs, now()) - elapsedMs();
    },
  };
};
