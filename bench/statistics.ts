/** The middle value; of an even number the upper of the two. Zero for none. */
export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** The value that this share of `of` values does not exceed, of values in ascending order. Zero for none. */
export const percentile = (ascending: readonly number[], share: number, of = ascending.length): number =>
  ascending[Math.max(0, Math.ceil(share * of) - 1)] ?? 0;
