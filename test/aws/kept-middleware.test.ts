import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { createDocumentClient, createEc2Client } from '../../aws/calls/clients.ts';

type Sent = { readonly operation: string | undefined; readonly body: string; readonly options: unknown };

const textOf = (body: string | Uint8Array): string => (typeof body === 'string' ? body : new TextDecoder().decode(body));

/** A configuration of clients that notes what they send, and how often their middleware is put together. Requests get their responses in reverse order. */
const noting = (response: string) => {
  const sent: Sent[] = [];
  const waiting: (() => void)[] = [];
  const answer = (): void => void setTimeout(() => waiting.pop()?.(), 1);
  const handle = async ({ body, headers }: { body: string | Uint8Array; headers: Record<string, string> }, options: unknown) => {
    sent.push({ operation: headers['x-amz-target'], body: textOf(body), options });
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      answer();
    });
    return { response: { statusCode: 200, headers: {}, body: new TextEncoder().encode(response) } };
  };
  const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
  return { sent, config: { region: 'eu-west-1', credentials, requestHandler: { handle } } as never };
};

/** How often a client resolves its middleware. */
const resolves = (client: { readonly middlewareStack: unknown }) => {
  const seen = { times: 0 };
  const middleware = (next: unknown) => {
    seen.times += 1;
    return next;
  };
  (client.middlewareStack as { add(one: unknown, options: object): void }).add(middleware, { step: 'initialize', name: 'counted' });
  return seen;
};

test('simultaneous commands of a kind each send their own input, and their middleware is put together once', async () => {
  const { sent, config } = noting('{"Item":{"size":{"N":"3"}}}');
  const client = createDocumentClient(config);
  const seen = resolves(client);
  const get = (group: string) => client.send(new GetCommand({ TableName: 'groups', Key: { group } }));
  const answers = await Promise.all([get('web'), get('api'), client.send(new PutCommand({ TableName: 'groups', Item: { group: 'jobs', size: 3 } }))]);
  expect(answers.map((one) => 'Item' in one && one.Item)).toEqual([{ size: 3 }, { size: 3 }, false]);
  expect(sent.map(({ operation, body }) => [operation?.split('.')[1], JSON.parse(body)])).toEqual([
    ['GetItem', { TableName: 'groups', Key: { group: { S: 'web' } } }],
    ['GetItem', { TableName: 'groups', Key: { group: { S: 'api' } } }],
    ['PutItem', { TableName: 'groups', Item: { group: { S: 'jobs' }, size: { N: '3' } } }],
  ]);
  expect(seen.times).toBe(2);
});

const noInstances = '<DescribeInstancesResponse/>';

test('options of a call hold for this call alone', async () => {
  const { sent, config } = noting(noInstances);
  const client = createEc2Client(config);
  const hasty = { requestTimeout: 2_500 };
  const seen = resolves(client);
  for (const options of [undefined, hasty, undefined, hasty]) await client.send(new DescribeInstancesCommand({}), options);
  expect(sent.map(({ options }) => options)).toEqual([{}, hasty, {}, hasty].map((one) => expect.objectContaining(one)));
  expect(sent.map(({ options }) => 'requestTimeout' in (options as object))).toEqual([false, true, false, true]);
  expect(seen.times).toBe(2);
});

test('middleware of one command is part of this command alone, and the same command may be sent again', async () => {
  const { sent, config } = noting(noInstances);
  const client = createEc2Client(config);
  const ids: unknown[] = [];
  const watched = (id: string) => {
    const command = new DescribeInstancesCommand({ InstanceIds: [id] });
    command.middlewareStack.add(
      (next) => (args) => {
        ids.push(args.input.InstanceIds?.[0]);
        return next(args);
      },
      { step: 'initialize', name: 'watch' },
    );
    return command;
  };
  const plain = new DescribeInstancesCommand({ InstanceIds: ['i-3'] });
  for (const command of [watched('i-1'), watched('i-2'), plain, plain]) await client.send(command);
  expect(ids).toEqual(['i-1', 'i-2']);
  expect(sent.map(({ body }) => /i-\d/.exec(body)?.[0])).toEqual(['i-1', 'i-2', 'i-3', 'i-3']);
});
