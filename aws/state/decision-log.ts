import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { items, keys, ttlAttribute } from '../../core/contract.ts';
import type { DecisionLog, DecisionRecord, Unreadable } from '../../core/decision/decision-record.ts';
import { problemsOf } from './common-schema.ts';
import { decisionSchema } from './decision-items.ts';
import { type Item, queryAll } from './query-all.ts';
import { firstRecord, record } from './record-schema.ts';

type Read =
  | { readonly kind: 'read'; readonly record: DecisionRecord }
  | { readonly kind: 'unreadable'; readonly unreadable: Unreadable };

/** Reads one stored decision, of this version of the schema or of the first. */
export const readDecision = (item: Item): Read => {
  const version = item.schema ?? 1;
  const unreadable = (problems: readonly string[]): Read => ({
    kind: 'unreadable',
    unreadable: { group: String(item[keys.group]), item: String(item[keys.item]), problems },
  });
  if (version !== 1 && version !== decisionSchema)
    return unreadable([`schema: expected 1 or ${decisionSchema}, found ${JSON.stringify(version)}`]);
  const { schema: _schema, [keys.item]: _item, [ttlAttribute]: _ttl, ...fields } = item;
  const parsed = z.safeParse(version === 1 ? firstRecord : record, fields);
  return parsed.success ? { kind: 'read', record: parsed.data } : unreadable(problemsOf(parsed.error));
};

/**
 * Decisions of a group as they are stored. Functions only write them, so the code that reads them is not in their
 * bundles.
 */
export const createDecisionLog = ({
  client,
  table,
}: {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
}): DecisionLog => ({
  async decisions(group, limit) {
    const input = {
      TableName: table,
      ConsistentRead: true,
      ScanIndexForward: false,
      Limit: limit,
      KeyConditionExpression: '#group = :group AND begins_with(#item, :prefix)',
      ExpressionAttributeNames: { '#group': keys.group, '#item': keys.item },
      ExpressionAttributeValues: { ':group': group, ':prefix': items.decisionPrefix },
    };
    const found = (await queryAll(client, input, limit)).map(readDecision);
    return {
      records: found.flatMap((one) => (one.kind === 'read' ? [one.record] : [])),
      unreadable: found.flatMap((one) => (one.kind === 'unreadable' ? [one.unreadable] : [])),
    };
  },
});
