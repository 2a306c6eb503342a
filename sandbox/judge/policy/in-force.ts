/** The last of the values in order of time that was in force at a moment. */
export const latest = <T extends { readonly atMs: number }>(list: readonly T[], atMs: number): T | undefined =>
  list.findLast((one) => one.atMs <= atMs);

/** Values in force at some time between two moments: the value at the first, and every change until the second. */
export const within = <T extends { readonly atMs: number }>(list: readonly T[], fromMs: number, untilMs: number): readonly T[] => {
  const before = latest(list, fromMs);
  return [...(before === undefined ? [] : [before]), ...list.filter(({ atMs }) => atMs > fromMs && atMs <= untilMs)];
};
