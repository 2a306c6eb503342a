const secondMs = 1_000;

/** Times from the first to the second one, a second apart, both included. In milliseconds. */
export const eachSecond = (fromMs: number, untilMs: number): readonly number[] =>
  Array.from({ length: Math.ceil((untilMs - fromMs) / secondMs) + 1 }, (_, index) => Math.min(untilMs, fromMs + index * secondMs));
