/** Epoch milliseconds by which an instance is gone whatever we do; absent when nothing presses. */
export type Deadline = number | undefined;

/** The earlier of two deadlines: a later signal may only tighten one. */
export const tighter = (a: Deadline, b: Deadline): Deadline => {
  if (a === undefined) return b;
  if (b === undefined) return a;
  return Math.min(a, b);
};

/** Kept free at the end of a deadline for the last calls of a drain, and for clocks that differ. */
export const deadlineMarginMs = 10_000;

/**
 * A spot warning is emitted two minutes before the instance is stopped or terminated (EC2 User Guide, spot instance
 * termination notices).
 */
export const spotNoticeMs = 120_000;
