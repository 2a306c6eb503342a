import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { items, keys, registryPartition } from '../../core/contract.ts';
import type { RegistryEntry, StateStore } from '../../core/ports/state-store.ts';
import { number, text } from './checks.ts';
import { type Item, queryAll } from './query-all.ts';
import { absentOr, eachOf, essential, maybe, orElse, type Readers, type Reading, readFields } from './readers.ts';
import type { TellUnreadable } from './unreadable.ts';

type Deps = { readonly client: DynamoDBDocumentClient; readonly table: string; readonly tell: TellUnreadable };

/** A group whose entry cannot be read in full still gets ticks: its name is the key. */
const readers: Readers<RegistryEntry> = {
  group: essential(text),
  policyVersion: orElse(number, 0),
  asgs: eachOf(text),
  former: absentOr(eachOf(text)),
  alarms: eachOf(text),
  letGoUntilMs: maybe(number),
};

const readEntry = ({ [keys.item]: item, ...entry }: Item): Reading<RegistryEntry> =>
  readFields(readers, { ...entry, group: String(item).slice(items.entryPrefix.length) });

/** Reads every group's entry: one partition, so that hundreds of groups are a few pages. */
export const createRegistry =
  ({ client, table, tell }: Deps): StateStore['registry'] =>
  async () => {
    const found = await queryAll(client, {
      TableName: table,
      ConsistentRead: true,
      // Users write into this table too. Items that they put into this partition are no entries.
      KeyConditionExpression: '#group = :registry AND begins_with(#item, :entry)',
      ExpressionAttributeNames: { '#group': keys.group, '#item': keys.item },
      ExpressionAttributeValues: { ':registry': registryPartition, ':entry': items.entryPrefix },
    });
    return found.flatMap((item) => {
      const { value, lost } = readEntry(item);
      if (lost.length > 0) tell({ group: registryPartition, item: String(item[keys.item]), problems: lost });
      return value ?? [];
    });
  };
