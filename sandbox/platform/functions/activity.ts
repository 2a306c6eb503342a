import type { WorldClock } from '../../clock.ts';

/**
 * Whether a function's own code is at work. Virtual time stands still while it is, even if the code waits for files, timers or the next turn of the event loop.
 * Time moves only while the code waits for nothing but the world: an API call, or a pause between two attempts.
 */
export type Activity = {
  begin(): void;
  end(): void;
  /** Waits in the world. */
  inWorld<T>(work: Promise<T>): Promise<T>;
};

/** Code that does nothing for this long, in wall time, waits for something that will never come. The world goes on, and the function's time-out ends it. */
const stuckAfterMs = 20_000;

export const createActivity = (clock: Pick<WorldClock, 'busy'>, patienceMs = stuckAfterMs): Activity => {
  let running = false;
  let waiting = 0;
  let release: (() => void) | undefined;
  const update = (): void => {
    const isAtWork = running && waiting === 0;
    if (isAtWork && release === undefined) {
      const work = Promise.withResolvers<void>();
      const patience = setTimeout(work.resolve, patienceMs).unref();
      release = () => {
        clearTimeout(patience);
        work.resolve();
      };
      // This promise only keeps the clock still. It cannot fail.
      void clock.busy(work.promise);
    } else if (!isAtWork) {
      release?.();
      release = undefined;
    }
  };
  const set = (isRunning: boolean) => (): void => {
    running = isRunning;
    update();
  };
  return {
    begin: set(true),
    end: set(false),
    inWorld: async (work) => {
      waiting += 1;
      update();
      try {
        return await work;
      } finally {
        waiting -= 1;
        update();
      }
    },
  };
};
