import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { DecisionRecord, StateStore } from '../../core/ports.ts';
import { items, keys, ttlAttribute } from '../../functions/contract.ts';
import { type Item, queryAll } from './query-all.ts';

type DecisionItems = Pick<StateStore, 'putDecision' | 'decisions'>;
type Deps = { readonly client: DynamoDBDocumentClient; readonly table: string; readonly now: () => number };

const keptForSeconds = 14 * 24 * 3600;
/** DynamoDB refuses items above 400 KB. The table's own form of a record is never larger than its JSON. */
export const largestDecisionBytes = 350_000;
const mostReasons = 200;
const trimmable = ['viewDigest', 'decision', 'outcome'] as const;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

const tooLarge = (record: DecisionRecord): boolean => bytesOf(record) > largestDecisionBytes;

/** A storm gives a reason per instance; the first of them tell the story. */
const withFewReasons = (record: DecisionRecord): DecisionRecord => {
  const left = record.because.length - mostReasons;
  return left <= 0 ? record : { ...record, because: [...record.because.slice(0, mostReasons), `and ${left} more`] };
};

const without = (record: DecisionRecord, part: (typeof trimmable)[number]): DecisionRecord => ({
  ...record,
  [part]: { trimmed: `${bytesOf(record[part])} bytes were left out: a stored decision may have ${largestDecisionBytes}` },
});

/** Leaves out parts, the largest first, until the record fits, and says in their place what is missing. */
const trimmed = (record: DecisionRecord): DecisionRecord => {
  if (!tooLarge(record)) return record;
  const parts = trimmable.toSorted((a, b) => bytesOf(record[b]) - bytesOf(record[a]));
  return parts.reduce((kept, part) => (tooLarge(kept) ? without(kept, part) : kept), withFewReasons(record));
};

const toRecord = (item: Item): DecisionRecord => {
  const { [keys.item]: _item, [ttlAttribute]: _ttl, ...record } = item;
  return record as unknown as DecisionRecord;
};

/** Decisions, kept for fourteen days. Ids begin with the time, so the order of keys is the order of time. */
export const createDecisionItems = ({ client, table, now }: Deps): DecisionItems => ({
  /** Unconditional: an id names one decision, and only its author writes it, a second time with the outcome. */
  async putDecision(record) {
    const plain = JSON.parse(JSON.stringify(trimmed(record))) as Item;
    const Item = {
      ...plain,
      [keys.group]: record.group,
      [keys.item]: items.decision(record.id),
      [ttlAttribute]: Math.floor(now() / 1000) + keptForSeconds,
    };
    await client.send(new PutCommand({ TableName: table, Item }));
  },

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
    const found = await queryAll(client, input, limit);
    return found.map(toRecord);
  },
});
