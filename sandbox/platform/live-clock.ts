import type { WorldClock } from '../clock.ts';
import { createTimeQueue } from './time-queue.ts';

export type LiveClockOptions = {
  /** World time at the beginning, epoch milliseconds; by default the time of the wall clock. */
  readonly originMs?: number;
  /** World seconds per wall second. */
  readonly factor?: number;
  /** Where an action's error goes. The default lets it end the process. */
  readonly onError?: (error: unknown) => void;
};

export type LiveClock = WorldClock & {
  readonly originMs: number;
  /** Wall time at the beginning, epoch milliseconds: with `originMs` and `factor` another thread computes the same world time. */
  readonly wallOriginMs: number;
  readonly factor: number;
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

/** Wall time times a factor, from an origin. */
export const createLiveClock = (options: LiveClockOptions = {}): LiveClock => {
  const wallOriginMs = Date.now();
  const startedMs = performance.now();
  const { originMs = wallOriginMs, factor = 1, onError = rethrow } = options;
  const queue = createTimeQueue();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const now = (): number => originMs + Math.floor((performance.now() - startedMs) * factor);
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
    if (next === undefined || closed) return;
    timer = setTimeout(fire, Math.min(Math.max(0, (next.atMs - now()) / factor), longestTimerMs));
  };
  const fire = (): void => {
    for (let next = queue.peek(); next !== undefined && next.atMs <= now() && !closed; next = queue.peek()) {
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
    now,
    at,
    after: (delayMs, action) => at(now() + delayMs, action),
    sleep: (delayMs) => new Promise((resolve) => at(now() + delayMs, resolve)),
    busy: (work) => work,
    close: () => {
      closed = true;
      arm();
    },
  };
};
