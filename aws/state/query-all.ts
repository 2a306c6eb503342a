import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';

export type Item = Readonly<Record<string, unknown>>;

/**
 * Every item of a query, all pages: DynamoDB ends a page at one megabyte. With `most`, stops once that many are read.
 */
export const queryAll = async (
  client: DynamoDBDocumentClient,
  input: QueryCommandInput,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly Item[]> => {
  const items: Item[] = [];
  let from: QueryCommandInput['ExclusiveStartKey'];
  do {
    const page = await client.send(new QueryCommand({ ...input, ...(from && { ExclusiveStartKey: from }) }));
    items.push(...(page.Items ?? []));
    from = page.LastEvaluatedKey;
  } while (from !== undefined && items.length < most);
  return items.slice(0, most);
};
