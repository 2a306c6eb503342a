import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { ownMessages } from '../../core/contract.ts';
import { chunks } from '../calls/chunks.ts';
import { inParallel } from '../calls/in-parallel.ts';
import { groupsPerMessage, ownMessage } from './own-message.ts';

/** Entries that one SendMessageBatch takes (SQS API reference). */
const entriesPerCall = 10;
const callsAtOnce = 8;

/**
 * Sends every group its tick, and one message without groups if there are none. Groups of one message are looked at
 * together, which costs as many reads as one group.
 */
export type TickQueue = {
  /** Returns the groups whose messages the queue did not take. The next tick, a minute later, includes them again. */
  tick(
    groups: readonly string[],
  ): Promise<{ readonly failed: readonly { readonly group: string; readonly code: string }[] }>;
};

type Deps = { readonly client: SQSClient; readonly queueUrl: string; readonly now: () => number };

export const createTickQueue = ({ client, queueUrl, now }: Deps): TickQueue => ({
  async tick(groups) {
    const messages = groups.length === 0 ? [[]] : chunks(groups, groupsPerMessage);
    const parts = await inParallel(chunks(messages, entriesPerCall), callsAtOnce, async (part) => {
      const Entries = part.map((named, index) => ({
        Id: String(index),
        MessageBody: ownMessage(ownMessages.tick, named, now(), { isScheduled: true }),
      }));
      const { Failed } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      return (Failed ?? []).flatMap(({ Id, Code }) =>
        (part[Number(Id)] ?? []).map((group) => ({ group, code: Code ?? 'Unknown' })),
      );
    });
    return { failed: parts.flat() };
  },
});
