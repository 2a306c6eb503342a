import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { ownMessages } from '../../core/contract.ts';
import type { PolicyChanges } from '../../core/policy/ports.ts';
import { registryKnownMs, tickEveryMs } from '../../core/times/times.ts';
import { ownMessage } from '../messages/own-message.ts';

export type PolicyChangesDeps = { readonly client: SQSClient; readonly queueUrl: string };

/** Ticks that may not name the group yet, because the tick uses the list of groups that it read before. */
const ticksBefore = Array.from({ length: Math.floor(registryKnownMs / tickEveryMs) }, (_, index) => index + 1);

/** Reports policy changes through the signals queue, and sends the ticks that the schedule does not send yet. */
export const createPolicyChanges = ({ client, queueUrl }: PolicyChangesDeps): PolicyChanges => ({
  async tell(group, atMs, writtenAtMs) {
    const tick = ownMessage(ownMessages.tick, [group], atMs, { isScheduled: true });
    const Entries = [
      { Id: '0', MessageBody: ownMessage(ownMessages.policyChange, [group], atMs, { writtenAtMs }) },
      ...ticksBefore.map((count) => ({
        Id: String(count),
        MessageBody: tick,
        DelaySeconds: (count * tickEveryMs) / 1000,
      })),
    ];
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    if (Failed.length === 0) return;
    throw new Error(
      `Expected the queue to take the change of policy ${group}, found ${Failed.map(({ Code }) => Code).join(', ')}. ` +
        'The change is reported again.',
    );
  },
});
