import type { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWakeClaims } from '../../aws/state/wake-claims.ts';
import { items } from '../../core/contract.ts';
import { awsError } from './fake-aws.ts';
import { startTables } from './tables.ts';

const nowMs = Date.parse('2026-07-14T12:00:00Z');

describe('the claim of a wake', () => {
  let tables: Awaited<ReturnType<typeof startTables>>;
  beforeAll(async () => {
    tables = await startTables();
  });
  afterAll(() => tables.stop());

  /** An environment whose clock shows this. */
  const environment = (atMs: number) => createWakeClaims({ client: tables.client, table: 'state', now: () => atMs });

  test('is given to one of the environments that look at the same moment', async () => {
    const looks = [0, 20, 40, 60].map((ms) => environment(nowMs + ms)('web', nowMs + 10_000 + ms));
    expect((await Promise.all(looks)).filter(Boolean)).toHaveLength(1);
    // A wake that comes up to a second after the wanted time is soon enough.
    expect(await environment(nowMs + 100)('web', nowMs + 9_100)).toBe(false);
    expect(await environment(nowMs + 100)('api', nowMs + 10_000)).toBe(true);
  });

  test('is given for an earlier wake, and once the claimed wake is over', async () => {
    expect(await environment(nowMs)('early', nowMs + 10_000)).toBe(true);
    expect(await environment(nowMs)('early', nowMs + 8_999)).toBe(true);
    expect(await environment(nowMs + 8_998)('early', nowMs + 20_000)).toBe(false);
    expect(await environment(nowMs + 10_000)('early', nowMs + 20_000)).toBe(true);
  });

  test('is not given again for a wake that an earlier one came before', async () => {
    const [laterMs, earlyMs] = [nowMs + 20_000, nowMs + 8_000];
    expect(await environment(nowMs)('twice', laterMs)).toBe(true);
    expect(await environment(nowMs)('twice', earlyMs)).toBe(true);
    // The look at the earlier time wants the later one, whose message is on its way.
    expect(await environment(earlyMs)('twice', laterMs)).toBe(false);
    expect(await environment(earlyMs)('twice', laterMs - 999)).toBe(false);
    expect(await environment(earlyMs)('twice', laterMs - 2_000)).toBe(true);
    expect(await environment(laterMs - 2_000)('twice', laterMs)).toBe(false);
    expect(await environment(laterMs)('twice', laterMs + 5_000)).toBe(true);
  });

  test('is given for a later wake that has come, where an earlier one came before it', async () => {
    const [laterMs, earlyMs] = [nowMs + 20_000, nowMs + 8_000];
    expect(await environment(nowMs)('both', laterMs)).toBe(true);
    expect(await environment(nowMs)('both', earlyMs)).toBe(true);
    expect(await environment(laterMs - 500)('both', laterMs + 10_000, laterMs)).toBe(true);
  });

  test('of an environment whose clock is ahead keeps no other environment from its wakes', async () => {
    const aheadMs = nowMs + 3_600_000;
    expect(await environment(aheadMs)('ahead', aheadMs + 10_000)).toBe(true);
    expect(await environment(nowMs)('ahead', nowMs + 10_000)).toBe(true);
  });

  test('is over when its wake has come, also where it is still to come by the clock of this environment', async () => {
    const comesMs = nowMs + 10_000;
    expect(await environment(nowMs + 5_000)('came', comesMs)).toBe(true);
    expect(await environment(nowMs)('came', nowMs + 20_000)).toBe(false);
    expect(await environment(nowMs)('came', nowMs + 20_000, comesMs - 1)).toBe(false);
    expect(await environment(nowMs)('came', nowMs + 20_000, comesMs)).toBe(true);
  });

  test('expires by itself a day later', async () => {
    const commands: UpdateCommand[] = [];
    const client = { send: async (command: UpdateCommand) => commands.push(command) } as never;
    await createWakeClaims({ client, table: 'state', now: () => nowMs })('web', nowMs + 10_000);
    expect(commands[0]?.input.Key).toEqual({ group: 'web', item: items.wake });
    expect(commands[0]?.input.ExpressionAttributeValues?.[':expires']).toBe(nowMs / 1000 + 24 * 3600);
  });

  test('counts as given where it cannot be written, because no wake may depend on it; a bug is thrown', async () => {
    const failing = (error: Error) => createWakeClaims({ client: { send: () => Promise.reject(error) } as never, table: 'state', now: () => nowMs });
    expect(await failing(awsError('ThrottlingException'))('web', nowMs + 10_000)).toBe(true);
    expect(await failing(awsError('InternalServerError', 'Try later.', 500))('web', nowMs + 10_000)).toBe(true);
    await expect(failing(new TypeError('a bug'))('web', nowMs + 10_000)).rejects.toThrow('a bug');
  });
});
