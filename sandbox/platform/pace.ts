import { createSharedTime, readTimeUs, type SharedTime, wallUs, writeTime } from './shared-time.ts';

/**
 * The farthest that the world's time runs on while work waits to be computed, in world milliseconds: one piece of a function's code, or one turn of this thread.
 * A function of Holdfast computes about this long between two calls, in Lambda.
 */
export const farthestAheadMs = 200;
/** How often this thread shows that it keeps up, in wall milliseconds. At a high factor more often. */
const turnEveryMs = 10;

export type Pace = {
  readonly time: SharedTime;
  /** World time in epoch milliseconds. */
  now(): number;
  /** The time that the world does not run past now, epoch milliseconds. */
  boundMs(): number;
  /** Holds the world back until the promise settles. */
  busy<T>(work: Promise<T>): Promise<T>;
  stop(): void;
};

/**
 * Lets the world's time pass `factor` times as fast as wall time, as long as this machine keeps up. Each turn of the event loop lets the world run on by a
 * bounded step, so a thread that is blocked holds it back. So does work: from its beginning until its end the world runs on by that step at the most. Then
 * time passes more slowly than was asked, and a slow machine is not taken for a slow product.
 */
export const createPace = (originMs: number, factor: number, onTurn: () => void): Pace => {
  const stepUs = farthestAheadMs * 1_000;
  const time = createSharedTime(factor);
  /** The bounds that work sets, the earliest first. */
  const holds = new Set<{ readonly boundUs: number }>();
  let boundUs = originMs * 1_000 + stepUs;
  let soon: NodeJS.Immediate | undefined;
  let stopped = false;

  const renew = (): void => {
    const nowUs = readTimeUs(time);
    const [first] = holds;
    boundUs = Math.max(boundUs, Math.min(nowUs + stepUs, first?.boundUs ?? Number.POSITIVE_INFINITY));
    writeTime(time, nowUs - wallUs() * factor, boundUs);
    onTurn();
  };
  const renewSoon = (): void => {
    if (stopped || soon !== undefined || readTimeUs(time) < boundUs) return;
    soon = setImmediate(() => {
      soon = undefined;
      renew();
    });
  };
  writeTime(time, originMs * 1_000 - wallUs() * factor, boundUs);
  const turns = setInterval(renew, Math.max(1, Math.min(turnEveryMs, farthestAheadMs / factor / 2)));
  return {
    time,
    now: () => Math.floor(readTimeUs(time) / 1_000),
    boundMs: () => boundUs / 1_000,
    busy: async (work) => {
      const hold = { boundUs: readTimeUs(time) + stepUs };
      holds.add(hold);
      try {
        return await work;
      } finally {
        holds.delete(hold);
        renewSoon();
      }
    },
    stop: () => {
      stopped = true;
      clearInterval(turns);
      if (soon !== undefined) clearImmediate(soon);
    },
  };
};
