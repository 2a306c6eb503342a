import { codeOf, isFromAws, retryOf } from '../../aws/calls/errors.ts';
import type { EndStep } from '../../core/contract.ts';
import type { ActionResult } from '../../core/ports/capacity-provider.ts';
import { drainAgainAtMs } from '../../core/times/again.ts';
import { isoOf } from '../runtime/drain/step.ts';

/** What AWS could not carry out now at the end of a drain, as the error that the execution fails with in the end. */
export type Undone = {
  readonly error: string;
  readonly cause: string;
  /** By when it must be done, epoch milliseconds. Absent: it has no such time. */
  readonly endsByMs?: number;
};

const untold = 'EndNotTold';

/** Returns an error that a repeat may solve. Any other error is thrown. */
export const onlyForNow = (error: unknown): unknown => {
  if (isFromAws(error) && retryOf(error) === 'later') return error;
  throw error;
};

const each = (codes: readonly string[]): string => [...new Set(codes)].join(', ');

/** Some instances still run, and terminating them again may succeed. */
export const instancesNotEnded = (failed: ActionResult['failed']): Undone => ({
  error: 'InstancesNotEnded',
  cause:
    `${failed.length} drained instances still run (${each(failed.map(({ code }) => code))}). ` +
    'They are recorded as drained. A tick puts them on a new drain two minutes after they drained.',
});

/** A hook that could not be completed: the error, and when the hook expires, epoch milliseconds. */
export type HeldHook = { readonly error: unknown; readonly expiresAtMs: number };

/** Auto Scaling keeps the instances of these hooks waiting. The next one that expires says by when it must be tried. */
export const hooksNotCompleted = (held: readonly HeldHook[], nowMs: number): Undone => ({
  error: 'HooksNotCompleted',
  cause:
    `${held.length} lifecycle hooks could not be completed (${each(held.map(({ error }) => codeOf(error)))}). ` +
    'Their instances wait, at the longest until the time-out of the hook.',
  endsByMs: Math.min(...held.map(({ expiresAtMs }) => expiresAtMs).filter((atMs) => atMs > nowMs)),
});

/** Everything else is done, and the event bus did not take the event about it. */
export const endNotTold = (error: unknown): Undone => ({
  error: untold,
  cause: `The drain is over, and its event could not be sent (${codeOf(error)}). The swaps hold what it reports.`,
});

/** An outage of an hour leaves no drain without its end. Long before that, new drains take over what still runs. */
const patienceMs = 65 * 60_000;

/**
 * The step after the end of a drain. What AWS could not carry out now is tried again like everything else in a drain:
 * after as long as it has failed, five seconds at least and two minutes at most. So it costs few calls. A hook is tried
 * more often as its time-out runs out.
 *
 * @param failsSinceMs when the first attempt failed. Absent: this is the first
 */
export const stepAfterEnd = (undone: Undone | undefined, nowMs: number, failsSinceMs = nowMs): EndStep => {
  if (undone === undefined) return { next: 'over' };
  const { error, cause, endsByMs } = undone;
  if (nowMs - failsSinceMs >= patienceMs) return { next: 'fail', error, cause };
  const untilIso = isoOf(drainAgainAtMs(nowMs, { sinceMs: failsSinceMs, endsByMs }));
  return { next: 'end', untilIso, failsSinceMs, ...(error === untold && { isUntold: true }) };
};
