import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type BuildOptions, build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleOptions } from '../../assembly/bundle.ts';
import { minifyAgain } from '../../assembly/minify-again.ts';

const root = dirname(dirname(import.meta.dirname));

/** A call of each service that functions talk to; errors are answers too. */
const probe = `
import { EC2Client, DescribeInstancesCommand, CreateFleetCommand } from '@aws-sdk/client-ec2';
import { AutoScalingClient, DescribeAutoScalingGroupsCommand, AttachInstancesCommand } from '@aws-sdk/client-auto-scaling';
import { ElasticLoadBalancingV2Client, DeregisterTargetsCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { DynamoDBClient, PutItemCommand, GetItemCommand, UpdateItemCommand, DeleteItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';

export const calls = async (endpoint) => {
  const config = { endpoint, region: 'eu-west-1', maxAttempts: 1 };
  const ec2 = new EC2Client(config), asg = new AutoScalingClient(config), elb = new ElasticLoadBalancingV2Client(config);
  const ddb = new DynamoDBClient(config), sqs = new SQSClient(config), sfn = new SFNClient(config), events = new EventBridgeClient(config);
  const answers = [];
  const ask = async (client, command) => answers.push(await client.send(command).then(
    ({ $metadata, ...output }) => output,
    (error) => ({ name: error.name, message: error.message, fault: error.$fault, status: error.$metadata?.httpStatusCode, Item: error.Item })));
  await ask(ec2, new DescribeInstancesCommand({ Filters: [{ Name: 'instance-id', Values: ['i-1', 'i-2'] }], MaxResults: 200 }));
  await ask(ec2, new CreateFleetCommand({ ClientToken: 'token', Type: 'instant', LaunchTemplateConfigs: [], TargetCapacitySpecification: { TotalTargetCapacity: 2 } }));
  await ask(asg, new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: ['web'] }));
  await ask(asg, new AttachInstancesCommand({ AutoScalingGroupName: 'web', InstanceIds: ['i-1'] }));
  await ask(elb, new DeregisterTargetsCommand({ TargetGroupArn: 'arn', Targets: [{ Id: 'i-1' }] }));
  await ask(ddb, new GetItemCommand({ TableName: 't', Key: { group: { S: 'g' } } }));
  await ask(ddb, new PutItemCommand({ TableName: 't', Item: { group: { S: 'g' } } }));
  await ask(ddb, new UpdateItemCommand({ TableName: 't', Key: { group: { S: 'g' } } }));
  await ask(ddb, new DeleteItemCommand({ TableName: 't', Key: { group: { S: 'g' } } }));
  await ask(ddb, new QueryCommand({ TableName: 't' }));
  await ask(sqs, new SendMessageCommand({ QueueUrl: endpoint + '/1/q', MessageBody: 'hello' }));
  await ask(sfn, new StartExecutionCommand({ stateMachineArn: 'arn:aws:states:eu-west-1:1:stateMachine:x', name: 'n', input: '{}' }));
  await ask(events, new PutEventsCommand({ Entries: [{ Source: 'holdfast', DetailType: 'd', Detail: '{}', EventBusName: 'default' }] }));
  return answers;
};
`;

const xml = (status: number, body: string) => ({ status, type: 'text/xml', body });
const json = (status: number, body: unknown) => ({ status, type: 'application/x-amz-json-1.0', body: JSON.stringify(body) });

/** What AWS would answer, errors among it, by action or target. */
const answers: Readonly<Record<string, { readonly status: number; readonly type: string; readonly body: string }>> = {
  DescribeInstances: xml(
    200,
    '<DescribeInstancesResponse><reservationSet><item><instancesSet><item><instanceId>i-1</instanceId><launchTime>2026-01-02T03:04:05.000Z</launchTime><instanceState><code>16</code><name>running</name></instanceState></item></instancesSet></item></reservationSet><nextToken>n</nextToken></DescribeInstancesResponse>',
  ),
  CreateFleet: xml(
    503,
    '<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>Request limit exceeded.</Message></Error></Errors><RequestID>r</RequestID></Response>',
  ),
  DescribeAutoScalingGroups: xml(
    200,
    '<DescribeAutoScalingGroupsResponse><DescribeAutoScalingGroupsResult><AutoScalingGroups><member><AutoScalingGroupName>web</AutoScalingGroupName><MinSize>1</MinSize></member></AutoScalingGroups></DescribeAutoScalingGroupsResult></DescribeAutoScalingGroupsResponse>',
  ),
  AttachInstances: xml(
    400,
    '<ErrorResponse><Error><Type>Sender</Type><Code>ScalingActivityInProgress</Code><Message>busy</Message></Error><RequestId>r</RequestId></ErrorResponse>',
  ),
  DeregisterTargets: xml(
    400,
    '<ErrorResponse><Error><Type>Sender</Type><Code>TargetGroupNotFound</Code><Message>gone</Message></Error><RequestId>r</RequestId></ErrorResponse>',
  ),
  GetItem: json(200, { Item: { group: { S: 'g' }, n: { N: '1' } } }),
  PutItem: json(400, {
    __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
    message: 'The conditional request failed',
    Item: { group: { S: 'g' } },
  }),
  // Errors with a message alone, of a client and of the service, and one that no version of the SDK knows.
  UpdateItem: json(400, { __type: 'com.amazonaws.dynamodb.v20120810#TransactionConflictException', message: 'held' }),
  DeleteItem: json(500, { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message: 'broken' }),
  Query: json(400, { __type: 'com.amazon.coral.service#AccessDeniedException', Message: 'no' }),
  SendMessage: json(200, { MessageId: 'm', MD5OfMessageBody: '5d41402abc4b2a76b9719d911017c592' }),
  StartExecution: json(400, { __type: 'ExecutionAlreadyExists', message: 'exists' }),
  PutEvents: json(200, { FailedEntryCount: 0, Entries: [{ EventId: 'e' }] }),
};

type Heard = { readonly operation: string; readonly path: string; readonly body: string; readonly type: string; readonly scope: string };

describe('what the bundler leaves out or rewrites of the SDK', () => {
  let server: Server;
  let endpoint: string;
  let heard: Heard[];
  let scratch: string;

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'holdfast-wire-'));
    server = createServer(async (request, response) => {
      const body = await text(request);
      const { 'x-amz-target': target, 'content-type': type = '', authorization = '' } = request.headers;
      const operation = target === undefined ? (new URLSearchParams(body).get('Action') ?? '') : (String(target).split('.')[1] ?? '');
      // The date moves on between two runs; who signs for which service does not.
      const scope = authorization.replace(/\/\d{8}\//, '/DATE/').replace(/Signature=.*/, '');
      heard.push({ operation, path: request.url ?? '', body, type, scope });
      const answer = answers[operation] ?? xml(500, '');
      response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  const asDeployed = async (outfile: string): Promise<void> => {
    const { code } = await minifyAgain(readFileSync(outfile, 'utf8'), '');
    writeFileSync(outfile, code);
  };

  const run = async (
    name: string,
    options: Partial<BuildOptions>,
    finish: (outfile: string) => Promise<void> = async () => {},
  ): Promise<{ readonly heard: readonly Heard[]; readonly answers: readonly unknown[] }> => {
    const outfile = join(scratch, `${name}.mjs`);
    const stdin = { contents: probe, resolveDir: root, loader: 'js' as const };
    await build({ ...bundleOptions, sourcemap: false, outExtension: {}, ...options, stdin, outfile });
    await finish(outfile);
    const { calls } = (await import(/* @vite-ignore */ outfile)) as { calls: (endpoint: string) => Promise<readonly unknown[]> };
    heard = [];
    const given = await calls(endpoint);
    return { heard, answers: given };
  };

  test('changes neither what goes over the wire nor what comes back', async () => {
    const [whole, lean] = [await run('whole', { plugins: [] }), await run('lean', {}, asDeployed)];
    expect(whole.heard.map(({ operation }) => operation)).toEqual(Object.keys(answers));
    expect(lean.heard).toEqual(whole.heard);
    expect(lean.answers).toEqual(whole.answers);
    expect(whole.answers).toContainEqual(expect.objectContaining({ name: 'ConditionalCheckFailedException', Item: { group: { S: 'g' } } }));
  });
});
