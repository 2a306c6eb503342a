/** Uniform in [0, 1), repeatable from its seed. */
export type Random = () => number;

/** mulberry32: 32 bits of state, good enough for a simulator and the same on every machine. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** An independent stream for a named purpose, so that a draw in one place never shifts the draws in another. */
export const forkRandom = (seed: number, purpose: string): Random => {
  let hash = seed >>> 0;
  for (const char of purpose) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return createRandom(hash);
};
