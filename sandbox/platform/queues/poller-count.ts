import type { WorldClock } from '../../clock.ts';

/** How many batches Lambda reads at once when messages begin to come, and how many more for each second in which messages are left waiting. */
export const startsWith = 5;
const morePerSecond = 5;
/** AWS does not publish how fast Lambda removes pollers. Here, after this long without a message, it begins with five again. */
const idleAfterMs = 60_000;

export type PollerCount = {
  now(): number;
  /** Notes whether messages are left that no poller can take. */
  note(areLeft: boolean): void;
};

/**
 * How many pollers Lambda runs for a queue. It begins with five, and adds up to 300 a minute while messages are left (Lambda Developer Guide, "Scaling
 * behavior" of Amazon SQS event source mappings).
 */
export const createPollerCount = ({ clock, most }: { readonly clock: Pick<WorldClock, 'now'>; readonly most: number }): PollerCount => {
  let count = Math.min(startsWith, most);
  let leftSinceMs: number | undefined;
  let notedAtMs = clock.now();
  return {
    now: () => {
      const nowMs = clock.now();
      if (nowMs - notedAtMs >= idleAfterMs) count = Math.min(startsWith, most);
      if (leftSinceMs === undefined) return count;
      const seconds = Math.floor((nowMs - leftSinceMs) / 1_000);
      leftSinceMs += seconds * 1_000;
      count = Math.min(most, count + morePerSecond * seconds);
      return count;
    },
    note: (areLeft) => {
      notedAtMs = clock.now();
      leftSinceMs = areLeft ? (leftSinceMs ?? notedAtMs) : undefined;
    },
  };
};
