import type { WorldClock } from '../../clock.ts';
import { type EventPattern, matchesPattern } from '../events/event-pattern.ts';
import type { InvocationResult } from '../functions/invocation.ts';
import type { StreamRecord, TableStream } from './stream.ts';

export type StreamPollerOptions = {
  readonly stream: TableStream;
  readonly clock: WorldClock;
  readonly batchSize: number;
  readonly windowSeconds: number;
  /** A record must match one of these; none: every record passes. */
  readonly filters: readonly EventPattern[];
  readonly bisects: boolean;
  /** -1: again and again, until the record is too old. */
  readonly maximumRetryAttempts: number;
  readonly maximumRecordAgeSeconds: number;
  readonly reportsItemFailures: boolean;
  readonly invoke: (event: unknown) => Promise<InvocationResult>;
  readonly onFailure?: (records: readonly StreamRecord[], result: InvocationResult) => void;
};

/** From a write to the invocation: the median of published measurements. */
const pollMs = 213;
/** Records live a day in the stream, whatever the mapping says. */
const retentionSeconds = 86_400;
const longestRetryDelayMs = 60_000;

type ItemFailures = { readonly batchItemFailures?: readonly { readonly itemIdentifier?: string }[] };

/** What of a batch must come again: everything from the first record that was named as failed. */
const remaining = (batch: readonly StreamRecord[], result: InvocationResult, reportsItemFailures: boolean): readonly StreamRecord[] => {
  if (result.kind !== 'ok') return batch;
  const failures = reportsItemFailures ? ((result.value as ItemFailures | undefined)?.batchItemFailures ?? []) : [];
  if (failures.length === 0) return [];
  const positions = failures.map(({ itemIdentifier }) => batch.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === itemIdentifier));
  return batch.slice(Math.max(0, Math.min(...positions)));
};

/**
 * The event source mapping from a table's stream to a function: in order, one batch at a time, again until it is done, given up or too old.
 * Rules: Lambda Developer Guide, "Using AWS Lambda with Amazon DynamoDB".
 *
 * @returns whether records are not done yet: new ones, or ones that failed and come again
 */
export const startStreamPoller = (options: StreamPollerOptions): (() => boolean) => {
  const { stream, clock, filters } = options;
  const waiting: StreamRecord[] = [];
  let working = false;

  const isTooOld = ({ dynamodb }: StreamRecord): boolean => {
    const mostSeconds = options.maximumRecordAgeSeconds < 0 ? retentionSeconds : Math.min(options.maximumRecordAgeSeconds, retentionSeconds);
    return clock.now() / 1000 - dynamodb.ApproximateCreationDateTime > mostSeconds;
  };
  const isGivenUp = (batch: readonly StreamRecord[], attempt: number): boolean =>
    (options.maximumRetryAttempts >= 0 && attempt >= options.maximumRetryAttempts) || batch.every(isTooOld);

  const process = async (batch: readonly StreamRecord[], attempt = 0): Promise<void> => {
    const result = await options.invoke({ Records: batch });
    const rest = remaining(batch, result, options.reportsItemFailures);
    if (rest.length === 0) return;
    if (rest.length < batch.length) return process(rest);
    if (options.bisects && rest.length > 1) {
      const middle = Math.ceil(rest.length / 2);
      await process(rest.slice(0, middle), attempt);
      return process(rest.slice(middle), attempt);
    }
    if (isGivenUp(rest, attempt)) return options.onFailure?.(rest, result);
    await clock.sleep(Math.min(1000 * 2 ** attempt, longestRetryDelayMs));
    return process(rest, attempt + 1);
  };
  const work = async (): Promise<void> => {
    while (waiting.length > 0) await process(waiting.splice(0, options.batchSize));
    working = false;
  };
  stream.subscribe((record) => {
    if (filters.length > 0 && !filters.some((filter) => matchesPattern(filter, record))) return;
    waiting.push(record);
    if (working) return;
    working = true;
    clock.after(pollMs + options.windowSeconds * 1000, work);
  });
  return () => working;
};
