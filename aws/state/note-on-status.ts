import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { items, keys } from '../../core/contract.ts';
import { isConditionFailed } from '../calls/errors.ts';

/** A note beside the status of a group, and the version in force that it is about. */
export type Note = {
  readonly group: string;
  readonly version: number;
  readonly attributes: Readonly<Record<string, unknown>>;
};

/** Writes attributes of a status item if it is still about this version. A later version gets its own notes. */
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
