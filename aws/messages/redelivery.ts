import { ChangeMessageVisibilityBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Redelivery } from '../../core/ports/surroundings.ts';
import { chunks } from '../calls/chunks.ts';
import { codeOf, isFromAws } from '../calls/errors.ts';
import { inParallel } from '../calls/in-parallel.ts';

/** The most entries of one call (SQS API reference). */
const entriesPerCall = 10;
const callsAtOnce = 10;

type Deps = {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly now: () => number;
  /** Is told when messages could not be put off, and by which codes of AWS. */
  readonly unheeded: (messages: number, codes: readonly string[]) => void;
};

/**
 * A message that could not be handled stays hidden for as long as it is told here. One that cannot be put off comes
 * again at the time of the queue.
 */
export const createRedelivery = ({ client, queueUrl, now, unheeded }: Deps): Redelivery => ({
  async postpone(messages) {
    await inParallel(chunks(messages, entriesPerCall), callsAtOnce, async (part) => {
      const Entries = part.map(({ receipt, atMs }, index) => ({
        Id: String(index),
        ReceiptHandle: receipt,
        VisibilityTimeout: Math.max(0, Math.ceil((atMs - now()) / 1000)),
      }));
      try {
        const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries });
        const { Failed = [] } = await client.send(command);
        if (Failed.length > 0) unheeded(Failed.length, [...new Set(Failed.flatMap(({ Code }) => Code ?? []))]);
      } catch (error) {
        if (!isFromAws(error)) throw error;
        unheeded(part.length, [codeOf(error)]);
      }
    });
  },
});
