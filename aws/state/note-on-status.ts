import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { items, keys } from '../../core/contract.ts';
import { isConditionFailed } from '../calls/errors.ts';

/** What is noted beside the status of a group, and about which version in force. */
export type Note = {
  readonly group: string;
  readonly version: number;
  readonly attributes: Readonly<Record<string, unknown>>;
};

/** Writes attributes of a status item while it is about this version. A later write was looked at by itself. */
export const noteOnStatus = async (
  client: DynamoDBDocumentClient,
  TableName: string,
  { group, version, attributes }: Note,
): Promise<void> => {
  const names = Object.keys(attributes);
  const command = new UpdateCommand({
    TableName,
    Key: { [keys.group]: group, [keys.item]: items.status },
    UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
    ConditionExpression: '#version = :version',
    ExpressionAttributeNames: Object.fromEntries(['version', ...names].map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(
      Object.entries({ version, ...attributes }).map(([name, value]) => [`:${name}`, value]),
    ),
  });
  await client.send(command).catch((error: unknown) => {
    if (!isConditionFailed(error)) throw error;
  });
};
