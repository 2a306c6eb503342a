import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DeleteTableCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDocumentClient } from '../../aws/calls/clients.ts';
import { instanceIndex, keys } from '../../core/contract.ts';

type Server = { listen(port: number, host: string, ready: () => void): void; address(): AddressInfo; close(done: () => void): void };

const keySchema = [
  { AttributeName: keys.group, KeyType: 'HASH' },
  { AttributeName: keys.item, KeyType: 'RANGE' },
] as const;

const attributes = [keys.group, keys.item, instanceIndex.key].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const }));

const createTable = async (client: DynamoDBClient, TableName: string, indexed: boolean): Promise<void> => {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [...keySchema],
      AttributeDefinitions: indexed ? attributes : attributes.slice(0, 2),
      ...(indexed && {
        GlobalSecondaryIndexes: [
          {
            IndexName: instanceIndex.name,
            KeySchema: [{ AttributeName: instanceIndex.key, KeyType: 'HASH' as const }],
            Projection: { ProjectionType: 'KEYS_ONLY' as const },
          },
        ],
      }),
    }),
  );
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    if (Table?.TableStatus === 'ACTIVE') return;
  }
};

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

/** An embedded DynamoDB on loopback. */
const startDynalite = async () => {
  const { default: dynalite } = (await import('dynalite' as string)) as { default: (options: object) => Server };
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const stop = (): Promise<void> => new Promise((closed) => server.close(closed));
  return { endpoint: `http://127.0.0.1:${server.address().port}`, stop };
};

/** A DynamoDB that runs already, where `npm run test:emulators` names one. Its tables are made anew for every file. */
const useRunning = async (endpoint: string) => {
  const raw = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  const drop = async (): Promise<void> => {
    for (const TableName of ['groups', 'state']) await raw.send(new DeleteTableCommand({ TableName })).catch(absentOnly);
  };
  await drop();
  return { endpoint, stop: () => drop().finally(() => raw.destroy()) };
};

const absentOnly = (error: Error): void => {
  if (error.name !== 'ResourceNotFoundException') throw error;
};

/** Both tables of the stack, in an embedded DynamoDB unless another one is named. */
export const startTables = async () => {
  const named = process.env.HOLDFAST_TEST_DYNAMODB;
  const service = named === undefined ? await startDynalite() : await useRunning(named);
  const config = { endpoint: service.endpoint, region: 'us-east-1', credentials };
  const raw = new DynamoDBClient(config);
  await createTable(raw, 'groups', false);
  await createTable(raw, 'state', true);
  raw.destroy();
  const client = createDocumentClient(config);
  const stop = async (): Promise<void> => {
    client.destroy();
    await service.stop();
  };
  return { client, config, stop };
};
