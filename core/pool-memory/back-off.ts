/** Beyond this many doublings every rest is its longest. */
const mostDoublings = 10;

/** A rest that doubles with each failure in a row, from the first to the longest, in milliseconds. */
export const doublingMs = (firstMs: number, streak: number, longestMs: number): number =>
  Math.min(longestMs, firstMs * 2 ** Math.min(streak - 1, mostDoublings));
