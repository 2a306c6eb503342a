import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DescribeInstancesCommand, EC2Client, RunInstancesCommand } from '@aws-sdk/client-ec2';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../sandbox/api.ts';
import { AnswerLost } from '../../../sandbox/cloud.ts';
import { createFaults } from '../../../sandbox/faults.ts';
import { createPublishedThrottle } from '../../../sandbox/throttle/published-buckets.ts';
import { cloudOf, createSleepClock, direct, recordingService, type Seen } from './stand-in.ts';

const describeInstances = new DescribeInstancesCommand({});
const ec2 = (seen?: Seen[]) => recordingService('ec2', { DescribeInstances: { Reservations: [] } }, seen);
const faultsWith = () => createFaults({ random: () => 0.5, clock: { now: () => 0 } });

describe('an error names what is not simulated, and no call gets an empty success', () => {
  test('an operation of the API that the service does not have', async () => {
    const client = new EC2Client(direct(cloudOf([ec2()])));
    const call = client.send(new RunInstancesCommand({ MinCount: 1, MaxCount: 1 }));
    await expect(call).rejects.toMatchObject({ name: 'InvalidAction', message: 'The sandbox does not simulate ec2:RunInstances.' });
  });

  test('a service that is not there', async () => {
    const cloud = cloudOf([ec2()]);
    await expect(new EventBridgeClient(direct(cloud)).send(new PutEventsCommand({ Entries: [] }))).rejects.toMatchObject({
      name: 'UnknownOperationException',
    });
    await expect(new DynamoDBClient(direct(cloud)).send(new ListTablesCommand({}))).rejects.toMatchObject({
      message: expect.stringContaining('dynamodb:ListTables'),
    });
    expect(cloud.log.calls({ outcome: 'UnknownOperationException' })).toHaveLength(2);
  });

  test('a service that the sandbox does not implement', async () => {
    const answer = await cloudOf([ec2()]).handleHttp({
      method: 'GET',
      path: '/2015-03-31/functions',
      query: '',
      headers: { authorization: 'AWS4-HMAC-SHA256 Credential=operator/20260101/eu-west-1/lambda/aws4_request, SignedHeaders=host, Signature=0' },
      body: '',
    });
    expect(answer).toMatchObject({
      kind: 'answer',
      response: {
        status: 400,
        body: expect.stringContaining(
          '"com.amazonaws.lambda#UnknownOperationException","message":"The sandbox does not simulate lambda:GET /2015-03-31/functions',
        ),
      },
    });
  });

  test('a service in a protocol that the sandbox does not speak', async () => {
    const seen: Seen[] = [];
    const sqs = recordingService('sqs', { GetQueueUrl: { QueueUrl: 'http://queue' } }, seen);
    const authorization = 'AWS4-HMAC-SHA256 Credential=operator/20260101/eu-west-1/sqs/aws4_request, SignedHeaders=host, Signature=0';
    const body = 'Action=GetQueueUrl&Version=2012-11-05&QueueName=jobs';
    const answer = await cloudOf([sqs]).handleHttp({ method: 'POST', path: '/', query: '', headers: { authorization }, body });
    expect(answer).toMatchObject({ response: { status: 400, body: expect.stringContaining('The sandbox does not simulate sqs:GetQueueUrl.') } });
    expect(seen).toEqual([]);
  });

  test('an EC2 parameter that does not exist', async () => {
    const body = 'Action=DescribeInstances&Version=2016-11-15&Filters.1.Name=x';
    const answer = await cloudOf([ec2()]).handleHttp({ method: 'POST', path: '/', query: '', headers: {}, body });
    expect(answer).toMatchObject({ response: { status: 400, body: expect.stringContaining('<Code>UnknownParameter</Code>') } });
  });
});

test('the access key names the caller, and a key that is not registered belongs to the operator', async () => {
  const refused = new ApiError('UnauthorizedOperation', 'You are not authorized to perform this operation.', 403);
  const cloud = cloudOf([ec2()], { authorise: (call) => (call.caller.kind === 'role' ? refused : undefined) });
  cloud.registerCaller('react-role', 'react-role');
  await expect(new EC2Client(direct(cloud, 'react-role')).send(describeInstances)).rejects.toMatchObject({ name: 'UnauthorizedOperation' });
  await new EC2Client(direct(cloud, 'somebody')).send(describeInstances);
  expect(cloud.log.calls().map(({ caller, outcome }) => [caller, outcome])).toEqual([
    ['react-role', 'UnauthorizedOperation'],
    ['operator', 'ok'],
  ]);
});

test('a dry run is checked and then not carried out', async () => {
  const seen: Seen[] = [];
  const call = new EC2Client(direct(cloudOf([ec2(seen)]))).send(new DescribeInstancesCommand({ DryRun: true }));
  await expect(call).rejects.toMatchObject({ name: 'DryRunOperation', $metadata: { httpStatusCode: 412 } });
  expect(seen).toEqual([]);
});

test('a fault of the simulator comes out as an internal error with its reason', async () => {
  const broken = recordingService('ec2', { DescribeInstances: new TypeError('no such thing') });
  await expect(
    cloudOf([broken]).call({ service: 'ec2', operation: 'DescribeInstances', input: {}, caller: { kind: 'operator' } }),
  ).rejects.toMatchObject({
    code: 'InternalError',
    message: expect.stringContaining('no such thing'),
  });
});

test('latency passes in world time, half of it before the operation', async () => {
  const clock = createSleepClock();
  const startMs = clock.now();
  let appliedMs = 0;
  const describeNow = () => {
    appliedMs = clock.now();
    return { Reservations: [] };
  };
  const service = { service: 'ec2', operations: { DescribeInstances: describeNow } };
  const cloud = cloudOf([service], { clock, latencyMs: { '*': [1, 1], 'ec2:DescribeInstances': [100, 300] } });
  await new EC2Client(direct(cloud)).send(describeInstances);
  expect([appliedMs - startMs, clock.now() - startMs]).toEqual([100, 200]);
  expect(cloud.log.calls()).toMatchObject([{ operation: 'DescribeInstances', outcome: 'ok', durationMs: 200 }]);
});

test('a response takes longer to read, the more instances it has', async () => {
  const clock = createSleepClock();
  const Reservations = [
    { Instances: Array.from({ length: 300 }, (_, index) => ({ InstanceId: `i-${index}` })) },
    { Instances: [{ InstanceId: 'i-x' }] },
  ];
  const service = { service: 'ec2', operations: { DescribeInstances: () => ({ Reservations }) } };
  const cloud = cloudOf([service], { clock, latencyMs: { '*': [50, 50] }, latencyPerInstanceMs: { 'ec2:DescribeInstances': 0.5 } });
  await new EC2Client(direct(cloud)).send(describeInstances);
  expect(cloud.log.calls()).toMatchObject([{ durationMs: 50 + Math.round(301 * 0.5) }]);
});

test('a launch takes longer, the more instances it has, and so does the health of many targets', async () => {
  const clock = createSleepClock();
  const ec2Service = {
    service: 'ec2',
    operations: { CreateFleet: () => ({ Instances: [{ InstanceIds: ['i-1', 'i-2'] }, { InstanceIds: ['i-3'] }] }) },
  };
  const elb = { service: 'elasticloadbalancing', operations: { DescribeTargetHealth: () => ({ TargetHealthDescriptions: [{}, {}] }) } };
  const latencyPerInstanceMs = { 'ec2:CreateFleet': 8, 'elasticloadbalancing:DescribeTargetHealth': 1 };
  const cloud = cloudOf([ec2Service, elb], { clock, latencyMs: { '*': [50, 50] }, latencyPerInstanceMs });
  const caller = { kind: 'operator' } as const;
  await cloud.call({ service: 'ec2', operation: 'CreateFleet', input: {}, caller });
  await cloud.call({ service: 'elasticloadbalancing', operation: 'DescribeTargetHealth', input: {}, caller });
  expect(cloud.log.calls()).toMatchObject([{ durationMs: 50 + 3 * 8 }, { durationMs: 50 + 2 }]);
});

describe('published buckets', () => {
  test('an unfiltered describe has 50 calls, and each service its own error', async () => {
    const clock = createSleepClock();
    const asg = recordingService('autoscaling', { DescribeAutoScalingGroups: { AutoScalingGroups: [] } });
    const cloud = cloudOf([ec2(), asg], { clock, throttle: createPublishedThrottle({ clock }) });
    const client = new EC2Client(direct(cloud));
    for (let calls = 0; calls < 50; calls += 1) await client.send(describeInstances);
    await expect(client.send(describeInstances)).rejects.toMatchObject({ name: 'RequestLimitExceeded', $metadata: { httpStatusCode: 503 } });
    await client.send(new DescribeInstancesCommand({ MaxResults: 5 }));
    clock.pass(100);
    await client.send(describeInstances);

    const scaling = new AutoScalingClient(direct(cloud));
    for (let calls = 0; calls < 20; calls += 1) await scaling.send(new DescribeAutoScalingGroupsCommand({}));
    await expect(scaling.send(new DescribeAutoScalingGroupsCommand({}))).rejects.toMatchObject({ name: 'Throttling', message: 'Rate exceeded' });
  });
});

describe('faults on calls', () => {
  const call = { service: 'ec2', operation: 'DescribeInstances', input: {}, caller: { kind: 'operator' } } as const;

  test('throttle and error apply nothing', async () => {
    const seen: Seen[] = [];
    const faults = faultsWith();
    faults.add({ on: 'call', kind: 'throttle', match: { service: 'ec2' }, times: 1 });
    faults.add({ on: 'call', kind: 'error', code: 'Unavailable', status: 503, nth: 2 });
    const client = new EC2Client(direct(cloudOf([ec2(seen)], { faults })));
    await expect(client.send(describeInstances)).rejects.toMatchObject({ name: 'RequestLimitExceeded' });
    await expect(client.send(describeInstances)).rejects.toMatchObject({ name: 'Unavailable', $metadata: { httpStatusCode: 503 } });
    expect(seen).toEqual([]);
    await client.send(describeInstances);
    expect(seen).toHaveLength(1);
  });

  test('a lost response: the call was applied, and the SDK sends the same request again', async () => {
    const seen: Seen[] = [];
    const faults = faultsWith();
    faults.add({ on: 'call', kind: 'lose-answer', match: { operation: 'DescribeInstances' }, times: 1 });
    const cloud = cloudOf([ec2(seen)], { faults });
    await new EC2Client({ ...direct(cloud), maxAttempts: 2 }).send(describeInstances);
    expect(seen).toHaveLength(2);
    expect(cloud.log.calls().map(({ outcome }) => outcome)).toEqual(['lost', 'ok']);
  });

  test('a lost response is a time-out when it is lost before the call is applied', async () => {
    const seen: Seen[] = [];
    const faults = faultsWith();
    faults.add({ on: 'call', kind: 'lose-answer', when: 'before', as: 'timeout', afterMs: 5000 });
    const clock = createSleepClock();
    const startMs = clock.now();
    await expect(new EC2Client(direct(cloudOf([ec2(seen)], { faults, clock }))).send(describeInstances)).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    expect([seen.length, clock.now() - startMs]).toEqual([0, 5000]);
  });

  test('a lost response is an error of its own kind inside the cloud', async () => {
    const faults = faultsWith();
    faults.add({ on: 'call', kind: 'lose-answer' });
    await expect(cloudOf([ec2()], { faults }).call(call)).rejects.toBeInstanceOf(AnswerLost);
  });

  test.each([
    ['before', 0],
    ['after', 1],
    ['answered', 1],
  ] as const)('a caller that crashes %s the call gets no response, and its environment is reported', async (when, applied) => {
    const seen: Seen[] = [];
    const crashed: unknown[] = [];
    const faults = faultsWith();
    faults.add({ on: 'call', kind: 'crash-caller', when, match: { caller: 'react' }, nth: 2 });
    const cloud = cloudOf([ec2(seen)], { faults, crashCaller: (environment, { operation }) => crashed.push([environment, operation]) });
    cloud.registerCaller('react', 'react');
    const config = direct(cloud, 'react');
    const client = new EC2Client({ ...config, credentials: { ...config.credentials, sessionToken: 'environment-7' } });
    await client.send(describeInstances);
    const hit = client.send(describeInstances).then(
      () => 'answered',
      () => 'failed',
    );
    const later = new Promise((resolve) => setTimeout(resolve, 20, 'silence'));
    expect(await Promise.race([hit, later])).toBe('silence');
    expect(await Promise.race([client.send(describeInstances), later])).toBe('silence');
    expect([seen.length, crashed]).toEqual([1 + applied, [['environment-7', 'DescribeInstances']]]);
  });
});
