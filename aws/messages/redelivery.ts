import { ChangeMessageVisibilityBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Redelivery } from '../../core/ports/surroundings.ts';
import { chunks } from '../calls/chunks.ts';
import { isFromAws } from '../calls/errors.ts';
import { inParallel } from '../calls/in-parallel.ts';

/** The most entries of one call (SQS API reference). */
const entriesPerCall = 10;
const callsAtOnce = 10;

type Deps = { readonly client: SQSClient; readonly queueUrl: string; readonly now: () => number };

/** A message that could not be handled stays hidden for as long as it is told here. */
export const createRedelivery = ({ client, queueUrl, now }: Deps): Redelivery => ({
  async postpone(messages) {
    await inParallel(chunks(messages, entriesPerCall), callsAtOnce, async (part) => {
      const Entries = part.map(({ receipt, atMs }, index) => ({
        Id: String(index),
        ReceiptHandle: receipt,
        VisibilityTimeout: Math.max(0, Math.ceil((atMs - now()) / 1000)),
      }));
      try {
        await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }));
      } catch (error) {
        if (!isFromAws(error)) throw error;
      }
    });
  },
});
