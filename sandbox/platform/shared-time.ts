/**
 * The time of a live world, as the main thread and the threads of functions compute it: wall time times a factor, and never past a bound that the main thread
 * moves. Two numbers in shared memory, in world microseconds: the world's time at wall time 0, and the bound.
 */
export type SharedTime = { readonly memory: SharedArrayBuffer; readonly factor: number };

const [originAt, boundAt] = [0, 1];

/** Wall microseconds since any moment, the same in every thread of this process. */
export const wallUs = (): number => Number(process.hrtime.bigint() / 1_000n);

export const createSharedTime = (factor: number): SharedTime => ({ memory: new SharedArrayBuffer(16), factor });

/** The bound is written last and read first, so that no reader combines a later bound with an earlier origin, and gets ahead. */
export const writeTime = ({ memory }: SharedTime, originUs: number, boundUs: number): void => {
  const words = new BigInt64Array(memory);
  Atomics.store(words, originAt, BigInt(Math.round(originUs)));
  Atomics.store(words, boundAt, BigInt(Math.round(boundUs)));
};

/** World time in microseconds. */
export const readTimeUs = ({ memory, factor }: SharedTime): number => {
  const words = new BigInt64Array(memory);
  const boundUs = Number(Atomics.load(words, boundAt));
  return Math.min(boundUs, Number(Atomics.load(words, originAt)) + wallUs() * factor);
};

/** World time in epoch milliseconds. */
export const readTimeMs = (time: SharedTime): number => Math.floor(readTimeUs(time) / 1_000);
