/** A clock that is corrected where it is behind. */
export type CorrectedClock = {
  now(): number;
  /** Something happened at this time, by the clock of AWS. */
  hear(happenedAtMs: number): void;
};

/**
 * The clock of an environment may be behind that of AWS, and a message was sent before it is read. So the difference
 * from the latest message of an invocation is added, until the clock jumps forward by at least as much: it was put
 * right. Within an invocation, the time never runs backwards because of a correction.
 */
export const correctedClock = (now: () => number): CorrectedClock => {
  let [readMs, behindMs] = [0, 0];
  return {
    now: () => {
      const ownMs = now();
      if (ownMs - readMs >= behindMs) behindMs = 0;
      readMs = ownMs;
      return ownMs + behindMs;
    },
    hear: (happenedAtMs) => {
      readMs = now();
      behindMs = Math.max(0, happenedAtMs - readMs);
    },
  };
};
