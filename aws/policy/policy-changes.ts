import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { ownMessages } from '../../core/contract.ts';
import type { PolicyChanges } from '../../core/policy/ports.ts';
import { ownMessage } from '../messages/own-message.ts';

export type PolicyChangesDeps = { readonly client: SQSClient; readonly queueUrl: string };

/** Reports policy changes through the signals queue. */
export const createPolicyChanges = ({ client, queueUrl }: PolicyChangesDeps): PolicyChanges => ({
  async tell(group, atMs) {
    await client.send(
      new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: ownMessage(ownMessages.policyChange, [group], atMs) }),
    );
  },
});
