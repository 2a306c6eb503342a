import { codeOf, isFromAws, retryOf } from '../../aws/calls/errors.ts';
import type { EndStep } from '../../core/contract.ts';
import type { ActionResult } from '../../core/ports/capacity-provider.ts';
import { drainAgainAtMs } from '../../core/times/again.ts';
import { isoOf } from '../runtime/drain/step.ts';

/** What AWS could not carry out now at the end of a drain, as the error that the execution fails with in the end. */
export type Undone = { readonly error: string; readonly cause: string };

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

/** Auto Scaling keeps the instances of these hooks waiting. */
export const hooksNotCompleted = (errors: readonly unknown[]): Undone => ({
  error: 'HooksNotCompleted',
  cause:
    `${errors.length} lifecycle hooks could not be completed (${each(errors.map(codeOf))}). ` +
    'Their instances wait, at the longest until the time-out of the hook.',
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
 * after as long as it has failed, five seconds at least and two minutes at most. So it costs few calls.
 *
 * @param failsSinceMs when the first attempt failed. Absent: this is the first
 */
export const stepAfterEnd = (undone: Undone | undefined, nowMs: number, failsSinceMs = nowMs): EndStep => {
  if (undone === undefined) return { next: 'over' };
  if (nowMs - failsSinceMs >= patienceMs) return { next: 'fail', ...undone };
  const untilIso = isoOf(drainAgainAtMs(nowMs, { sinceMs: failsSinceMs }));
  return { next: 'end', untilIso, failsSinceMs, ...(undone.error === untold && { isUntold: true }) };
};
