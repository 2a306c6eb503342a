import { createRequire } from 'node:module';
import type { KeySchema, TableDescription } from './memory-store.ts';
import type { AttributeMap } from './stream.ts';

type UpdateIndexes = (
  store: unknown,
  table: TableDescription,
  before: AttributeMap | undefined,
  after: AttributeMap | undefined,
  callback: () => void,
) => void;
type Engine = {
  hashPrefix(value: unknown, type: string, ...range: readonly unknown[]): string;
  toRangeStr(value: unknown, type: string): string;
  createKey(item: AttributeMap, table: TableDescription, schema?: KeySchema | null): string;
  updateIndexes: UpdateIndexes;
};

/** Most hashes that are kept. */
const mostKept = 10_000;

/** The engine makes an MD5 hash for each key. The same few hash keys come again and again. */
const keptHashes = (hashPrefix: Engine['hashPrefix']): Engine['hashPrefix'] => {
  const kept = new Map<string, string>();
  return (value, type, ...range) => {
    if (type !== 'S' || typeof value !== 'string' || range.length > 0) return hashPrefix(value, type, ...range);
    const hash = kept.get(value) ?? hashPrefix(value, type);
    if (kept.size >= mostKept) kept.clear();
    kept.set(value, hash);
    return hash;
  };
};

/** The key of an item under which the engine stores it, by the parts of its own key. Keys of indexes are left to the engine. */
const quickKeys =
  ({ toRangeStr, createKey }: Engine, hashPrefix: Engine['hashPrefix']): Engine['createKey'] =>
  (item, table, schema) => {
    if (schema != null) return createKey(item, table, schema);
    let key = '';
    for (const { AttributeName, KeyType } of table.KeySchema) {
      const text = item[AttributeName]?.S;
      if (typeof text !== 'string') return createKey(item, table);
      if (KeyType === 'HASH') key = `${hashPrefix(text, 'S')}/`;
      key += `${toRangeStr(text, 'S')}/`;
    }
    return key;
  };

const isIn = (index: { readonly KeySchema: KeySchema }, item: AttributeMap | null | undefined): boolean =>
  item != null && index.KeySchema.every(({ AttributeName }) => item[AttributeName] != null);

/** Most writes are of items that are in no index, before and after. Then the engine has nothing to do. */
const fewerIndexes =
  (updateIndexes: UpdateIndexes): UpdateIndexes =>
  (store, table, before, after, callback) => {
    const indexes = (table.GlobalSecondaryIndexes ?? []) as readonly { readonly KeySchema: KeySchema }[];
    if (indexes.some((index) => isIn(index, before) || isIn(index, after))) updateIndexes(store, table, before, after, callback);
    else callback();
  };

/** Has the engine make keys and keep indexes with less work. Tables of stacks have keys of text and global indexes alone. */
export const keepKeysQuickly = (): void => {
  const engine = createRequire(import.meta.url)('dynalite/db') as Engine;
  engine.hashPrefix = keptHashes(engine.hashPrefix);
  engine.createKey = quickKeys({ ...engine }, engine.hashPrefix);
  engine.updateIndexes = fewerIndexes(engine.updateIndexes);
};
