const secondMs = 1_000;

/** Moments a second apart from one time to another, with both ends. */
export const eachSecond = (fromMs: number, untilMs: number): readonly number[] =>
  Array.from({ length: Math.ceil((untilMs - fromMs) / secondMs) + 1 }, (_, index) => Math.min(untilMs, fromMs + index * secondMs));
