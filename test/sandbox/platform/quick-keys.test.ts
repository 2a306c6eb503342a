import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { keepKeysQuickly } from '../../../sandbox/platform/tables/quick-keys.ts';

type Engine = Record<'createKey' | 'hashPrefix' | 'updateIndexes', (...args: readonly unknown[]) => unknown>;

const engine = createRequire(import.meta.url)('dynalite/db') as Engine;
const own = { ...engine };
keepKeysQuickly();

const table = (type: string) => ({
  TableName: 'state',
  KeySchema: [
    { AttributeName: 'group', KeyType: 'HASH' },
    { AttributeName: 'item', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'group', AttributeType: type },
    { AttributeName: 'item', AttributeType: 'S' },
    { AttributeName: 'instance', AttributeType: 'S' },
  ],
  GlobalSecondaryIndexes: [
    { IndexName: 'by-instance', KeySchema: [{ AttributeName: 'instance', KeyType: 'HASH' }], Projection: { ProjectionType: 'KEYS_ONLY' } },
  ],
});

test('keys and hashes are those that the engine makes itself', () => {
  for (const group of ['web', 'web', 'größe', '', '__proto__']) {
    const item = { group: { S: group }, item: { S: 'swap#i-1/~' }, size: { N: '3' } };
    expect(engine.createKey?.(item, table('S'))).toBe(own.createKey?.(item, table('S')));
    expect(engine.hashPrefix?.(group, 'S')).toBe(own.hashPrefix?.(group, 'S'));
    expect(engine.hashPrefix?.(group, 'S', 'range', 'S')).toBe(own.hashPrefix?.(group, 'S', 'range', 'S'));
  }
  const numbered = { group: { N: '12.5' }, item: { S: 'a' } };
  expect(engine.createKey?.(numbered, table('N'))).toBe(own.createKey?.(numbered, table('N')));
  const schema = [{ AttributeName: 'item', KeyType: 'HASH' }];
  expect(engine.createKey?.(numbered, table('N'), schema)).toBe(own.createKey?.(numbered, table('N'), schema));
});

test('an index is kept when an item with its key comes, changes or goes, and for no other item', () => {
  const writes: unknown[] = [];
  const noting =
    (name: string) =>
    (...call: readonly unknown[]): void => {
      writes.push(name);
      (call.at(-1) as () => void)();
    };
  const store = { getIndexDb: () => ({ put: noting('put'), del: noting('del') }) };
  const plain = { group: { S: 'web' }, item: { S: 'state' } };
  const swap = (id: string) => ({ group: { S: 'web' }, item: { S: 'swap' }, instance: { S: id } });
  let ended = 0;
  for (const [before, after] of [
    [undefined, plain],
    [plain, null],
    [undefined, swap('i-1')],
    [swap('i-1'), swap('i-2')],
    [swap('i-2'), null],
  ])
    engine.updateIndexes?.(store, table('S'), before, after, () => {
      ended += 1;
    });
  expect(writes).toEqual(['put', 'del', 'put', 'del']);
  expect(ended).toBe(5);
});
