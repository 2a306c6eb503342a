import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { items, keys } from '../../core/contract.ts';
import { type Item, queryAll } from './query-all.ts';

/** The version of a group's policy with the highest number, in force or not. */
export const latestVersion = async (
  client: DynamoDBDocumentClient,
  TableName: string,
  group: string,
): Promise<Item | undefined> => {
  const query = {
    TableName,
    ConsistentRead: true,
    ScanIndexForward: false,
    Limit: 1,
    KeyConditionExpression: '#group = :group AND begins_with(#item, :version)',
    ExpressionAttributeNames: { '#group': keys.group, '#item': keys.item },
    ExpressionAttributeValues: { ':group': group, ':version': items.versionPrefix },
  };
  const [item] = await queryAll(client, query, 1);
  return item;
};
