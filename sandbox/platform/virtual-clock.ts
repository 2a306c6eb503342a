import type { WorldClock } from '../clock.ts';
import { createTimeQueue } from './time-queue.ts';

/** How far to let time run: to a moment, until a condition is true, or (with neither) until nothing is left to happen. */
export type RunLimit = { readonly untilMs?: number; readonly until?: () => boolean };
/** Why it stopped: the moment came, the condition is true, or nothing is left to happen. */
export type RunEnd = 'time' | 'condition' | 'empty';

export type VirtualClock = WorldClock & {
  /** Moves time from one event to the next, never while work is under way. Rejects with the first error that an action threw. */
  run(limit?: RunLimit): Promise<RunEnd>;
  /** Lets time run until this promise settles, and returns its value. Rejects if nothing is left that could settle it. */
  drive<T>(work: Promise<T>): Promise<T>;
};

/** Promise chains end within one turn of the event loop; a few turns in a row also cover work that hops from one turn to the next. */
const quietTurns = 4;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Code that waits for a call may read files at the same time (the configuration of another client). That takes wall time, but no time in the world. */
const readsFiles = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq') || name === 'CloseReq');

/** Real work under way, and how to wait until there is none. */
const createWork = () => {
  let underWay = 0;
  let idle: (() => void) | undefined;
  const settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < quietTurns; ) {
      if (underWay === 0) {
        quiet = readsFiles() ? 0 : quiet + 1;
        await turn();
        continue;
      }
      quiet = 0;
      await new Promise<void>((resolve) => {
        idle = resolve;
      });
    }
  };
  const busy = async <T>(work: Promise<T>): Promise<T> => {
    underWay += 1;
    try {
      return await work;
    } finally {
      underWay -= 1;
      if (underWay === 0) {
        idle?.();
        idle = undefined;
      }
    }
  };
  return { settle, busy };
};

/** Virtual time: stands still while anything runs, then jumps to the next thing that is due. The same actions give the same order, always. */
export const createVirtualClock = (startMs: number): VirtualClock => {
  const queue = createTimeQueue();
  const work = createWork();
  let nowMs = startMs;
  let failure: { readonly error: unknown } | undefined;
  let running = false;

  const fail = (error: unknown): void => {
    failure ??= { error };
  };
  const perform = (action: () => void | Promise<void>): void => {
    try {
      const outcome = action();
      if (outcome instanceof Promise) outcome.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
  const throwFailure = (): void => {
    if (failure === undefined) return;
    const { error } = failure;
    failure = undefined;
    throw error;
  };
  /** Takes the next event that is due within the limit; false when there is none. */
  const step = (untilMs: number): boolean => {
    const next = queue.peek();
    if (next === undefined || next.atMs > untilMs) return false;
    queue.take();
    nowMs = Math.max(nowMs, next.atMs);
    perform(next.action);
    return true;
  };
  const advance = async (limit: RunLimit): Promise<RunEnd> => {
    const untilMs = limit.untilMs ?? Number.POSITIVE_INFINITY;
    for (;;) {
      await work.settle();
      throwFailure();
      if (limit.until?.()) return 'condition';
      if (step(untilMs)) continue;
      if (limit.untilMs === undefined) return 'empty';
      nowMs = Math.max(nowMs, limit.untilMs);
      return 'time';
    }
  };
  const run = async (limit: RunLimit = {}): Promise<RunEnd> => {
    if (running) throw new Error('The clock is already running: wait for the first run to end, or use clock.sleep.');
    running = true;
    try {
      return await advance(limit);
    } finally {
      running = false;
    }
  };
  const at = (atMs: number, action: () => void | Promise<void>) => {
    const due = queue.add(Math.max(atMs, nowMs), action);
    return {
      cancel: () => {
        due.cancelled = true;
      },
    };
  };
  return {
    now: () => nowMs,
    at,
    after: (delayMs, action) => at(nowMs + delayMs, action),
    sleep: (delayMs) => new Promise((resolve) => at(nowMs + delayMs, resolve)),
    busy: work.busy,
    run,
    drive: async (promise) => {
      let settled = false;
      const mark = (): void => {
        settled = true;
      };
      promise.then(mark, mark);
      if ((await run({ until: () => settled })) === 'empty') throw new Error('Nothing is left to happen, and what was waited for did not come.');
      return promise;
    },
  };
};
