import { spotNoticeMs } from './deadline.ts';
import type { Owner } from './ports.ts';
import type { Signal } from './signal.ts';

/**
 * How long what we heard or wrote down outweighs a describe that says otherwise (EC2: eventual consistency, up to
 * minutes).
 */
export const describeLagMs = 180_000;

/** EC2 never withdraws advice. When the instance still runs an hour later, the advice is out of date. */
const adviceTellsForMs = 3_600_000;

/** An Auto Scaling group tries again within minutes, so an older failure says nothing about what it lacks now. */
const failureTellsForMs = 300_000;

/** Whether EC2 shows an instance, and as one that has not ended. */
export const isAlive = (owner: Owner | undefined): boolean => owner?.state === 'running' || owner?.state === 'pending';

/**
 * Whether a signal is out of date: what it announced did not happen, or what it reported has changed. Events may be
 * delayed, kept in a dead-letter queue and replayed, so each is compared with what EC2 shows now. A signal younger than
 * the lag of describes is believed, whatever they show.
 */
export const isOver = (signal: Signal, owner: Owner | undefined, nowMs: number): boolean => {
  const ageMs = nowMs - signal.atMs;
  switch (signal.kind) {
    case 'state-change':
      // What was stopped and then started again has a later launch time.
      return isAlive(owner) && (ageMs > describeLagMs || (owner?.launchedAtMs ?? 0) > signal.atMs);
    case 'interruption':
      return isAlive(owner) && ageMs > spotNoticeMs + describeLagMs;
    case 'rebalance':
      return ageMs > adviceTellsForMs;
    case 'launch-unsuccessful':
      return ageMs > failureTellsForMs;
    // A hook waits up to two days, and its Auto Scaling group says whether it still does. An alarm has a limit of its
    // own. Other signals are about the present.
    case 'terminate-hook':
    case 'alarm':
    case 'drain-stopped':
    case 'policy-change':
    case 'tick':
      return false;
  }
};
