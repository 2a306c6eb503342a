import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { ownMessages } from '../../core/contract.ts';
import type { Wakes } from '../../core/ports/surroundings.ts';
import { ownMessage } from './own-message.ts';

/**
 * Longest delay of a message (SQS Developer Guide). A later wake is sent with this delay; the tick comes long before
 * it.
 */
const longestDelaySeconds = 900;

type Deps = { readonly client: SQSClient; readonly queueUrl: string; readonly now: () => number };

export const createWakes = ({ client, queueUrl, now }: Deps): Wakes => ({
  async wake(groups, atMs) {
    const nowMs = now();
    const DelaySeconds = Math.min(longestDelaySeconds, Math.max(0, Math.ceil((atMs - nowMs) / 1000)));
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: ownMessage(ownMessages.tick, groups, nowMs),
        DelaySeconds,
      }),
    );
  },
});
