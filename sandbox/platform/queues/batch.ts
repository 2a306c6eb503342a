import { type EventPattern, matchesPattern } from '../events/event-pattern.ts';
import type { InvocationResult } from '../functions/invocation.ts';
import type { Queue, QueueMessage } from './queue.ts';
import { systemAttributes } from './sqs.ts';

/** From a message's arrival to the invocation: the median of published measurements. */
export const pollMs = 16;

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

/** The event that a function gets for a batch. */
export const eventOf = (batch: readonly QueueMessage[], queue: Queue, region: string): unknown => ({
  Records: batch.map((message) => asRecord(message, queue, region)),
});

/** A filter looks into a body that is JSON as an object, and takes any other as text. */
const filterView = (message: QueueMessage): Record<string, unknown> => {
  try {
    return { body: JSON.parse(message.body) };
  } catch {
    return { body: message.body };
  }
};

/** Receives messages. Messages that no filter matches are deleted, the others are returned. */
export const receiveFiltered = (queue: Queue, most: number, filters: readonly EventPattern[]): readonly QueueMessage[] => {
  const received = queue.receive(most);
  if (filters.length === 0) return received;
  const batch = received.filter((message) => filters.some((filter) => matchesPattern(filter, filterView(message))));
  for (const message of received) if (!batch.includes(message)) queue.delete(String(message.receipt));
  return batch;
};

type ItemFailures = { readonly batchItemFailures?: readonly { readonly itemIdentifier?: string }[] };

/** Which messages of a batch are done. A failure without an id, or with an unknown one, fails the whole batch. */
export const finished = (batch: readonly QueueMessage[], result: InvocationResult, reportsItemFailures: boolean): readonly QueueMessage[] => {
  if (result.kind !== 'ok') return [];
  const failures = reportsItemFailures ? ((result.value as ItemFailures | undefined)?.batchItemFailures ?? []) : [];
  const failed = failures.map(({ itemIdentifier }) => itemIdentifier);
  const known = new Set(batch.map(({ id }) => id));
  if (failed.some((id) => id === undefined || !known.has(id))) return [];
  return batch.filter(({ id }) => !failed.includes(id));
};
