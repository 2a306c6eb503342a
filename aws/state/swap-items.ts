import { isDeepStrictEqual } from 'node:util';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { instanceIndex, items, keys } from '../../core/contract.ts';
import type { StateStore, SwapChange } from '../../core/ports/state-store.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { isConditionFailed } from '../calls/errors.ts';
import { allSettled } from '../calls/in-parallel.ts';
import { type Item, queryAll } from './query-all.ts';
import { toState } from './state-item.ts';
import { stateSchema } from './state-schema.ts';
import { readSwap } from './swap-schema.ts';
import { expiry, forward, keyOf, pastKeyOf, updateOf } from './swap-update.ts';
import type { TellUnreadable } from './unreadable.ts';

/** A value as it is after it has been stored: no undefined fields, no order of keys. */
const stored = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/**
 * Whether the table holds what we meant to write. The SDK repeats a write whose response was lost. The repeat then
 * fails its condition, although the first attempt was carried out. Reading the item back separates this case from a
 * lost race.
 */
const sameContent = (a: unknown, b: unknown): boolean => isDeepStrictEqual(stored(a), stored(b));

type Reads = Pick<StateStore, 'swaps' | 'stateAndSwaps' | 'historyOf' | 'swapOf' | 'swapNow'>;
type SwapItems = Reads & Pick<StateStore, 'claim' | 'advance' | 'retire'>;
type Deps = {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly now: () => number;
  readonly tell: TellUnreadable;
};

/**
 * A describe shows an ended instance for about an hour at most (EC2 User Guide, instance lifecycle). Older ends are
 * history.
 */
const recentMs = 3_600_000;

/** Behind the sort keys of all swaps: ids of instances are below it. */
const lastSwap = `${items.swapPrefix}~`;
const isSwapItem = ({ [keys.item]: item }: Item): boolean => String(item).startsWith(items.swapPrefix);

/** Undefined when the item cannot be read at all. Then it is no claim. */
const toSwap = ({ tell }: Deps, item: Item): Swap | undefined => {
  const { value, lost } = readSwap(item);
  if (lost.length > 0) tell({ group: String(item[keys.group]), item: String(item[keys.item]), problems: lost });
  return value;
};

const readItem = async (
  deps: Deps,
  Key: Item,
): Promise<{ readonly swap?: Swap | undefined; readonly raw?: Item | undefined }> => {
  const { Item } = await deps.client.send(new GetCommand({ TableName: deps.table, Key, ConsistentRead: true }));
  return Item === undefined ? {} : { swap: toSwap(deps, Item), raw: Item };
};

type Asked = { readonly condition: string; readonly values: Item; readonly drain?: string };

/**
 * The items of a group whose sort keys satisfy a condition. Swaps of other drains that ended long ago are left out. One
 * whose target groups are busy for longer is read until that is over, because a look moves it into history only then.
 */
const queryItems = (deps: Deps, group: string, { condition, values, drain = '' }: Asked): Promise<readonly Item[]> =>
  queryAll(deps.client, {
    TableName: deps.table,
    ConsistentRead: true,
    KeyConditionExpression: `#group = :group AND ${condition}`,
    // The attribute `state` of the state item is a map, and no map equals a text.
    FilterExpression: '#state <> :gone OR #goneAtMs > :recent OR #busyUntilMs > :recent OR #drain = :drain',
    ExpressionAttributeNames: {
      '#group': keys.group,
      '#item': keys.item,
      '#state': 'state',
      '#goneAtMs': 'goneAtMs',
      '#busyUntilMs': 'busyUntilMs',
      '#drain': 'drain',
    },
    ExpressionAttributeValues: {
      ':group': group,
      ':gone': 'gone',
      ':recent': deps.now() - recentMs,
      ':drain': drain,
      ...values,
    },
  });

/** Open swaps, and those that ended recently. */
const createReads = (deps: Deps): Reads => ({
  async swaps(group) {
    const values = { ':prefix': items.swapPrefix };
    const found = await queryItems(deps, group, { condition: 'begins_with(#item, :prefix)', values });
    return found.flatMap((item) => toSwap(deps, item) ?? []);
  },

  /** DynamoDB reads a partition in the order of its sort keys: the state item, then the swaps. */
  async stateAndSwaps(group, drain) {
    const values = { ':state': items.state, ':last': lastSwap };
    const condition = '#item BETWEEN :state AND :last';
    const [first, ...rest] = await queryItems(deps, group, { condition, values, drain });
    const hasState = first?.[keys.item] === items.state;
    const swaps = first === undefined || hasState ? rest : [first, ...rest];
    return {
      state: hasState ? toState(group, first, deps.tell) : undefined,
      swaps: swaps.filter(isSwapItem).flatMap((item) => toSwap(deps, item) ?? []),
    };
  },

  async historyOf(group, drain) {
    const found = await queryAll(deps.client, {
      TableName: deps.table,
      ConsistentRead: true,
      KeyConditionExpression: '#group = :group AND begins_with(#item, :prefix)',
      FilterExpression:
        '(#state = :gone OR attribute_exists(drainStartedAtMs) OR attribute_exists(drainedAtMs)) AND #drain = :drain',
      ExpressionAttributeNames: { '#group': keys.group, '#item': keys.item, '#state': 'state', '#drain': 'drain' },
      ExpressionAttributeValues: { ':group': group, ':prefix': items.past(''), ':gone': 'gone', ':drain': drain },
    });
    return found.flatMap((item) => toSwap(deps, item) ?? []);
  },

  /**
   * The index is eventually consistent and may hold keys only. So it only gives the key, and the item is read.
   */
  async swapOf(instance) {
    const found = await queryAll(deps.client, {
      TableName: deps.table,
      IndexName: instanceIndex.name,
      KeyConditionExpression: '#instance = :instance',
      ExpressionAttributeNames: { '#instance': instanceIndex.key },
      ExpressionAttributeValues: { ':instance': instance },
    });
    const read = await allSettled(
      found.map((item) => readItem(deps, { [keys.group]: item[keys.group], [keys.item]: item[keys.item] })),
    );
    return read.flatMap(({ swap }) => swap ?? []).toSorted((a, b) => b.claimedAtMs - a.claimedAtMs)[0];
  },

  /** A retirement writes the history first, so one of the two reads finds the swap. */
  async swapNow(swap) {
    return (await readItem(deps, keyOf(swap))).swap ?? (await readItem(deps, pastKeyOf(swap))).swap;
  },
});

const createClaim = (deps: Deps): SwapItems['claim'] => {
  const put = (
    swap: Swap,
    condition: Pick<PutCommandInput, 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>,
  ) => {
    const Item = { ...swap, schema: stateSchema, ...keyOf(swap), ...expiry(swap.state, deps.now()) };
    return deps.client
      .send(new PutCommand({ TableName: deps.table, Item, ...condition }))
      .then(() => 'done' as const, conflictOnly);
  };
  const free = { ConditionExpression: 'attribute_not_exists(#item)', ExpressionAttributeNames: { '#item': keys.item } };
  /**
   * Replaces an item that cannot be read, and so is no claim, unless another writer has claimed the instance meanwhile.
   */
  const unreadable = ({ decision }: Item) => ({
    ConditionExpression: decision === undefined ? 'attribute_not_exists(#decision)' : '#decision = :decision',
    ExpressionAttributeNames: { '#decision': 'decision' },
    ...(decision !== undefined && { ExpressionAttributeValues: { ':decision': decision } }),
  });

  return async function claim(swap): ReturnType<SwapItems['claim']> {
    if ((await put(swap, free)) === 'done') return { kind: 'claimed' };
    const { swap: existing, raw } = await readItem(deps, keyOf(swap));
    if (existing === undefined)
      return raw !== undefined && (await put(swap, unreadable(raw))) === 'done' ? { kind: 'claimed' } : claim(swap);
    const ours = existing.decision === swap.decision && existing.claimedAtMs === swap.claimedAtMs;
    return ours ? { kind: 'claimed' } : { kind: 'exists', swap: existing };
  };
};

const createAdvance =
  (deps: Deps): SwapItems['advance'] =>
  async (swap, change) => {
    const isEmpty =
      Object.values(change.set).every((value) => value === undefined) && (change.clear ?? []).length === 0;
    if (forward(change).length === 0 || isEmpty) return 'conflict';
    const command = new UpdateCommand(updateOf(deps.table, keyOf(swap), change, deps.now()));
    const outcome = await deps.client.send(command).then(() => 'done' as const, conflictOnly);
    return outcome === 'done' || holds((await readItem(deps, keyOf(swap))).swap, change) ? 'done' : 'conflict';
  };

/**
 * First the copy, then the removal. After a crash between the two, the next retirement does both again. A swap that
 * went on meanwhile, or that got the deadline of a new warning, is not over, so its copy is removed. EC2 warns once.
 */
const createRetire =
  (deps: Deps): SwapItems['retire'] =>
  async (swap) => {
    const withdrawnAtMs = deps.now();
    const past = {
      ...swap,
      ...(swap.state !== 'gone' && { state: 'withdrawn', withdrawnAtMs }),
      schema: stateSchema,
      ...pastKeyOf(swap),
      ...expiry('gone', deps.now()),
    };
    await deps.client.send(new PutCommand({ TableName: deps.table, Item: past }));
    const command = new DeleteCommand({
      TableName: deps.table,
      Key: keyOf(swap),
      ConditionExpression: '#state = :state AND NOT #deadlineMs > :deadlineMs',
      ExpressionAttributeNames: { '#state': 'state', '#deadlineMs': 'deadlineMs' },
      ExpressionAttributeValues: { ':state': swap.state, ':deadlineMs': swap.deadlineMs ?? 0 },
    });
    if ((await deps.client.send(command).then(() => 'done' as const, conflictOnly)) === 'done') return 'done';
    const { swap: now } = await readItem(deps, keyOf(swap));
    if (now?.decision !== swap.decision || now.claimedAtMs !== swap.claimedAtMs) return 'done';
    const undo = new DeleteCommand({
      TableName: deps.table,
      Key: pastKeyOf(swap),
      ConditionExpression: '#withdrawnAtMs = :withdrawnAtMs',
      ExpressionAttributeNames: { '#withdrawnAtMs': 'withdrawnAtMs' },
      ExpressionAttributeValues: { ':withdrawnAtMs': withdrawnAtMs },
    });
    await deps.client.send(undo).catch(conflictOnly);
    return 'conflict';
  };

/** Swap items: one per leaving instance, created once, moved forward only. Kept for seven days after the end. */
export const createSwapItems = (deps: Deps): SwapItems => ({
  ...createReads(deps),
  claim: createClaim(deps),
  advance: createAdvance(deps),
  retire: createRetire(deps),
});

const conflictOnly = (error: unknown): 'conflict' => {
  if (isConditionFailed(error)) return 'conflict';
  throw error;
};

/** The change is stored already: a repeat after a lost response, not a lost race. */
const holds = (swap: Swap | undefined, { set, drain, clear = [] }: SwapChange): boolean =>
  swap !== undefined &&
  clear.every((field) => swap[field] === undefined) &&
  (drain === undefined || swap.drain === drain || set.drain !== undefined) &&
  Object.entries(set).every(([field, value]) => value === undefined || sameContent(swap[field as keyof Swap], value));
