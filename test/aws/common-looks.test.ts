import type { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCommonLooks } from '../../aws/state/common-looks.ts';
import { accountPartition, items } from '../../core/contract.ts';
import { awsError } from './fake-aws.ts';
import { startTables } from './tables.ts';

const nowMs = Date.parse('2026-07-14T12:00:00Z');
const now = () => nowMs;

describe('a look at a common time', () => {
  let tables: Awaited<ReturnType<typeof startTables>>;
  beforeAll(async () => {
    tables = await startTables();
  });
  afterAll(() => tables.stop());

  const environment = () => createCommonLooks({ client: tables.client, table: 'state', now });

  test('is arranged by one environment, however many join it at the same moment, and is for the groups of all', async () => {
    const atMs = nowMs + 10_000;
    const joins = ['web', 'api', 'jobs', 'web'].map((group) => environment().join([group, `${group}-2`], atMs));
    expect((await Promise.all(joins)).toSorted()).toEqual(['first', 'joined', 'joined', 'joined']);
    const groups = ['api', 'api-2', 'jobs', 'jobs-2', 'web', 'web-2'];
    expect((await environment().begin(atMs)).toSorted()).toEqual(groups);
    // The message may be delivered twice, and its function may have died before it looked.
    expect((await environment().begin(atMs)).toSorted()).toEqual(groups);
    expect(await environment().join(['other'], nowMs + 20_000)).toBe('first');
  });

  test('is joined by nobody once it has begun', async () => {
    const atMs = nowMs + 30_000;
    expect(await environment().join(['web'], atMs)).toBe('first');
    await environment().begin(atMs);
    expect(await environment().join(['api'], atMs)).toBe('begun');
    expect(await environment().begin(atMs)).toEqual(['web']);
  });

  test('that nobody joined, or whose item is gone, is for nobody else', async () => {
    expect(await environment().begin(nowMs + 40_000)).toEqual([]);
    expect(await environment().join(['web'], nowMs + 40_000)).toBe('begun');
  });

  test('expires by itself an hour later', async () => {
    const commands: UpdateCommand[] = [];
    const client = { send: async (command: UpdateCommand) => commands.push(command) } as never;
    const looks = createCommonLooks({ client, table: 'state', now });
    await looks.join(['web'], nowMs + 10_000);
    await looks.begin(nowMs + 10_000);
    for (const { input } of commands) {
      expect(input.Key).toEqual({ group: accountPartition, item: items.look(nowMs + 10_000) });
      expect(input.ExpressionAttributeValues?.[':expires']).toBe(nowMs / 1000 + 3_600);
    }
    expect(commands).toHaveLength(2);
  });

  test('is arranged by each environment for itself where the item cannot be written; a bug is thrown', async () => {
    const failing = (error: Error) => createCommonLooks({ client: { send: () => Promise.reject(error) } as never, table: 'state', now });
    const slow = failing(awsError('ThrottlingException'));
    expect([await slow.join(['web'], nowMs), await slow.begin(nowMs)]).toEqual(['first', []]);
    const broken = failing(new TypeError('a bug'));
    await expect(broken.join(['web'], nowMs)).rejects.toThrow('a bug');
    await expect(broken.begin(nowMs)).rejects.toThrow('a bug');
  });
});
