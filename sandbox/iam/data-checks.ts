import { type AccessCheck, arnOf, type CheckDeps, type DeriveChecks } from './access-check.ts';

const tableArn = (deps: CheckDeps, table: unknown): string =>
  String(table).startsWith('arn:') ? String(table) : arnOf(deps, 'dynamodb', `table/${table}`);

const tableCheck = (deps: CheckDeps, operation: string, table: unknown): AccessCheck => ({
  action: `dynamodb:${operation}`,
  resourceType: 'table',
  resource: tableArn(deps, table),
  context: {},
});

/** The attributes that an update names: those of its key, and those of its expressions (DynamoDB Developer Guide, fine-grained access control). */
const onUpdate: DeriveChecks = (input, deps) => {
  const { Key = {}, ExpressionAttributeNames = {} } = input as { Key?: object; ExpressionAttributeNames?: Readonly<Record<string, string>> };
  const attributes = [...new Set([...Object.keys(Key), ...Object.values(ExpressionAttributeNames)])];
  return [{ ...tableCheck(deps, 'UpdateItem', input.TableName), context: { 'dynamodb:Attributes': attributes } }];
};

const onTable =
  (operation: string): DeriveChecks =>
  (input, deps) => [tableCheck(deps, operation, input.TableName)];

/** A query of an index needs the right on the index, not on its table. */
const onTableOrIndex =
  (operation: string): DeriveChecks =>
  (input, deps) => {
    const check = tableCheck(deps, operation, input.TableName);
    return input.IndexName === undefined ? [check] : [{ ...check, resourceType: 'index', resource: `${check.resource}/index/${input.IndexName}` }];
  };

const onEveryTable =
  (operation: string): DeriveChecks =>
  (input, deps) =>
    Object.keys((input.RequestItems ?? {}) as object).map((table) => tableCheck(deps, operation, table));

type TransactItem = Readonly<Record<string, { readonly TableName?: string } | undefined>>;
const transactActions: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  Get: 'GetItem',
  ConditionCheck: 'ConditionCheckItem',
};

/** A transaction needs the right of each thing that it does. */
const onTransaction: DeriveChecks = (input, deps) =>
  ((input.TransactItems ?? []) as readonly TransactItem[]).flatMap((item) =>
    Object.entries(item).map(([kind, part]) => tableCheck(deps, transactActions[kind] ?? kind, part?.TableName)),
  );

export const dynamoDbChecks: Readonly<Record<string, DeriveChecks>> = {
  ...Object.fromEntries(['GetItem', 'PutItem', 'DeleteItem', 'DescribeTable'].map((operation) => [operation, onTable(operation)])),
  UpdateItem: onUpdate,
  Query: onTableOrIndex('Query'),
  Scan: onTableOrIndex('Scan'),
  BatchGetItem: onEveryTable('BatchGetItem'),
  BatchWriteItem: onEveryTable('BatchWriteItem'),
  TransactWriteItems: onTransaction,
  TransactGetItems: onTransaction,
};

const onQueue =
  (operation: string): DeriveChecks =>
  (input, deps) => {
    const name = String(input.QueueUrl ?? input.QueueName)
      .split('/')
      .at(-1);
    return [{ action: `sqs:${operation}`, resourceType: 'queue', resource: arnOf(deps, 'sqs', String(name)), context: {} }];
  };

const queueOperations = ['SendMessage', 'ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'GetQueueAttributes', 'GetQueueUrl'];

/** The batch forms need the right of the single ones. */
export const sqsChecks: Readonly<Record<string, DeriveChecks>> = {
  ...Object.fromEntries(queueOperations.map((operation) => [operation, onQueue(operation)])),
  SendMessageBatch: onQueue('SendMessage'),
  DeleteMessageBatch: onQueue('DeleteMessage'),
  ChangeMessageVisibilityBatch: onQueue('ChangeMessageVisibility'),
};
