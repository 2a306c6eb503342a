import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { accountPartition, items, keys } from '../../core/contract.ts';
import { type FullAt, type PacedBucket, pacedBuckets, staleFullAt } from '../../core/limits/call-pace.ts';
import { isConditionFailed } from '../calls/errors.ts';

type Deps = { readonly client: DynamoDBDocumentClient; readonly table: string };

/** Tokens to take: the time to refill them, and the latest time at which the bucket may be full afterwards. */
export type Taking = {
  readonly bucket: PacedBucket;
  readonly costMs: number;
  readonly untilMs: number;
  readonly nowMs: number;
};

/** `fullAtMs`: when the bucket is full again, after the taking or without it. */
export type Taken = { readonly kind: 'taken' | 'over'; readonly fullAtMs: number };

/** The stored times at which the paced buckets are full again, after all calls. */
export type PaceItem = {
  take(taking: Taking): Promise<Taken>;
  /** Records that AWS found the bucket empty, so that it is full no sooner than this. */
  fullNoSooner(bucket: PacedBucket, atMs: number): Promise<void>;
  read(): Promise<FullAt>;
};

/** A short time-out, because calls go on without the item rather than wait for it. */
const hasty = { requestTimeout: 1_000 } as const;

const attributeOf = (bucket: PacedBucket): string => `${bucket}FullAtMs`;

/** The times in the item of the account. */
export const fullAtIn = (item: Readonly<Record<string, unknown>> = {}): FullAt =>
  Object.fromEntries(
    pacedBuckets.flatMap((bucket) => {
      const atMs = item[attributeOf(bucket)];
      return typeof atMs === 'number' ? [[bucket, atMs]] : [];
    }),
  );

/** The item in an error of the document client is still in the wire format. */
const unwrapped = (item: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      const number = typeof value === 'object' && value !== null && 'N' in value ? Number(value.N) : value;
      return [name, number];
    }),
  );

const Key = { [keys.group]: accountPartition, [keys.item]: items.budget };

type Change = { readonly set: string; readonly where: string; readonly values: Readonly<Record<string, number>> };
type Changed = { readonly isDone: boolean; readonly fullAtMs: number | undefined };

/** Changes the time of one bucket. Returns the new time, or the stored time that did not meet the condition. */
const change = async ({ client, table }: Deps, bucket: PacedBucket, to: Change): Promise<Changed> => {
  const command = new UpdateCommand({
    TableName: table,
    Key,
    UpdateExpression: `SET #at = ${to.set}`,
    ConditionExpression: to.where,
    ExpressionAttributeNames: { '#at': attributeOf(bucket) },
    ExpressionAttributeValues: to.values,
    ReturnValues: 'UPDATED_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes } = await client.send(command, hasty);
    return { isDone: true, fullAtMs: fullAtIn(Attributes)[bucket] };
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
    const { Item } = error as { readonly Item?: Readonly<Record<string, unknown>> };
    return { isDone: false, fullAtMs: fullAtIn(Item && unwrapped(Item))[bucket] };
  }
};

const read = async ({ client, table }: Deps): Promise<FullAt> =>
  fullAtIn((await client.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }), hasty)).Item);

/** The first taking from a bucket that is full. Undefined where it is not. */
const begin = async (deps: Deps, { bucket, costMs, nowMs }: Taking): Promise<Taken | undefined> => {
  const { beforeMs, afterMs } = staleFullAt(nowMs);
  const begun = await change(deps, bucket, {
    set: ':full',
    where: 'attribute_not_exists(#at) OR #at < :before OR #at > :after',
    values: { ':full': nowMs + costMs, ':before': beforeMs, ':after': afterMs },
  });
  return begun.isDone ? { kind: 'taken', fullAtMs: nowMs + costMs } : undefined;
};

const take = async (deps: Deps, taking: Taking): Promise<Taken> => {
  const { bucket, costMs, untilMs, nowMs } = taking;
  const { beforeMs, afterMs } = staleFullAt(nowMs);
  const added = await change(deps, bucket, {
    set: '#at + :cost',
    where: '#at BETWEEN :before AND :latest',
    values: { ':cost': costMs, ':before': beforeMs, ':latest': untilMs - costMs },
  });
  if (added.isDone) return { kind: 'taken', fullAtMs: added.fullAtMs ?? untilMs };
  // Not every service that speaks DynamoDB's protocol returns the item.
  const fullAtMs = added.fullAtMs ?? (await read(deps))[bucket];
  if (fullAtMs !== undefined && fullAtMs >= beforeMs && fullAtMs <= afterMs) {
    return fullAtMs + costMs > untilMs ? { kind: 'over', fullAtMs } : take(deps, taking);
  }
  // If that did not succeed, another writer has begun meanwhile.
  return (await begin(deps, taking)) ?? take(deps, taking);
};

/**
 * Attributes of the budget's item, one for each bucket. Writers add to a number without reading it first, so that none
 * of them loses a race.
 */
export const createPaceItem = (deps: Deps): PaceItem => {
  /**
   * When each bucket is full, as this environment last saw it. A bucket that is full again needs one write to begin.
   */
  const left = new Map<PacedBucket, number>();
  return {
    take: async (taking) => {
      // The call needs more than a full bucket has. DynamoDB would refuse the condition, whose bounds would be
      // reversed.
      if (taking.nowMs + taking.costMs > taking.untilMs) return { kind: 'over', fullAtMs: taking.nowMs };
      const isFull = (left.get(taking.bucket) ?? 0) < taking.nowMs;
      const taken = (isFull ? await begin(deps, taking) : undefined) ?? (await take(deps, taking));
      left.set(taking.bucket, taken.fullAtMs);
      return taken;
    },

    fullNoSooner: async (bucket, atMs) => {
      const where = 'attribute_not_exists(#at) OR #at < :full';
      await change(deps, bucket, { set: ':full', where, values: { ':full': atMs } });
    },

    read: () => read(deps),
  };
};
