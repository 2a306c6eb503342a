/**
 * The world's time. Everything that waits in the sandbox (boots, queue delays, workflow waits, schedules) waits here and nowhere else.
 * Two implementations: wall time times a factor, more slowly while this machine does not keep up (live), and virtual time that moves only when nothing is
 * running (simulated).
 */
export type WorldClock = {
  /** Milliseconds since the epoch, in the world. */
  now(): number;
  /** Runs the action at that world time (or as soon as possible when it has passed). Actions due at the same time run in the order they were set. */
  at(atMs: number, action: () => void | Promise<void>): Timer;
  after(delayMs: number, action: () => void | Promise<void>): Timer;
  /** Resolves at that world time. In simulated time a sleeping caller does not hold the clock back. */
  sleep(delayMs: number): Promise<void>;
  /**
   * Real work (a database call, a function's code) is under way until the promise settles. A simulated clock stands still, a live one with a speed runs on by
   * a bounded step at the most. Only the wall clock runs on.
   */
  busy<T>(work: Promise<T>): Promise<T>;
};

export type Timer = { cancel(): void };
