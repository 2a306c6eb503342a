import { Stream } from 'node:stream';
import type { AttributeMap } from './stream.ts';

export type KeySchema = readonly { readonly AttributeName: string; readonly KeyType: 'HASH' | 'RANGE' }[];

/** A table's description, as DescribeTable returns it. */
export type TableDescription = {
  readonly TableName: string;
  readonly TableArn: string;
  readonly TableStatus: 'ACTIVE';
  readonly KeySchema: KeySchema;
  readonly AttributeDefinitions: readonly { readonly AttributeName: string; readonly AttributeType: string }[];
  readonly GlobalSecondaryIndexes?: readonly unknown[];
  readonly LatestStreamArn?: string;
};

type Callback<T = unknown> = (error: Error | null, value?: T) => void;
type RangeOptions = { gt?: string; gte?: string; lt?: string; lte?: string; reverse?: boolean; limit?: number };

/** What dynalite's operations expect of a database: callbacks, and streams of values within a range of keys. */
type Database = {
  put(key: string, value: unknown, callback: Callback): void;
  get(key: string, callback: Callback): void;
  del(key: string, callback: Callback): void;
  createValueStream(options?: RangeOptions): Stream;
  createKeyStream(options?: RangeOptions): Stream;
  lock(key: string, action: (release: <T>(callback: T) => T) => void): void;
};

/** Called during the write, so that the present actor is the writer. */
export type ItemChange = { readonly table: string; readonly before: AttributeMap | undefined; readonly after: AttributeMap | undefined };

/** The first position at which a key belongs. */
const position = (keys: readonly string[], key: string): number => {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
};

const within = (keys: readonly string[], { gt, gte, lt, lte, reverse, limit = -1 }: RangeOptions): readonly string[] => {
  const from = position(keys, gt ?? gte ?? '');
  const to = lt !== undefined ? position(keys, lt) : lte !== undefined ? position(keys, `${lte}\u0000`) : keys.length;
  const found = keys.slice(gt !== undefined && keys[from] === gt ? from + 1 : from, to);
  if (reverse) found.reverse();
  return limit >= 0 ? found.slice(0, limit) : found;
};

const streamOf = (values: () => readonly unknown[]): Stream => {
  const stream = new Stream();
  queueMicrotask(() => {
    for (const value of values()) stream.emit('data', value);
    stream.emit('end');
  });
  return stream;
};

/** A copy that nobody can change. What is undefined is left out. */
const frozenCopy = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy));
  const copy: Record<string, unknown> = {};
  for (const name in value) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (member === undefined) continue;
    // An assignment to this name sets no attribute.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: frozenCopy(member), enumerable: true });
    else copy[name] = frozenCopy(member);
  }
  return Object.freeze(copy);
};

/** Values by key in key order. Each is frozen, so it is given to every reader as it is. The engine copies an item before it changes it. */
const createDatabase = (onChange?: (before: unknown, after: unknown) => void): Database => {
  const values = new Map<string, unknown>();
  const keys: string[] = [];
  return {
    put: (key, value, callback) => {
      const before = values.get(key);
      if (before === undefined) keys.splice(position(keys, key), 0, key);
      const after = frozenCopy(value);
      values.set(key, after);
      onChange?.(before, after);
      callback(null);
    },
    get: (key, callback) => callback(null, values.get(key)),
    del: (key, callback) => {
      const before = values.get(key);
      if (values.delete(key)) {
        keys.splice(position(keys, key), 1);
        onChange?.(before, undefined);
      }
      callback(null);
    },
    createValueStream: (options = {}) => streamOf(() => within(keys, options).map((key) => values.get(key))),
    createKeyStream: (options = {}) => streamOf(() => within(keys, options)),
    // Every write ends within the call that began it, so no lock is needed.
    lock: (_, action) => action((callback) => callback),
  };
};

const notFound = (): Error =>
  Object.assign(new Error('ResourceNotFoundException'), {
    statusCode: 400,
    body: { __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException', message: 'Requested resource not found' },
  });

/** The store under dynalite's operations: in memory, synchronous, and reporting every change of an item. */
export const createMemoryStore = (onChange: (change: ItemChange) => void) => {
  const databases = new Map<string, Database>();
  /** Frozen: every operation of the engine is given the one description. */
  const tables = new Map<string, TableDescription>();
  const database = (name: string, changed?: (before: unknown, after: unknown) => void): Database => {
    const known = databases.get(name) ?? createDatabase(changed);
    databases.set(name, known);
    return known;
  };
  const itemChange = (table: string) => (before: unknown, after: unknown) =>
    onChange({ table, before: before as AttributeMap | undefined, after: after as AttributeMap | undefined });
  return {
    options: { maxItemSize: 409_600 },
    tableDb: database('table'),
    getItemDb: (table: string) => database(`item-${table}`, itemChange(table)),
    getIndexDb: (kind: string, table: string, index: string) => database(`index-${kind.toLowerCase()}~${table}~${index}`),
    getTagDb: (table: string) => database(`tag-${table}`),
    getTable: (name: string, ...rest: readonly [boolean, Callback] | readonly [Callback]) => {
      const callback = rest.at(-1) as Callback;
      const table = tables.get(name);
      if (table === undefined) callback(notFound());
      else callback(null, table);
    },
    addTable: (description: TableDescription) => {
      tables.set(description.TableName, frozenCopy(description) as TableDescription);
    },
    tables: () => [...tables.values()],
  };
};

export type MemoryStore = ReturnType<typeof createMemoryStore>;
