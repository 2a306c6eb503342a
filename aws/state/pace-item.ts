import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { accountPartition, items, keys } from '../../core/contract.ts';
import { type FullAt, type PacedBucket, pacedBuckets, staleFullAt } from '../../core/limits/call-pace.ts';
import { isConditionFailed } from '../calls/errors.ts';
import { merging } from '../calls/merging.ts';

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
export const hasty = { requestTimeout: 1_000 } as const;

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

const read = async ({ client, table }: Deps): Promise<FullAt> =>
  fullAtIn((await client.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }), hasty)).Item);

/**
 * A change of the time of one bucket. `at` is the placeholder of that time in the expressions, and `value` returns the
 * placeholder of a number in `values`.
 */
type Change = {
  readonly bucket: PacedBucket;
  readonly set: (at: string, value: (name: string) => string) => string;
  readonly where: (at: string, value: (name: string) => string) => string;
  readonly values: Readonly<Record<string, number>>;
};
type Changed = { readonly isDone: boolean; readonly fullAt: FullAt };

/**
 * Changes the times of all these buckets, or of none. Returns the new times, or the stored ones where a condition
 * failed.
 */
const change = async ({ client, table }: Deps, changes: readonly Change[]): Promise<Changed> => {
  const parts = changes.map(({ bucket, set, where, values }, index) => {
    const [at, value] = [`#at${index}`, (name: string): string => `:${name}${index}`];
    const own = Object.entries(values).map(([name, number]) => [value(name), number] as const);
    return { set: `${at} = ${set(at, value)}`, where: `(${where(at, value)})`, name: [at, attributeOf(bucket)], own };
  });
  const command = new UpdateCommand({
    TableName: table,
    Key,
    UpdateExpression: `SET ${parts.map(({ set }) => set).join(', ')}`,
    ConditionExpression: parts.map(({ where }) => where).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(parts.map(({ name }) => name)),
    ExpressionAttributeValues: Object.fromEntries(parts.flatMap(({ own }) => own)),
    ReturnValues: 'UPDATED_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    return { isDone: true, fullAt: fullAtIn((await client.send(command, hasty)).Attributes) };
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
    const { Item } = error as { readonly Item?: Readonly<Record<string, unknown>> };
    // Not every service that speaks DynamoDB's protocol returns the item.
    return { isDone: false, fullAt: Item === undefined ? await read({ client, table }) : fullAtIn(unwrapped(Item)) };
  }
};

/** Whether the bucket is full by its stored time. A time that only a wrong clock can have written does not count. */
const isFull = (bucket: PacedBucket, fullAtMs: number | undefined, nowMs: number): boolean => {
  const { beforeMs, afterMs } = staleFullAt(bucket, nowMs);
  return fullAtMs === undefined || fullAtMs < beforeMs || fullAtMs > afterMs;
};

/** The change for the first taking from a full bucket. */
const beginning = ({ bucket, costMs, nowMs }: Taking): Change => {
  const { beforeMs, afterMs } = staleFullAt(bucket, nowMs);
  return {
    bucket,
    set: (_, value) => value('full'),
    where: (at, value) => `attribute_not_exists(${at}) OR ${at} < ${value('before')} OR ${at} > ${value('after')}`,
    values: { full: nowMs + costMs, before: beforeMs, after: afterMs },
  };
};

const adding = ({ bucket, costMs, untilMs, nowMs }: Taking): Change => ({
  bucket,
  set: (at, value) => [at, value('cost')].join(' + '),
  where: (at, value) => `${at} BETWEEN ${value('before')} AND ${value('latest')}`,
  values: { cost: costMs, before: staleFullAt(bucket, nowMs).beforeMs, latest: untilMs - costMs },
});

/**
 * Takes from different buckets with one write. If a condition fails, it tries again with the stored times.
 *
 * @param seen times that may be out of date
 * @param stored times that were read since
 */
const takeEach = async (
  deps: Deps,
  takings: readonly Taking[],
  seen: FullAt,
  stored: FullAt = {},
): Promise<readonly Taken[]> => {
  const beganAtMs = ({ bucket, nowMs }: Taking): number =>
    isFull(bucket, stored[bucket], nowMs) ? nowMs : (stored[bucket] ?? nowMs);
  // DynamoDB refuses a condition whose bounds are reversed, so nothing is written for what cannot be taken.
  const isOver = (taking: Taking): boolean => beganAtMs(taking) + taking.costMs > taking.untilMs;
  const possible = takings.filter((taking) => !isOver(taking));
  const changes = possible.map((taking) =>
    (isFull(taking.bucket, seen[taking.bucket], taking.nowMs) ? beginning : adding)(taking),
  );
  const { isDone, fullAt } = changes.length === 0 ? { isDone: true, fullAt: {} } : await change(deps, changes);
  if (!isDone) return takeEach(deps, takings, fullAt, fullAt);
  return takings.map((taking) =>
    isOver(taking)
      ? { kind: 'over', fullAtMs: beganAtMs(taking) }
      : { kind: 'taken', fullAtMs: (fullAt as FullAt)[taking.bucket] ?? taking.untilMs },
  );
};

/**
 * Attributes of the budget's item, one for each bucket. Writers add to a number without reading it first, so that none
 * of them loses a race.
 */
export const createPaceItem = (deps: Deps): PaceItem => {
  /** When each bucket is full, as this environment last read it. So most takings need only one write. */
  let seen: FullAt = {};
  /** Simultaneous takings from different buckets are written together. */
  const take = merging(async (takings: readonly Taking[]): Promise<readonly Taken[]> => {
    const taken = new Map<Taking, Taken>();
    for (let left = takings; left.length > 0; left = left.filter((taking) => !taken.has(taking))) {
      const first = [...new Map(left.toReversed().map((taking) => [taking.bucket, taking])).values()];
      const results = await takeEach(deps, first, seen);
      for (const [index, result] of results.entries()) {
        const taking = first[index] as Taking;
        taken.set(taking, result);
        seen = { ...seen, [taking.bucket]: result.fullAtMs };
      }
    }
    return takings.map((taking) => taken.get(taking) as Taken);
  });
  return {
    take,

    fullNoSooner: async (bucket, atMs) => {
      const values = { full: atMs };
      const where = (at: string, value: (name: string) => string): string =>
        `attribute_not_exists(${at}) OR ${at} < ${value('full')}`;
      await change(deps, [{ bucket, set: (_, value) => value('full'), where, values }]);
    },

    read: () => read(deps),
  };
};
