import { createHash } from 'node:crypto';
import { ApiError, type ApiService } from '../../api.ts';
import type { WorldClock } from '../../clock.ts';
import type { Queue, QueueMessage } from './queue.ts';

type Input = Record<string, unknown>;
type BatchEntry = Input & { readonly Id: string };

const largestMessageBytes = 1_048_576;
const longestDelaySeconds = 900;
const longestVisibilitySeconds = 43_200;

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

const invalid = (message: string): ApiError => new ApiError('InvalidParameterValue', message);

const inRange = (value: unknown, name: string, most: number): number | undefined => {
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= most) return seconds;
  throw invalid(`Value ${value} for parameter ${name} is invalid. Reason: Must be between 0 and ${most}, if provided.`);
};

const send = (queue: Queue, { MessageBody, DelaySeconds, MessageAttributes }: Input, traceHeader: string | undefined) => {
  if (typeof MessageBody !== 'string' || MessageBody === '')
    throw new ApiError('MissingParameter', 'The request must contain the parameter MessageBody.');
  if (Buffer.byteLength(MessageBody) > largestMessageBytes) {
    throw invalid(`One or more parameters are invalid. Reason: Message must be shorter than ${largestMessageBytes} bytes.`);
  }
  const delay = inRange(DelaySeconds, 'DelaySeconds', longestDelaySeconds);
  const message = queue.send(MessageBody, (MessageAttributes as Record<string, unknown> | undefined) ?? {}, delay, traceHeader);
  return { MessageId: message.id, MD5OfMessageBody: md5(MessageBody) };
};

const changeVisibility = (queue: Queue, { ReceiptHandle, VisibilityTimeout }: Input): void => {
  const seconds = inRange(VisibilityTimeout, 'VisibilityTimeout', longestVisibilitySeconds) ?? 0;
  if (queue.changeVisibility(String(ReceiptHandle), seconds)) return;
  throw new ApiError('MessageNotInflight', 'Reason: Message does not exist or is not available for visibility timeout change.');
};

/** Ten entries at most, each with an id of its own; an entry that fails does not fail the others. */
const batch = (entries: unknown, act: (entry: BatchEntry) => Input | undefined) => {
  const all = Array.isArray(entries) ? (entries as BatchEntry[]) : [];
  if (all.length === 0) throw new ApiError('EmptyBatchRequest', 'There should be at least one entry in the request.');
  if (all.length > 10)
    throw new ApiError('TooManyEntriesInBatchRequest', `Maximum number of entries per request are 10. You have sent ${all.length}.`);
  if (new Set(all.map(({ Id }) => Id)).size < all.length)
    throw new ApiError('BatchEntryIdsNotDistinct', 'Two or more batch entries have the same Id.');
  const Successful: Input[] = [];
  const Failed: Input[] = [];
  for (const entry of all) {
    try {
      Successful.push({ Id: entry.Id, ...act(entry) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      Failed.push({ Id: entry.Id, SenderFault: true, Code: error.code, Message: error.message });
    }
  }
  return { Successful, Failed };
};

export const systemAttributes = (message: QueueMessage): Readonly<Record<string, string>> => ({
  ApproximateReceiveCount: String(message.receiveCount),
  SentTimestamp: String(message.sentAtMs),
  SenderId: 'AIDASANDBOX',
  ApproximateFirstReceiveTimestamp: String(message.firstReceivedAtMs ?? message.sentAtMs),
  ...(message.traceHeader && { AWSTraceHeader: message.traceHeader }),
});

const asReceived = (message: QueueMessage) => ({
  MessageId: message.id,
  ReceiptHandle: message.receipt,
  Body: message.body,
  MD5OfBody: md5(message.body),
  Attributes: systemAttributes(message),
  ...(Object.keys(message.attributes).length > 0 && { MessageAttributes: message.attributes }),
});

const attributesOf = (queue: Queue): Readonly<Record<string, string>> => {
  const { visible, inFlight, delayed } = queue.counts();
  const { redrive } = queue;
  return {
    QueueArn: queue.arn,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    VisibilityTimeout: String(queue.visibilitySeconds),
    DelaySeconds: String(queue.delaySeconds),
    MessageRetentionPeriod: String(queue.retentionSeconds),
    ...(redrive && { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: redrive.deadLetterArn, maxReceiveCount: redrive.maxReceiveCount }) }),
  };
};

const shownAttributes = (queue: Queue, { AttributeNames = [] }: { AttributeNames?: readonly string[] }) => {
  const all = Object.entries(attributesOf(queue));
  const shown = AttributeNames.includes('All') ? all : all.filter(([name]) => AttributeNames.includes(name));
  return shown.length > 0 ? { Attributes: Object.fromEntries(shown) } : {};
};

/** Waits for a message as long as the caller wants to, at most the 20 seconds that SQS allows. */
const receive = async (queue: Queue, input: Input, clock: WorldClock) => {
  const max = inRange(input.MaxNumberOfMessages ?? 1, 'MaxNumberOfMessages', 10) ?? 1;
  const visibility = inRange(input.VisibilityTimeout, 'VisibilityTimeout', longestVisibilitySeconds);
  const untilMs = clock.now() + 1000 * (inRange(input.WaitTimeSeconds, 'WaitTimeSeconds', 20) ?? 0);
  let messages = queue.receive(max, visibility);
  while (messages.length === 0 && clock.now() < untilMs) {
    await clock.sleep(Math.min(200, untilMs - clock.now()));
    messages = queue.receive(max, visibility);
  }
  return messages.length > 0 ? { Messages: messages.map(asReceived) } : {};
};

/**
 * SQS over the stack's queues.
 *
 * @param traced the trace header of the present sender, if it is a function that a message called
 */
export const createSqs = (queues: readonly Queue[], clock: WorldClock, traced: () => string | undefined = () => undefined): ApiService => {
  const byName = (name: unknown): Queue => {
    const queue = queues.find((candidate) => candidate.name === name);
    if (queue === undefined) throw new ApiError('QueueDoesNotExist', 'The specified queue does not exist.');
    return queue;
  };
  const of = ({ QueueUrl }: Input): Queue => byName(String(QueueUrl).split('/').at(-1));
  const onEntries = (input: Input, act: (queue: Queue, entry: Input) => Input | undefined) => {
    const queue = of(input);
    return batch(input.Entries, (entry) => act(queue, entry));
  };
  return {
    service: 'sqs',
    operations: {
      SendMessage: (input) => send(of(input), input, traced()),
      SendMessageBatch: (input) => onEntries(input, (queue, entry) => send(queue, entry, traced())),
      ReceiveMessage: (input) => receive(of(input), input, clock),
      DeleteMessage: (input) => {
        of(input).delete(String(input.ReceiptHandle));
        return {};
      },
      DeleteMessageBatch: (input) =>
        onEntries(input, (queue, entry) => {
          queue.delete(String(entry.ReceiptHandle));
          return {};
        }),
      ChangeMessageVisibility: (input) => {
        changeVisibility(of(input), input);
        return {};
      },
      ChangeMessageVisibilityBatch: (input) =>
        onEntries(input, (queue, entry) => {
          changeVisibility(queue, entry);
          return {};
        }),
      GetQueueUrl: (input) => ({ QueueUrl: byName(input.QueueName).url }),
      GetQueueAttributes: (input) => shownAttributes(of(input), input),
      ListQueues: ({ QueueNamePrefix = '' }) => {
        return { QueueUrls: queues.filter(({ name }) => name.startsWith(String(QueueNamePrefix))).map(({ url }) => url) };
      },
      PurgeQueue: (input) => {
        of(input).purge();
        return {};
      },
    },
  };
};
