import { spotNoticeMs } from './deadline.ts';
import type { Owner } from './ports.ts';
import type { Signal } from './signal.ts';

/**
 * How long what we heard or wrote down outweighs a describe that says otherwise (EC2: eventual consistency, up to
 * minutes).
 */
export const describeLagMs = 180_000;

/**
 * EC2 never takes advice back. Of an instance that still runs an hour later it says nothing that newer advice would
 * not.
 */
const adviceTellsForMs = 3_600_000;

/** An Auto Scaling group tries again within minutes: an older failure is not about what it lacks now. */
const failureTellsForMs = 300_000;

const isAlive = (owner: Owner | undefined): boolean => owner?.state === 'running' || owner?.state === 'pending';

/**
 * Whether a signal is over: what it said was to come has not come, or what it said is so no longer. Events are delayed,
 * kept in a dead-letter queue and replayed, so each is held against what EC2 shows now. One that is younger than the
 * lag of describes is believed whatever they show.
 */
export const isOver = (signal: Signal, owner: Owner | undefined, nowMs: number): boolean => {
  const ageMs = nowMs - signal.atMs;
  switch (signal.kind) {
    case 'state-change':
      return isAlive(owner) && ageMs > describeLagMs;
    case 'interruption':
      return isAlive(owner) && ageMs > spotNoticeMs + describeLagMs;
    case 'rebalance':
      return ageMs > adviceTellsForMs;
    case 'launch-unsuccessful':
      return ageMs > failureTellsForMs;
    // A hook waits up to two days; whether it still does, its Auto Scaling group says. An alarm has an age of its own.
    // The rest is about now.
    case 'terminate-hook':
    case 'alarm':
    case 'policy-change':
    case 'tick':
      return false;
  }
};
