/** A clock that is corrected where it is behind. */
export type CorrectedClock = {
  now(): number;
  /** Something happened at this time, by the clock of AWS. */
  hear(happenedAtMs: number): void;
};

/**
 * The clock of an environment may be behind that of AWS, and a message was sent before it is read. So the time is never
 * earlier than that of the latest message of an invocation. Once the clock itself has passed that time, it is used
 * without a correction.
 */
export const correctedClock = (now: () => number): CorrectedClock => {
  let [heardMs, behindMs] = [0, 0];
  return {
    now: () => {
      const ownMs = now();
      return ownMs < heardMs ? ownMs + behindMs : ownMs;
    },
    hear: (happenedAtMs) => {
      heardMs = happenedAtMs;
      behindMs = Math.max(0, happenedAtMs - now());
    },
  };
};
