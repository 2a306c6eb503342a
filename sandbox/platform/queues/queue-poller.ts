import type { WorldClock } from '../../clock.ts';
import type { EventPattern } from '../events/event-pattern.ts';
import { matchesPattern } from '../events/event-pattern.ts';
import type { InvocationResult } from '../functions/invocation.ts';
import type { Queue, QueueMessage } from './queue.ts';
import { systemAttributes } from './sqs.ts';

export type QueuePollerOptions = {
  readonly queue: Queue;
  readonly region: string;
  readonly batchSize: number;
  readonly windowSeconds: number;
  readonly maximumConcurrency: number;
  readonly reportsItemFailures: boolean;
  readonly filters: readonly EventPattern[];
  readonly clock: WorldClock;
  readonly invoke: (event: unknown) => Promise<InvocationResult>;
  /** Absent: every message is delivered once each time it is received. */
  readonly fate?: MessageFate;
};

/** Delays of the deliveries of one message from a queue, in milliseconds: `[0]` when nothing is wrong. */
export type MessageFate = (queue: string) => readonly number[];

/** From a message's arrival to the invocation: the median of published measurements. */
const pollMs = 16;

const asRecord = (message: QueueMessage, queue: Queue, region: string) => ({
  messageId: message.id,
  receiptHandle: message.receipt,
  body: message.body,
  attributes: systemAttributes(message),
  messageAttributes: message.attributes,
  eventSource: 'aws:sqs',
  eventSourceARN: queue.arn,
  awsRegion: region,
});

/** A filter looks into a body that is JSON as an object, and takes any other as text. */
const filterView = (message: QueueMessage): Record<string, unknown> => {
  try {
    return { body: JSON.parse(message.body) };
  } catch {
    return { body: message.body };
  }
};

type ItemFailures = { readonly batchItemFailures?: readonly { readonly itemIdentifier?: string }[] };

/** Which messages of a batch are done. A failure without an id, or with an unknown one, fails the whole batch. */
const finished = (batch: readonly QueueMessage[], result: InvocationResult, reportsItemFailures: boolean): readonly QueueMessage[] => {
  if (result.kind !== 'ok') return [];
  const failures = reportsItemFailures ? ((result.value as ItemFailures | undefined)?.batchItemFailures ?? []) : [];
  const failed = failures.map(({ itemIdentifier }) => itemIdentifier);
  const known = new Set(batch.map(({ id }) => id));
  if (failed.some((id) => id === undefined || !known.has(id))) return [];
  return batch.filter(({ id }) => !failed.includes(id));
};

/**
 * The event source mapping from a queue to a function: gathers a batch until it is full or its window has passed, deletes what was done, and leaves
 * the rest to the visibility time-out. Rules: Lambda Developer Guide, "Using Lambda with Amazon SQS".
 */
export const startQueuePoller = (options: QueuePollerOptions): void => {
  const { queue, clock, batchSize, maximumConcurrency, fate = () => [0] } = options;
  let running = 0;
  let opensAtMs: number | undefined;

  const passesFilters = (message: QueueMessage): boolean => {
    const { filters } = options;
    return filters.length === 0 || filters.some((filter) => matchesPattern(filter, filterView(message)));
  };
  const handle = async (batch: readonly QueueMessage[]): Promise<void> => {
    running += 1;
    const result = await options.invoke({ Records: batch.map((message) => asRecord(message, queue, options.region)) });
    for (const { receipt } of finished(batch, result, options.reportsItemFailures)) queue.delete(String(receipt));
    running -= 1;
    consider();
  };
  /** What comes at the same moment comes in one batch; what comes again goes to another environment. */
  const deliver = (batch: readonly QueueMessage[]): Promise<unknown> => {
    const again = batch.flatMap((message) =>
      fate(queue.name)
        .slice(1)
        .map((delayMs) => ({ message, delayMs })),
    );
    for (const [delayMs, copies] of Map.groupBy(again, (copy) => copy.delayMs))
      clock.after(delayMs, () => handle(copies.map(({ message }) => message)));
    return handle(batch);
  };
  const poll = async (): Promise<void> => {
    const received = queue.receive(batchSize);
    const batch = received.filter(passesFilters);
    for (const message of received) if (!batch.includes(message)) queue.delete(String(message.receipt));
    consider();
    if (batch.length > 0) await deliver(batch);
  };
  const consider = (): void => {
    const { visible } = queue.counts();
    if (visible === 0 || running >= maximumConcurrency) return;
    const dueMs = clock.now() + (visible >= batchSize ? pollMs : options.windowSeconds * 1000 + pollMs);
    if (opensAtMs !== undefined && opensAtMs <= dueMs) return;
    opensAtMs = dueMs;
    clock.at(dueMs, () => {
      if (opensAtMs !== dueMs) return undefined;
      opensAtMs = undefined;
      return running < maximumConcurrency ? poll() : undefined;
    });
  };
  queue.onAvailable(consider);
  consider();
};
