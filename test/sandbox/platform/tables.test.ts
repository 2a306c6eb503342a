import { describe, expect, it } from 'vitest';
import type { InvocationResult } from '../../../sandbox/platform/functions/invocation.ts';
import { createTables, type TableSpec } from '../../../sandbox/platform/tables/dynamodb.ts';
import type { StreamRecord } from '../../../sandbox/platform/tables/stream.ts';
import { type StreamPollerOptions, startStreamPoller } from '../../../sandbox/platform/tables/stream-poller.ts';
import { createVirtualClock } from '../../../sandbox/platform/virtual-clock.ts';

const arn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/groups';
const spec: TableSpec = {
  name: 'groups',
  arn,
  keySchema: [
    { AttributeName: 'group', KeyType: 'HASH' },
    { AttributeName: 'item', KeyType: 'RANGE' },
  ],
  attributes: [
    { AttributeName: 'group', AttributeType: 'S' },
    { AttributeName: 'item', AttributeType: 'S' },
    { AttributeName: 'instance', AttributeType: 'S' },
  ],
  indexes: [{ IndexName: 'by-instance', KeySchema: [{ AttributeName: 'instance', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } }],
  stream: { arn: `${arn}/stream/1`, viewType: 'NEW_AND_OLD_IMAGES' },
  ttlAttribute: 'expiresAt',
};

const setUp = () => {
  const clock = createVirtualClock(Date.parse('2026-01-01T00:00:00Z'));
  const tables = createTables(clock);
  tables.add(spec);
  // biome-ignore lint/suspicious/noExplicitAny: answers are of many shapes.
  const call = async (operation: string, input: Record<string, unknown> = {}): Promise<any> =>
    tables.service.operations[operation]?.({ TableName: 'groups', ...input }, { kind: 'operator' });
  const put = (group: string, item: string, more: Record<string, unknown> = {}) =>
    call('PutItem', { Item: { group: { S: group }, item: { S: item }, ...more } });
  return { clock, tables, call, put };
};

describe('tables', () => {
  it('keep items, and give them by key, by partition and by index', async () => {
    const { call, put, tables } = setUp();
    await put('a', 'swap#2', { instance: { S: 'i-2' } });
    await put('a', 'swap#1', { instance: { S: 'i-1' } });
    await put('b', 'state');
    const key = { group: { S: 'a' }, item: { S: 'swap#1' } };
    expect((await call('GetItem', { Key: key })).Item.instance).toEqual({ S: 'i-1' });
    const found = await call('Query', {
      KeyConditionExpression: '#g = :g AND begins_with(#i, :i)',
      ExpressionAttributeNames: { '#g': 'group', '#i': 'item' },
      ExpressionAttributeValues: { ':g': { S: 'a' }, ':i': { S: 'swap#' } },
    });
    expect(found.Items.map((item: { item: { S: string } }) => item.item.S)).toEqual(['swap#1', 'swap#2']);
    const indexed = await call('Query', {
      IndexName: 'by-instance',
      KeyConditionExpression: 'instance = :i',
      ExpressionAttributeValues: { ':i': { S: 'i-2' } },
    });
    expect(indexed.Items).toHaveLength(1);
    expect(await tables.scan('groups')).toHaveLength(3);
    await call('DeleteItem', { Key: key });
    expect(await call('GetItem', { Key: key })).toEqual({});
  });

  it('page a query by its limit', async () => {
    const { call, put } = setUp();
    for (const item of ['1', '2', '3', '4', '5']) await put('a', item);
    const seen: string[] = [];
    let start: unknown;
    do {
      const page = await call('Query', {
        KeyConditionExpression: '#g = :g',
        ExpressionAttributeNames: { '#g': 'group' },
        ExpressionAttributeValues: { ':g': { S: 'a' } },
        Limit: 2,
        ScanIndexForward: false,
        ...(start !== undefined && { ExclusiveStartKey: start }),
      });
      seen.push(...page.Items.map((item: { item: { S: string } }) => item.item.S));
      start = page.LastEvaluatedKey;
    } while (start !== undefined);
    expect(seen).toEqual(['5', '4', '3', '2', '1']);
  });

  it('refuse a write whose condition fails, and give the item on request', async () => {
    const { call, put } = setUp();
    await put('a', 'state', { version: { N: '1' } });
    const write = {
      Key: { group: { S: 'a' }, item: { S: 'state' } },
      UpdateExpression: 'SET version = :next',
      ConditionExpression: 'version = :seen',
      ExpressionAttributeValues: { ':next': { N: '3' }, ':seen': { N: '2' } },
    };
    await expect(call('UpdateItem', write)).rejects.toMatchObject({ code: 'ConditionalCheckFailedException', members: {} });
    await expect(call('UpdateItem', { ...write, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })).rejects.toMatchObject({
      members: { Item: { version: { N: '1' } } },
    });
    await expect(call('GetItem', { TableName: 'none', Key: write.Key })).rejects.toMatchObject({ code: 'ResourceNotFoundException' });
    await expect(call('PutItem', { Item: { group: { S: 'a' } } })).rejects.toMatchObject({ code: 'ValidationException' });
    expect((await call('DescribeTable')).Table).toMatchObject({ TableStatus: 'ACTIVE', TableArn: arn });
    expect((await call('DescribeTimeToLive')).TimeToLiveDescription.AttributeName).toBe('expiresAt');
  });

  it('let only one of many concurrent conditional writes through', async () => {
    const { call, put } = setUp();
    await put('a', 'state', { version: { N: '0' } });
    const race = Array.from({ length: 20 }, () =>
      call('UpdateItem', {
        Key: { group: { S: 'a' }, item: { S: 'state' } },
        UpdateExpression: 'SET version = :next',
        ConditionExpression: 'version = :seen',
        ExpressionAttributeValues: { ':next': { N: '1' }, ':seen': { N: '0' } },
      }).then(
        () => 'won',
        () => 'lost',
      ),
    );
    expect((await Promise.all(race)).filter((outcome) => outcome === 'won')).toHaveLength(1);
  });
});

describe('a table stream', () => {
  const follow = (tables: ReturnType<typeof createTables>): StreamRecord[] => {
    const records: StreamRecord[] = [];
    tables.stream(`${arn}/stream/1`)?.subscribe((record) => void records.push(record));
    return records;
  };

  it('reports every change once, with both images, and no write without a change', async () => {
    const { call, put, tables } = setUp();
    const records = follow(tables);
    await put('a', 'policy', { v: { N: '1' } });
    await put('a', 'policy', { v: { N: '1' } });
    await put('a', 'policy', { v: { N: '2' } });
    await call('DeleteItem', { Key: { group: { S: 'a' }, item: { S: 'policy' } } });
    await call('DeleteItem', { Key: { group: { S: 'a' }, item: { S: 'none' } } });
    await call('BatchWriteItem', {
      TableName: undefined,
      RequestItems: { groups: [{ PutRequest: { Item: { group: { S: 'b' }, item: { S: 'x' } } } }] },
    });
    expect(records.map(({ eventName }) => eventName)).toEqual(['INSERT', 'MODIFY', 'REMOVE', 'INSERT']);
    expect(records[1]?.dynamodb).toMatchObject({
      Keys: { group: { S: 'a' }, item: { S: 'policy' } },
      OldImage: { v: { N: '1' } },
      NewImage: { v: { N: '2' } },
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    });
    expect(records[2]?.dynamodb).not.toHaveProperty('NewImage');
    expect(records.map(({ dynamodb }) => dynamodb.SequenceNumber)).toEqual([...records.map(({ dynamodb }) => dynamodb.SequenceNumber)].sort());
  });

  const map = (
    world: ReturnType<typeof setUp>,
    answer: (records: readonly StreamRecord[]) => InvocationResult,
    more: Partial<StreamPollerOptions> = {},
  ) => {
    const seen: string[][] = [];
    const isBehind = startStreamPoller({
      stream: world.tables.stream(`${arn}/stream/1`)!,
      clock: world.clock,
      batchSize: 10,
      windowSeconds: 0,
      filters: [],
      bisects: false,
      maximumRetryAttempts: -1,
      maximumRecordAgeSeconds: -1,
      reportsItemFailures: false,
      invoke: async (event) => {
        const { Records } = event as { Records: StreamRecord[] };
        seen.push(Records.map(({ dynamodb }) => `${dynamodb.Keys.group?.S}`));
        return answer(Records);
      },
      ...more,
    });
    return { seen, isBehind };
  };
  const ok: InvocationResult = { kind: 'ok', value: undefined };
  const no: InvocationResult = { kind: 'error', errorType: 'Error', errorMessage: 'no' };

  it('feeds a function in order, through its filters', async () => {
    const world = setUp();
    const { seen, isBehind } = map(world, () => ok, { filters: [{ dynamodb: { Keys: { item: { S: ['policy'] } } } }] });
    await world.put('a', 'policy');
    await world.put('a', 'status');
    await world.put('b', 'policy');
    expect(isBehind()).toBe(true);
    await world.clock.run();
    expect(seen).toEqual([['a', 'b']]);
    expect(isBehind()).toBe(false);
  });

  it('repeats a failed batch before anything later, and halves it to find the culprit', async () => {
    const world = setUp();
    const failed: string[] = [];
    const { seen } = map(world, (records) => (records.some(({ dynamodb }) => dynamodb.Keys.group?.S === 'b') ? no : ok), {
      bisects: true,
      maximumRetryAttempts: 1,
      onFailure: (records) => void failed.push(...records.map(({ dynamodb }) => `${dynamodb.Keys.group?.S}`)),
    });
    for (const group of ['a', 'b', 'c', 'd']) await world.put(group, 'policy');
    await world.clock.run();
    expect(seen).toEqual([['a', 'b', 'c', 'd'], ['a', 'b'], ['a'], ['b'], ['b'], ['c', 'd']]);
    expect(failed).toEqual(['b']);
  });

  it('goes on from the first record that the function names as failed', async () => {
    const world = setUp();
    let calls = 0;
    const { seen } = map(
      world,
      (records) => {
        calls += 1;
        return calls > 1 ? ok : { kind: 'ok', value: { batchItemFailures: [{ itemIdentifier: records[1]?.dynamodb.SequenceNumber }] } };
      },
      { reportsItemFailures: true },
    );
    for (const group of ['a', 'b', 'c']) await world.put(group, 'policy');
    await world.clock.run();
    expect(seen).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
    ]);
  });

  it('tries again until the records are too old', async () => {
    const world = setUp();
    const given: number[] = [];
    const { seen } = map(world, () => no, { maximumRecordAgeSeconds: 60, onFailure: (records) => void given.push(records.length) });
    await world.put('a', 'policy');
    await world.clock.run();
    expect(seen.length).toBeGreaterThan(5);
    expect(given).toEqual([1]);
  });
});
