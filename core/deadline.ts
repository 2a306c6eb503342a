/** Epoch milliseconds by which an instance is gone whatever we do. Absent when there is no deadline. */
export type Deadline = number | undefined;

/** The earlier of two deadlines: a later signal can only tighten a deadline. */
export const tighter = (a: Deadline, b: Deadline): Deadline => {
  if (a === undefined) return b;
  if (b === undefined) return a;
  return Math.min(a, b);
};

/** Time kept free before a deadline for the last calls of a drain, and for clocks that differ. */
export const deadlineMarginMs = 10_000;

/**
 * EC2 sends a spot warning two minutes before it stops or terminates the instance (EC2 User Guide, spot instance
 * termination notices).
 */
export const spotNoticeMs = 120_000;
