import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { PolicyChanges } from '../core/policy/ports.ts';
import { eventSource, ownMessages } from '../functions/contract.ts';

export type PolicyChangesDeps = { readonly client: SQSClient; readonly queueUrl: string };

/** Tells the loop over the signals queue, in EventBridge's envelope. */
export const createPolicyChanges = ({ client, queueUrl }: PolicyChangesDeps): PolicyChanges => ({
  async tell(group, atMs) {
    const message = { source: eventSource, 'detail-type': ownMessages.policyChange, time: new Date(atMs).toISOString(), detail: { group } };
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(message) }));
  },
});
