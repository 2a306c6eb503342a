import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPaceItem, type PaceItem } from '../../aws/state/pace-item.ts';
import { createStateStore } from '../../aws/state-store.ts';
import { emptyBudget } from '../../core/limits/account-budget.ts';
import { startTables } from './tables.ts';
import { throwUnreadable } from './unreadable.ts';

let tables: Awaited<ReturnType<typeof startTables>>;
let item: PaceItem;
let nowMs = 1_000_000;
const store = () => createStateStore({ client: tables.client, groupsTable: 'groups', stateTable: 'state', now: () => nowMs, tell: throwUnreadable });

beforeAll(async () => {
  tables = await startTables();
  item = createPaceItem({ client: tables.client, table: 'state' });
});
afterAll(() => tables.stop());
beforeEach(() => {
  // All times of the test before are long over.
  nowMs += 1_000_000;
});

const taking = (costMs: number, withinMs = 4_000) => ({ bucket: 'autoScaling' as const, costMs, untilMs: nowMs + withinMs, nowMs });

describe('the item of what calls leave of a bucket', () => {
  test('adds up what is taken, however many take at once, and no more than there is', async () => {
    const results = await Promise.all(Array.from({ length: 7 }, () => item.take(taking(600))));
    expect(results.filter(({ kind }) => kind === 'taken').map(({ fullAtMs }) => fullAtMs - nowMs)).toHaveLength(6);
    expect((await item.read()).autoScaling).toBe(nowMs + 3_600);
    expect(results.find(({ kind }) => kind === 'over')?.fullAtMs).toBe(nowMs + 3_600);
  });

  test('more than a full bucket gives is not taken, and is no error', async () => {
    expect(await item.take(taking(4_001))).toEqual({ kind: 'over', fullAtMs: nowMs });
  });

  test('a bucket that has filled up begins anew', async () => {
    await item.take(taking(1_000));
    nowMs += 5_000;
    expect(await item.take(taking(200))).toEqual({ kind: 'taken', fullAtMs: nowMs + 200 });
  });

  /** The item, and how many writes it makes. */
  const counted = () => {
    let writes = 0;
    const client = {
      send: (...args: Parameters<typeof tables.client.send>) => {
        if (args[0] instanceof UpdateCommand) writes += 1;
        return tables.client.send(...args);
      },
    };
    const own = createPaceItem({ client: client as unknown as typeof tables.client, table: 'state' });
    const writesOf = async (...takings: Parameters<typeof own.take>[0][]): Promise<number> => {
      const before = writes;
      const taken = await Promise.all(takings.map(own.take));
      expect(taken.map(({ kind }) => kind)).toEqual(takings.map(() => 'taken'));
      return writes - before;
    };
    return { own, writesOf };
  };

  test('takes one write for a bucket that is full again, even beside other writers', async () => {
    const { writesOf } = counted();
    expect([await writesOf(taking(200)), await writesOf(taking(200))]).toEqual([1, 1]);
    nowMs += 5_000;
    expect(await writesOf(taking(200))).toBe(1);
    nowMs += 5_000;
    await item.take(taking(200));
    expect([await writesOf(taking(200)), await writesOf(taking(200))]).toEqual([2, 1]);
  });

  test('takes one write for calls of several buckets at once', async () => {
    const { writesOf } = counted();
    const both = () => writesOf(taking(200), { ...taking(50), bucket: 'health' });
    expect([await both(), await both()]).toEqual([1, 1]);
    expect(await item.read()).toMatchObject({ autoScaling: nowMs + 400, health: nowMs + 100 });
    nowMs += 300;
    expect(await both()).toBe(1);
    expect(await item.read()).toMatchObject({ autoScaling: nowMs + 300, health: nowMs + 50 });
  });

  test('a taking from a bucket that is used up takes no token, and holds up no taking from another bucket', async () => {
    const { own } = counted();
    await item.take(taking(3_900));
    const taken = await Promise.all([own.take(taking(200)), own.take({ ...taking(50), bucket: 'health' })]);
    expect(taken).toEqual([
      { kind: 'over', fullAtMs: nowMs + 3_900 },
      { kind: 'taken', fullAtMs: nowMs + 50 },
    ]);
    expect(await item.read()).toMatchObject({ autoScaling: nowMs + 3_900, health: nowMs + 50 });
  });

  test('a time that only a clock that is wrong can have written counts for nothing', async () => {
    await item.fullNoSooner('autoScaling', nowMs + 3_600_000);
    expect(await item.take(taking(200))).toEqual({ kind: 'taken', fullAtMs: nowMs + 200 });
  });

  test('a bucket that AWS found empty is full no sooner than it takes to fill', async () => {
    await item.fullNoSooner('autoScaling', nowMs + 3_800);
    await item.fullNoSooner('autoScaling', nowMs + 1_000);
    expect(await item.take(taking(400))).toEqual({ kind: 'over', fullAtMs: nowMs + 3_800 });
  });

  test('does not conflict with the turns of the same account, which read it', async () => {
    const before = await store().budget();
    await item.take(taking(1_000));
    expect(await store().putBudget({ ...emptyBudget, version: before.version + 1 })).toBe('done');
    expect(await store().budget()).toMatchObject({ version: before.version + 1, fullAt: { autoScaling: nowMs + 1_000 } });
  });

  test('and these turns are waited for no longer than a second, because they only pace', async () => {
    const limits: unknown[] = [];
    const send = async (command: object, options?: { readonly requestTimeout?: number }) => {
      limits.push(options?.requestTimeout);
      return tables.client.send(command as UpdateCommand, options);
    };
    const own = { ...tables.client, send } as unknown as typeof tables.client;
    const turns = createStateStore({ client: own, groupsTable: 'groups', stateTable: 'state', now: () => nowMs, tell: throwUnreadable });
    const { version } = await turns.budget();
    expect(await turns.putBudget({ ...emptyBudget, version: version + 1 })).toBe('done');
    await createPaceItem({ client: own, table: 'state' }).take(taking(1_000));
    expect(limits.length).toBeGreaterThanOrEqual(3);
    expect(new Set(limits)).toEqual(new Set([1_000]));
  });
});
