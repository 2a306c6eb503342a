import type { Random } from '../../random.ts';
import { type Catcher, type Retrier, type State, StateError } from './definition.ts';

/** Errors that `States.ALL` does not catch. */
const terminal = ['States.DataLimitExceeded', 'States.Runtime'];

const matches = (names: readonly string[], error: string): boolean => {
  if (names.includes(error)) return true;
  if (terminal.includes(error)) return false;
  if (names.includes('States.ALL')) return true;
  return names.includes('States.TaskFailed') && error !== 'States.Timeout';
};

export const catcherFor = (state: State, { error }: StateError): Catcher | undefined =>
  state.Catch?.find(({ ErrorEquals }) => matches(ErrorEquals, error));

export type RetryPlan = {
  /** Seconds to wait before the next attempt; undefined when there is none. Each retrier counts its own attempts. */
  next(error: StateError): number | undefined;
  readonly count: number;
};

const delaySeconds = (retrier: Retrier, attempt: number, random: Random): number => {
  const { IntervalSeconds = 1, BackoffRate = 2, MaxDelaySeconds = Number.POSITIVE_INFINITY, JitterStrategy = 'NONE' } = retrier;
  const delay = Math.min(IntervalSeconds * BackoffRate ** attempt, MaxDelaySeconds);
  return JitterStrategy === 'FULL' ? delay * random() : delay;
};

/** Rules: Step Functions Developer Guide, "Handling errors in Step Functions workflows". */
export const planRetries = (state: State, random: Random): RetryPlan => {
  const attempts = new Map<Retrier, number>();
  let count = 0;
  return {
    get count() {
      return count;
    },
    next: ({ error }) => {
      const retrier = state.Retry?.find(({ ErrorEquals }) => matches(ErrorEquals, error));
      if (retrier === undefined) return undefined;
      const done = attempts.get(retrier) ?? 0;
      if (done >= (retrier.MaxAttempts ?? 3)) return undefined;
      attempts.set(retrier, done + 1);
      count += 1;
      return delaySeconds(retrier, done, random);
    },
  };
};

/** What passes between states. Rules: Step Functions quotas, "Maximum input or output size". */
const largestPayloadBytes = 262_144;

/** @throws States.DataLimitExceeded */
export const withinLimit = (value: unknown, what: string): unknown => {
  if (value !== undefined && Buffer.byteLength(JSON.stringify(value)) > largestPayloadBytes) {
    throw new StateError('States.DataLimitExceeded', `${what} exceeds the maximum number of ${largestPayloadBytes} bytes.`);
  }
  return value;
};
