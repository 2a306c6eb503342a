/** A value that readers see some time after it was written, as EC2's describes do. */
export type Lagging<T> = {
  write(value: T): void;
  /** What a describe shows now; undefined while nothing of it is visible yet. */
  read(): T | undefined;
};

type Shown<T> = { readonly fromMs: number; readonly value: T };

/** Writes never overtake each other: a later one is visible no sooner than an earlier one. */
export const createLagging = <T>(now: () => number, drawLagMs: () => number): Lagging<T> => {
  let shown: Shown<T>[] = [];
  const settled = (nowMs: number): Shown<T>[] => {
    let newest = -1;
    shown.forEach((entry, index) => {
      if (entry.fromMs <= nowMs) newest = index;
    });
    return newest > 0 ? shown.slice(newest) : shown;
  };
  return {
    write: (value) => {
      const nowMs = now();
      shown = settled(nowMs);
      const fromMs = Math.max(nowMs + drawLagMs(), shown.at(-1)?.fromMs ?? 0);
      shown = settled(nowMs).concat({ fromMs, value });
    },
    read: () => {
      const nowMs = now();
      shown = settled(nowMs);
      const first = shown[0];
      return first !== undefined && first.fromMs <= nowMs ? first.value : undefined;
    },
  };
};
