import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { items, keys } from '../../core/contract.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { isConditionFailed } from '../calls/errors.ts';

type Deps = { readonly client: DynamoDBDocumentClient; readonly groupsTable: string };

/** What checks of launches found: two attributes of a group's status item. */
export const createCheckItems = ({ client, groupsTable }: Deps): Pick<StateStore, 'putChecks'> => ({
  async putChecks(group, policyVersion, checks, atMs) {
    const command = new UpdateCommand({
      TableName: groupsTable,
      Key: { [keys.group]: group, [keys.item]: items.status },
      UpdateExpression: 'SET #checks = :checks, #checkedAt = :checkedAt',
      ConditionExpression: '#version = :version',
      ExpressionAttributeNames: { '#checks': 'checks', '#checkedAt': 'checkedAt', '#version': 'version' },
      ExpressionAttributeValues: {
        ':checks': checks,
        ':checkedAt': new Date(atMs).toISOString(),
        ':version': policyVersion,
      },
    });
    await client.send(command).catch((error: unknown) => {
      // The status is about another write by now, and that write is checked by itself.
      if (!isConditionFailed(error)) throw error;
    });
  },
});
