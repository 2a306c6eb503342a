/** Epoch milliseconds by which an instance is gone whatever we do. Absent when there is no deadline. */
export type Deadline = number | undefined;

/** The earlier of two deadlines: a later signal can only tighten a deadline. */
export const tighter = (a: Deadline, b: Deadline): Deadline => {
  if (a === undefined) return b;
  if (b === undefined) return a;
  return Math.min(a, b);
};
