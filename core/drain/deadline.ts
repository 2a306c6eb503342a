/** Epoch milliseconds by which an instance is gone whatever we do. Absent when there is no deadline. */
export type Deadline = number | undefined;

/** The earlier of two deadlines: a later signal can only tighten a deadline. */
export const tighter = (a: Deadline, b: Deadline): Deadline => {
  if (a === undefined) return b;
  if (b === undefined) return a;
  return Math.min(a, b);
};

/** Whether EC2 warned at this time after the deadline of an earlier warning, which it did not keep. */
export const isWarnedAgain = (deadlineMs: Deadline, warnedAtMs: number): boolean =>
  deadlineMs !== undefined && warnedAtMs > deadlineMs;
