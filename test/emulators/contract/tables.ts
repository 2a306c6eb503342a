import { DeleteCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import { codeOf, isConditionFailed, isGone } from '../../../aws/calls/errors.ts';
import { type Cloud, stateTable as TableName } from './cloud.ts';
import { type Expectation, refusal } from './expectation.ts';

const api = (operation: string): string => `https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_${operation}.html`;
const conditions = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html';

const put = ({ tables }: Cloud, Item: Record<string, unknown>, more: object = {}) => tables.send(new PutCommand({ TableName, Item, ...more }));
const get = async ({ tables }: Cloud, item: string) =>
  (await tables.send(new GetCommand({ TableName, Key: { group: 'contract', item }, ConsistentRead: true }))).Item;
const once = { ConditionExpression: 'attribute_not_exists(#item)', ExpressionAttributeNames: { '#item': 'item' } };

export const tables: readonly Expectation[] = [
  {
    call: 'PutItem',
    rule: 'under a condition that fails writes nothing and fails with ConditionalCheckFailedException',
    source: api('PutItem'),
    async check(cloud) {
      await put(cloud, { group: 'contract', item: 'claim', by: 'first' }, once);
      expect(isConditionFailed(await refusal(put(cloud, { group: 'contract', item: 'claim', by: 'second' }, once)))).toBe(true);
      expect(await get(cloud, 'claim')).toMatchObject({ by: 'first' });
    },
  },
  {
    call: 'GetItem',
    rule: 'returns the item as it was written, nested maps, lists, numbers and empty strings included, and nothing for a key that is absent',
    source: api('GetItem'),
    async check(cloud) {
      const Item = { group: 'contract', item: 'shape', map: { list: [1, 'two', { three: true }], none: null, empty: '' }, big: 1_800_000_000_000.5 };
      await put(cloud, Item);
      expect(await get(cloud, 'shape')).toEqual(Item);
      expect(await get(cloud, 'absent')).toBeUndefined();
    },
  },
  {
    call: 'UpdateItem',
    rule: 'sets attributes under a condition with IN and AND, and fails with ConditionalCheckFailedException otherwise',
    source: conditions,
    async check(cloud) {
      await put(cloud, { group: 'contract', item: 'move', state: 'leaving', drain: 'd1' });
      const move = (drain: string) =>
        cloud.tables.send(
          new UpdateCommand({
            TableName,
            Key: { group: 'contract', item: 'move' },
            UpdateExpression: 'SET #set0 = :set0, #set1 = :set1',
            ConditionExpression: '#state IN (:from0, :from1) AND #drain = :drain',
            ExpressionAttributeNames: { '#state': 'state', '#drain': 'drain', '#set0': 'state', '#set1': 'at' },
            ExpressionAttributeValues: { ':from0': 'waiting', ':from1': 'leaving', ':drain': drain, ':set0': 'draining', ':set1': 7 },
          }),
        );
      expect(isConditionFailed(await refusal(move('d0')))).toBe(true);
      await move('d1');
      expect(await get(cloud, 'move')).toMatchObject({ state: 'draining', at: 7 });
      expect(isConditionFailed(await refusal(move('d1')))).toBe(true);
    },
  },
  {
    call: 'DeleteItem',
    rule: 'under a condition on an item that is absent fails with ConditionalCheckFailedException, without one it is no error',
    source: api('DeleteItem'),
    async check({ tables: client }) {
      const Key = { group: 'contract', item: 'absent' };
      const condition = {
        ConditionExpression: '#state = :gone',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':gone': 'gone' },
      };
      expect(isConditionFailed(await refusal(client.send(new DeleteCommand({ TableName, Key, ...condition }))))).toBe(true);
      await client.send(new DeleteCommand({ TableName, Key }));
    },
  },
  {
    call: 'Query',
    rule: 'ends a page at one megabyte with LastEvaluatedKey, and goes on from there until every item was given once',
    source: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.Pagination.html',
    async check(cloud) {
      const text = 'x'.repeat(100_000);
      for (let index = 0; index < 15; index += 1) await put(cloud, { group: 'pages', item: `swap#${String(index).padStart(2, '0')}`, text });
      const seen: unknown[] = [];
      let pages = 0;
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const query = { KeyConditionExpression: '#g = :g AND begins_with(#i, :p)', ExpressionAttributeNames: { '#g': 'group', '#i': 'item' } };
        const values = { ExpressionAttributeValues: { ':g': 'pages', ':p': 'swap#' } };
        const page = await cloud.tables.send(new QueryCommand({ TableName, ...query, ...values, ...(ExclusiveStartKey && { ExclusiveStartKey }) }));
        seen.push(...(page.Items ?? []).map(({ item }) => item));
        ExclusiveStartKey = page.LastEvaluatedKey;
        pages += 1;
      } while (ExclusiveStartKey);
      expect(seen).toHaveLength(15);
      expect(new Set(seen).size).toBe(15);
      expect(pages).toBeGreaterThan(1);
    },
  },
  {
    call: 'Query',
    rule: 'applies Limit before the filter, in descending order with ScanIndexForward false',
    source: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.FilterExpression.html',
    async check(cloud) {
      for (const [item, state] of Object.entries({ 'o#1': 'gone', 'o#2': 'leaving', 'o#3': 'gone' }))
        await put(cloud, { group: 'order', item, state });
      const command = new QueryCommand({
        TableName,
        Limit: 2,
        ScanIndexForward: false,
        KeyConditionExpression: '#g = :g',
        FilterExpression: '#s <> :gone OR #at > :recent',
        ExpressionAttributeNames: { '#g': 'group', '#s': 'state', '#at': 'goneAtMs' },
        ExpressionAttributeValues: { ':g': 'order', ':gone': 'gone', ':recent': 5 },
      });
      const { Items = [], ScannedCount, LastEvaluatedKey } = await cloud.tables.send(command);
      expect(Items.map(({ item }) => item)).toEqual(['o#2']);
      expect(ScannedCount).toBe(2);
      expect(LastEvaluatedKey).toEqual({ group: 'order', item: 'o#2' });
    },
  },
  {
    call: 'Query',
    rule: 'of the index finds the items that have its key, and no others',
    source: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html',
    async check(cloud) {
      await put(cloud, { group: 'index', item: 'swap#i-1', instance: 'i-contract' });
      await put(cloud, { group: 'index', item: 'state' });
      const query = {
        KeyConditionExpression: '#k = :k',
        ExpressionAttributeNames: { '#k': 'instance' },
        ExpressionAttributeValues: { ':k': 'i-contract' },
      };
      const { Items = [] } = await cloud.tables.send(new QueryCommand({ TableName, IndexName: 'by-instance', ...query }));
      expect(Items).toEqual([{ group: 'index', item: 'swap#i-1', instance: 'i-contract' }]);
    },
  },
  {
    call: 'GetItem',
    rule: 'of a table that does not exist fails with ResourceNotFoundException',
    source: api('GetItem'),
    async check({ tables: client }) {
      const error = await refusal(client.send(new GetCommand({ TableName: 'nobody', Key: { group: 'contract', item: 'shape' } })));
      expect(codeOf(error)).toBe('ResourceNotFoundException');
      expect(isGone(error)).toBe(true);
    },
  },
  {
    call: 'PutItem',
    rule: 'under a condition on a number that was read writes only while the number is unchanged, so that one of two writers gets an error',
    source: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/WorkingWithItems.html#WorkingWithItems.ConditionalUpdate',
    async check(cloud) {
      const write = (version: number, by: string) =>
        put(
          cloud,
          { group: 'contract', item: 'versioned', version, by },
          {
            ConditionExpression: 'attribute_not_exists(#version) OR #version = :previous',
            ExpressionAttributeNames: { '#version': 'version' },
            ExpressionAttributeValues: { ':previous': version - 1 },
          },
        );
      await write(1, 'first');
      await write(2, 'second');
      expect(isConditionFailed(await refusal(write(2, 'third')))).toBe(true);
      expect(await get(cloud, 'versioned')).toMatchObject({ version: 2, by: 'second' });
    },
  },
];
