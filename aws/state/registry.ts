import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { RegistryEntry, StateStore } from '../../core/ports.ts';
import { items, keys, registryPartition } from '../../functions/contract.ts';
import { queryAll } from './query-all.ts';

/** Reads every group's entry: one partition, so that hundreds of groups are a few pages. */
export const createRegistry =
  ({ client, table }: { readonly client: DynamoDBDocumentClient; readonly table: string }): StateStore['registry'] =>
  async () => {
    const found = await queryAll(client, {
      TableName: table,
      ConsistentRead: true,
      // Users write into this table too: what they put into this partition is no entry.
      KeyConditionExpression: '#group = :registry AND begins_with(#item, :entry)',
      ExpressionAttributeNames: { '#group': keys.group, '#item': keys.item },
      ExpressionAttributeValues: { ':registry': registryPartition, ':entry': items.entryPrefix },
    });
    return found.map(
      ({ [keys.item]: item, ...entry }) => ({ ...entry, group: String(item).slice(items.entryPrefix.length) }) as unknown as RegistryEntry,
    );
  };
