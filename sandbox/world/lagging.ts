/** A value that readers see some time after it was written, as EC2's describes do. */
export type Lagging<T> = {
  write(value: T): void;
  /** What a describe shows now, or showed so long ago; undefined while nothing of it is visible yet. */
  read(agoMs?: number): T | undefined;
};

type Shown<T> = { readonly fromMs: number; readonly value: T };

/** Writes never overtake each other: a later one is visible no sooner than an earlier one. What was shown is kept for `keptMs`. */
export const createLagging = <T>(now: () => number, drawLagMs: () => number, keptMs = 0): Lagging<T> => {
  let shown: Shown<T>[] = [];
  const settled = (nowMs: number): Shown<T>[] => {
    if (shown.length < 2) return shown;
    const newest = shown.findLastIndex(({ fromMs }) => fromMs <= nowMs - keptMs);
    return newest > 0 ? shown.slice(newest) : shown;
  };
  return {
    write: (value) => {
      const nowMs = now();
      shown = settled(nowMs);
      const fromMs = Math.max(nowMs + drawLagMs(), shown.at(-1)?.fromMs ?? 0);
      shown = settled(nowMs).concat({ fromMs, value });
    },
    read: (agoMs = 0) => {
      const atMs = now() - Math.min(agoMs, keptMs);
      shown = settled(now());
      return shown.findLast(({ fromMs }) => fromMs <= atMs)?.value;
    },
  };
};
