import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { items, keys, ttlAttribute } from '../../core/contract.ts';
import type { DecisionRecord, TrimmedPart } from '../../core/decision/decision-record.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { expiresAt } from './expires.ts';
import type { Item } from './query-all.ts';

type DecisionItems = Pick<StateStore, 'putDecision'>;
type Deps = { readonly client: DynamoDBDocumentClient; readonly table: string; readonly now: () => number };

/**
 * Version of the form in which decisions are stored, under attribute `schema`. Items without it have the first form,
 * which stored sentences.
 */
export const decisionSchema = 2;

const keptForSeconds = 14 * 24 * 3600;
/** DynamoDB refuses items above 400 KB. A record in the table's own form is never larger than its JSON. */
export const largestDecisionBytes = 350_000;
const trimmable: readonly TrimmedPart[] = ['rounds', 'view', 'outcome'];

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

const tooLarge = (record: DecisionRecord): boolean => bytesOf(record) > largestDecisionBytes;

const without = (record: DecisionRecord, part: TrimmedPart): DecisionRecord => {
  const { [part]: left, ...rest } = record;
  const trimmed = [...(record.trimmed ?? []), { part, bytes: bytesOf(left) }];
  return { rounds: [], ...rest, trimmed };
};

/** Leaves out parts, the largest first, until the record fits, and records what is missing. */
const fitted = (record: DecisionRecord): DecisionRecord => {
  if (!tooLarge(record)) return record;
  const parts = trimmable.toSorted((a, b) => bytesOf(record[b]) - bytesOf(record[a]));
  return parts.reduce((kept, part) => (tooLarge(kept) ? without(kept, part) : kept), record);
};

/** Decisions, kept for fourteen days. Ids begin with the time, so the order of keys is the order of time. */
export const createDecisionItems = ({ client, table, now }: Deps): DecisionItems => ({
  /** Unconditional: an id names one decision, and only its author writes it, the second time with the outcome. */
  async putDecision(record) {
    const plain = JSON.parse(JSON.stringify(fitted(record))) as Item;
    const Item = {
      ...plain,
      schema: decisionSchema,
      [keys.group]: record.group,
      [keys.item]: items.decision(record.id),
      [ttlAttribute]: expiresAt(now(), keptForSeconds),
    };
    await client.send(new PutCommand({ TableName: table, Item }));
  },
});
