import { createRequire } from 'node:module';
import { ApiError, type ApiService } from '../../api.ts';
import type { WorldClock } from '../../clock.ts';
import { plainCopy } from '../../wire/values.ts';
import { createMemoryStore, type ItemChange, type KeySchema, type MemoryStore, type TableDescription } from './memory-store.ts';
import { keepParses } from './parsed-once.ts';
import { checkPlainFirst, plainAttributes } from './plain-attributes.ts';
import { keepKeysQuickly } from './quick-keys.ts';
import { type AttributeMap, createTableStream, type TableStream } from './stream.ts';

export type TableSpec = {
  readonly name: string;
  readonly arn: string;
  readonly keySchema: KeySchema;
  readonly attributes: TableDescription['AttributeDefinitions'];
  readonly indexes: readonly { readonly IndexName: string; readonly KeySchema: KeySchema; readonly Projection: unknown }[];
  readonly stream?: { readonly arn: string; readonly viewType: string };
  readonly ttlAttribute?: string;
};

export type Tables = {
  readonly service: ApiService;
  add(spec: TableSpec): void;
  /** Every item of a table, in DynamoDB's own JSON, for observers. This is not a call: it makes no stream record and no cost. */
  scan(table: string): Promise<readonly AttributeMap[]>;
  stream(arn: string): TableStream | undefined;
  /** Called with every write of an item, also with one that changes nothing. */
  observe(listener: (change: ItemChange) => void): void;
  readonly names: readonly string[];
};

type Input = Record<string, unknown>;
type Operation = (store: MemoryStore, data: unknown, callback: (error: unknown, value: unknown) => void) => void;
type Validations = {
  checkTypes(data: unknown, types: unknown): object;
  checkValidations(data: unknown, types: unknown, custom: unknown, store: unknown): void;
};
type Validation = { readonly types: object; readonly custom: unknown };

const require = createRequire(import.meta.url);
const { checkTypes, checkValidations } = require('dynalite/validations') as Validations;
keepParses();
checkPlainFirst();
keepKeysQuickly();

const known = ['BatchGetItem', 'BatchWriteItem', 'DeleteItem', 'DescribeTable', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'] as const;
type Known = (typeof known)[number];

const parts = Object.fromEntries(
  known.map((name) => {
    const file = `${name[0]?.toLowerCase()}${name.slice(1)}`;
    return [name, { act: require(`dynalite/actions/${file}`) as Operation, validation: require(`dynalite/validations/${file}`) as Validation }];
  }),
) as Readonly<Record<Known, { readonly act: Operation; readonly validation: Validation }>>;

type EngineError = { readonly statusCode: number; readonly body: { readonly __type: string; readonly message?: string; readonly Message?: string } };

const asApiError = (error: unknown): unknown => {
  const { statusCode, body } = error as EngineError;
  if (body === undefined) return error;
  return new ApiError(body.__type.split('#').at(-1) as string, body.message ?? body.Message ?? '', statusCode);
};

/** The parts of an input with attributes of items. */
const withAttributes: ReadonlySet<string> = new Set(['Item', 'Key', 'ExpressionAttributeValues']);

/** Takes the attributes that need no check of the engine from the rest of an input. */
const apart = (input: Input, types: Validation['types']): { readonly plain: Input; readonly others: Input } => {
  const [plain, others]: [Input, Input] = [{}, {}];
  for (const name in input) {
    const copy = withAttributes.has(name) && name in types ? plainAttributes(input[name]) : undefined;
    if (copy === undefined) others[name] = input[name];
    else plain[name] = copy;
  }
  return { plain, others };
};

/** Most inputs whose checks are remembered. */
const mostRemembered = 200;

/**
 * Checks an input as the engine does, which parses its expressions. The result depends only on the input, and functions send the same queries every minute, so
 * the latest results are cached.
 */
const createCheck = (store: MemoryStore) => {
  const remembered = new Map<string, unknown>();
  const check = (name: Known, input: Input): unknown => {
    const { types, custom } = parts[name].validation;
    const { plain, others } = apart(input, types);
    const data = { ...checkTypes(plainCopy(others), types), ...plain };
    checkValidations(data, types, custom, store);
    return data;
  };
  return (name: Known, input: Input): unknown => {
    if (name !== 'Query') return check(name, input);
    const text = JSON.stringify(input);
    const known = remembered.get(text) ?? check(name, input);
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(text, known);
    return plainCopy(known);
  };
};

/** Runs operations of the engine, each on its own copy of the input. */
const createPerform = (store: MemoryStore) => {
  const check = createCheck(store);
  return (name: Known, input: Input): Promise<Input> =>
    new Promise((resolve, reject) => {
      const fail = (error: unknown): void => reject(asApiError(error));
      try {
        parts[name].act(store, check(name, input), (error, value) => (error ? fail(error) : resolve(value as Input)));
      } catch (error) {
        fail(error);
      }
    });
};

const describe = (spec: TableSpec): TableDescription =>
  ({
    TableName: spec.name,
    TableArn: spec.arn,
    TableStatus: 'ACTIVE',
    KeySchema: spec.keySchema,
    AttributeDefinitions: spec.attributes,
    ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 0, NumberOfDecreasesToday: 0 },
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    ItemCount: 0,
    TableSizeBytes: 0,
    ...(spec.indexes.length > 0 && {
      GlobalSecondaryIndexes: spec.indexes.map((index) => ({ ...index, IndexStatus: 'ACTIVE', IndexArn: `${spec.arn}/index/${index.IndexName}` })),
    }),
    ...(spec.stream && { LatestStreamArn: spec.stream.arn, StreamSpecification: { StreamEnabled: true, StreamViewType: spec.stream.viewType } }),
  }) as TableDescription;

/** DynamoDB's operations on items: dynalite's, over a store of our own, with streams, and with the item in a failed condition's error. */
export const createTables = (clock: Pick<WorldClock, 'now'>): Tables => {
  const specs = new Map<string, TableSpec>();
  const streams = new Map<string, TableStream>();
  const listeners: ((change: ItemChange) => void)[] = [];
  const store = createMemoryStore((change) => {
    streams.get(change.table)?.append(change.before, change.after, clock.now());
    for (const listener of listeners) listener(change);
  });

  const perform = createPerform(store);

  const specOf = (table: unknown): TableSpec => {
    const name = String(table).split('/').at(-1) as string;
    const spec = specs.get(name);
    if (spec === undefined) throw new ApiError('ResourceNotFoundException', 'Requested resource not found');
    return spec;
  };
  /** The engine leaves out the item that a failed condition met, although DynamoDB gives it when asked. */
  const write = async (name: 'PutItem' | 'UpdateItem' | 'DeleteItem', input: Input): Promise<Input> => {
    const { keySchema } = specOf(input.TableName);
    const source = (input.Key ?? input.Item ?? {}) as Input;
    const key = Object.fromEntries(keySchema.map(({ AttributeName }) => [AttributeName, source[AttributeName]]));
    try {
      return await perform(name, input);
    } catch (error) {
      const wantsItem = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
      if (!(error instanceof ApiError) || error.code !== 'ConditionalCheckFailedException' || !wantsItem) throw error;
      const { Item } = await perform('GetItem', { TableName: input.TableName, Key: key, ConsistentRead: true });
      throw new ApiError(error.code, error.message, error.status, Item === undefined ? {} : { Item });
    }
  };
  /** A table may be named by its ARN. */
  const byName = (input: Input): Input => (input.TableName === undefined ? input : { ...input, TableName: specOf(input.TableName).name });
  const operation =
    (name: Known) =>
    (input: Input): Promise<Input> => {
      const own = byName(input);
      return name === 'PutItem' || name === 'UpdateItem' || name === 'DeleteItem' ? write(name, own) : perform(name, own);
    };
  const timeToLive = ({ TableName }: Input) => {
    const { ttlAttribute } = specOf(TableName);
    const status = ttlAttribute === undefined ? 'DISABLED' : 'ENABLED';
    return { TimeToLiveDescription: { TimeToLiveStatus: status, ...(ttlAttribute && { AttributeName: ttlAttribute }) } };
  };
  const scanAll = async (table: string): Promise<readonly AttributeMap[]> => {
    const items: AttributeMap[] = [];
    let ExclusiveStartKey: unknown;
    do {
      const page = await perform('Scan', { TableName: table, ...(ExclusiveStartKey !== undefined && { ExclusiveStartKey }) });
      items.push(...(page.Items as AttributeMap[]));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    return items;
  };
  return {
    service: {
      service: 'dynamodb',
      operations: {
        ...Object.fromEntries(known.map((name) => [name, operation(name)])),
        ListTables: () => ({ TableNames: [...specs.keys()].sort() }),
        DescribeTimeToLive: timeToLive,
      },
    },
    add: (spec) => {
      specs.set(spec.name, spec);
      store.addTable(describe(spec));
      if (spec.stream === undefined) return;
      const region = spec.arn.split(':')[3] as string;
      streams.set(spec.name, createTableStream({ ...spec.stream, region, keySchema: spec.keySchema }));
    },
    scan: scanAll,
    observe: (listener) => {
      listeners.push(listener);
    },
    stream: (arn) => [...streams.values()].find((stream) => stream.arn === arn),
    get names() {
      return [...specs.keys()];
    },
  };
};
