import type { WorldClock } from '../clock.ts';
import { createPace, type Pace } from './pace.ts';
import type { SharedTime } from './shared-time.ts';
import { createTimeQueue } from './time-queue.ts';

export type LiveClockOptions = {
  /** World time at the beginning, epoch milliseconds; by default the time of the wall clock. */
  readonly originMs?: number;
  /** World seconds per wall second, at the most. */
  readonly factor?: number;
  /** Where an action's error goes. The default lets it end the process. */
  readonly onError?: (error: unknown) => void;
};

export type LiveClock = WorldClock & {
  readonly originMs: number;
  /** Wall time at the beginning, epoch milliseconds. */
  readonly wallOriginMs: number;
  readonly factor: number;
  /** The world's time for other threads. Absent: it is the wall clock's. */
  readonly time?: SharedTime;
  /** Drops everything that is still due. */
  close(): void;
};

/** The longest delay that a timer of the platform takes. */
const longestTimerMs = 2_147_483_647;

const rethrow = (error: unknown): void => {
  queueMicrotask(() => {
    throw error;
  });
};

/** The wall clock itself, which clients outside of this process share. Nothing holds it back. */
const wallPace = (originMs: number): Omit<Pace, 'time'> => {
  const startedMs = performance.now();
  return {
    now: () => originMs + Math.floor(performance.now() - startedMs),
    boundMs: () => Number.POSITIVE_INFINITY,
    busy: (work) => work,
    stop: () => undefined,
  };
};

/**
 * The wall clock, or wall time times a factor from an origin. Only the wall clock runs on whatever happens: with another factor or origin, time passes more
 * slowly while this machine does not keep up (see `createPace`).
 */
export const createLiveClock = (options: LiveClockOptions = {}): LiveClock => {
  const wallOriginMs = Date.now();
  const { originMs = wallOriginMs, factor = 1, onError = rethrow } = options;
  const queue = createTimeQueue();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const perform = (action: () => void | Promise<void>): void => {
    try {
      const outcome = action();
      if (outcome instanceof Promise) outcome.catch(onError);
    } catch (error) {
      onError(error);
    }
  };
  const arm = (): void => {
    if (timer !== undefined) clearTimeout(timer);
    timer = undefined;
    const next = queue.peek();
    // What is due past the bound is armed when the bound has moved.
    if (next === undefined || closed || next.atMs > pace.boundMs()) return;
    timer = setTimeout(fire, Math.min(Math.max(0, (next.atMs - pace.now()) / factor), longestTimerMs));
  };
  const paced = factor === 1 && originMs === wallOriginMs ? undefined : createPace(originMs, factor, arm);
  const pace = paced ?? wallPace(originMs);
  const fire = (): void => {
    for (let next = queue.peek(); next !== undefined && next.atMs <= pace.now() && !closed; next = queue.peek()) {
      queue.take();
      perform(next.action);
    }
    arm();
  };
  const at = (atMs: number, action: () => void | Promise<void>) => {
    const due = queue.add(atMs, action);
    if (queue.peek() === due) arm();
    return {
      cancel: () => {
        due.cancelled = true;
      },
    };
  };
  return {
    originMs,
    wallOriginMs,
    factor,
    ...(paced && { time: paced.time }),
    now: pace.now,
    at,
    after: (delayMs, action) => at(pace.now() + delayMs, action),
    sleep: (delayMs) => new Promise((resolve) => at(pace.now() + delayMs, resolve)),
    busy: pace.busy,
    close: () => {
      closed = true;
      pace.stop();
      arm();
    },
  };
};
