import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, test } from 'vitest';
import { createAutoScalingClient, createDocumentClient, createEc2Client, createElbClient } from '../../aws/calls/clients.ts';
import { createCapacityProvider } from '../../aws/capacity-provider.ts';
import { createLifecycleActions } from '../../aws/lifecycle-actions.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { group, groupOfAsgs, nowMs, offering, reservation } from './builders.ts';
import { longPause } from './fake-aws.ts';
import { launchNow } from './provider.ts';

/** What the server does with one request: an answer, or a connection that breaks. */
type Reply = { readonly status: number; readonly body: string } | 'hang up';

const ec2Error = (code: string, status: number): Reply => ({
  status,
  body: `<Response><Errors><Error><Code>${code}</Code><Message>${code}</Message></Error></Errors><RequestID>r</RequestID></Response>`,
});
const queryError = (code: string, message: string, status = 400): Reply => ({
  status,
  body: `<ErrorResponse xmlns="http://autoscaling.amazonaws.com/doc/2011-01-01/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>r</RequestId></ErrorResponse>`,
});
const fleet = (id: string): Reply => ({
  status: 200,
  body: `<CreateFleetResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId><fleetId>f</fleetId><errorSet/><fleetInstanceSet><item><launchTemplateAndOverrides><overrides><instanceType>m7g.large</instanceType><subnetId>subnet-a</subnetId></overrides></launchTemplateAndOverrides><lifecycle>spot</lifecycle><instanceIds><item>${id}</item></instanceIds><instanceType>m7g.large</instanceType></item></fleetInstanceSet></CreateFleetResponse>`,
});

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const part of request) text += part;
  return text;
};

let server: Server | undefined;
afterEach(() => new Promise<void>((closed) => (server ? server.close(() => closed()) : closed())));

/** Real clients against a server that gives these replies in order, the last one for all further requests. */
const cloudOf = async (replies: readonly Reply[]) => {
  const bodies: string[] = [];
  server = createServer(async (request, response) => {
    bodies.push(await textOf(request));
    const reply = replies[Math.min(bodies.length, replies.length) - 1] ?? 'hang up';
    if (reply === 'hang up') return void request.socket.destroy();
    response.writeHead(reply.status, { 'content-type': 'text/xml', connection: 'close' }).end(reply.body);
  });
  await new Promise<void>((ready) => server?.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const config = {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    pauses: { sleep: async () => {}, random: () => 0 },
  };
  const deps = {
    ec2: createEc2Client(config),
    autoScaling: createAutoScalingClient(config),
    elb: createElbClient(config),
    deployment: 'prod',
    now: () => nowMs,
    sleep: longPause,
    note: () => {},
    missed: () => {},
  };
  return { deps, bodies, documents: createDocumentClient(config) };
};

const m7a = offering('m7g.large', 'z-a');
const tokens = (bodies: readonly string[]) => bodies.map((body) => new URLSearchParams(body).get('ClientToken'));

describe('a launch over the wire', () => {
  const launch = async (replies: readonly Reply[]) => {
    const { deps, bodies } = await cloudOf(replies);
    const [result] = await launchNow(createCapacityProvider({ kind: 'tag' }, deps), group(), [reservation('spot-a', 1, [m7a])]);
    return { result, bodies };
  };

  test('returns the instances that EC2 names', async () => {
    const { result } = await launch([fleet('i-1')]);
    expect(result).toEqual({ kind: 'answered', instances: [{ instance: 'i-1', offering: m7a }], refusals: [] });
  });

  test('whose response was lost is repeated under the same token, and gets a response', async () => {
    const { result, bodies } = await launch(['hang up', fleet('i-1')]);
    expect(result).toMatchObject({ kind: 'answered', instances: [{ instance: 'i-1' }] });
    expect(tokens(bodies)).toEqual(['token-1', 'token-1']);
  });

  test('throttled at every attempt is throttled', async () => {
    expect((await launch([ec2Error('RequestLimitExceeded', 503)])).result).toEqual({ kind: 'throttled', code: 'RequestLimitExceeded' });
  });

  test('throttled after an attempt whose response was lost is ambiguous: that attempt may have launched', async () => {
    const { result, bodies } = await launch(['hang up', ec2Error('RequestLimitExceeded', 503)]);
    expect(result).toEqual({ kind: 'ambiguous', code: 'RequestLimitExceeded' });
    expect(bodies).toHaveLength(3);
  });

  test('that never gets a response is ambiguous', async () => {
    expect((await launch(['hang up'])).result?.kind).toBe('ambiguous');
  });

  test('that EC2 calls wrong is wrong at the first attempt', async () => {
    const { result, bodies } = await launch([ec2Error('InvalidLaunchTemplateName.NotFoundException', 400)]);
    expect(result).toMatchObject({ kind: 'invalid', code: 'InvalidLaunchTemplateName.NotFoundException' });
    expect(bodies).toHaveLength(1);
  });

  test('is not requested once the lease of its reservation is over, by the clock of the caller', async () => {
    const { deps, bodies } = await cloudOf([fleet('i-1')]);
    const provider = createCapacityProvider({ kind: 'tag' }, deps);
    const [result] = await launchNow(provider, group(), [reservation('spot-a', 1, [m7a])], { leaseUntilMs: nowMs });
    expect(result).toEqual({ kind: 'not-asked', code: 'LeaseOver' });
    expect(bodies).toEqual([]);
  });

  test.each([
    ['throttled', ec2Error('RequestLimitExceeded', 503), 'not-asked'],
    ['without an answer', 'hang up', 'ambiguous'],
  ] as const)('whose first attempt was %s is not attempted again once the lease is over', async (_, reply, kind) => {
    const { deps, bodies } = await cloudOf([reply, fleet('i-1')]);
    const provider = createCapacityProvider({ kind: 'tag' }, { ...deps, now: () => nowMs + bodies.length });
    const [result] = await launchNow(provider, group(), [reservation('spot-a', 1, [m7a])], { leaseUntilMs: nowMs + 1 });
    expect(result?.kind).toBe(kind);
    expect(bodies).toHaveLength(1);
  });

  test('of LaunchInstances in two parts stays open as a whole where its lease is over before the second part', async () => {
    const given: Reply = {
      status: 200,
      body: '<LaunchInstancesResponse xmlns="http://autoscaling.amazonaws.com/doc/2011-01-01/"><LaunchInstancesResult><Instances><member><InstanceType>m7g.large</InstanceType><AvailabilityZone>z-a</AvailabilityZone><InstanceIds><member>i-1</member></InstanceIds></member></Instances></LaunchInstancesResult></LaunchInstancesResponse>',
    };
    const { deps, bodies } = await cloudOf([given]);
    const provider = createCapacityProvider({ kind: 'launch-instances' }, { ...deps, now: () => nowMs + bodies.length });
    const [result] = await launchNow(provider, groupOfAsgs(), [reservation('a', 200, [m7a])], { leaseUntilMs: nowMs + 1 });
    expect(result).toEqual({ kind: 'not-asked', code: 'LeaseOver' });
    expect(bodies.filter((body) => body.includes('Action=LaunchInstances'))).toHaveLength(1);
  });

  test('of LaunchInstances still under way is ambiguous, by the name that the wire gives', async () => {
    const { deps } = await cloudOf([queryError('IdempotentCallInProgress', 'busy', 500)]);
    const [result] = await launchNow(createCapacityProvider({ kind: 'launch-instances' }, deps), groupOfAsgs(), [reservation('a', 1, [m7a])]);
    expect(result?.kind).toBe('ambiguous');
  });
});

describe('the termination of a member through its Auto Scaling group, over the wire', () => {
  const described: Reply = {
    status: 200,
    body: '<DescribeAutoScalingGroupsResponse xmlns="http://autoscaling.amazonaws.com/doc/2011-01-01/"><DescribeAutoScalingGroupsResult><AutoScalingGroups><member><AutoScalingGroupName>web</AutoScalingGroupName><MinSize>0</MinSize><MaxSize>9</MaxSize><DesiredCapacity>1</DesiredCapacity><Instances><member><InstanceId>i-1</InstanceId><LifecycleState>InService</LifecycleState><HealthStatus>Healthy</HealthStatus></member></Instances></member></AutoScalingGroups></DescribeAutoScalingGroupsResult></DescribeAutoScalingGroupsResponse>',
  };
  const throttle = queryError('Throttling', 'Rate exceeded');
  const belowMin = queryError('ValidationError', 'Terminating this instance would violate the group minimum size');

  test.each([
    ['throttled at every attempt', [throttle], 'Throttling'],
    ['refused because of the minimum size', [belowMin], 'BelowMinSize'],
    ['throttled after an attempt without a response', ['hang up', throttle], 'TimeoutError'],
    ['refused after an attempt without a response, which may have reached the minimum size', ['hang up', belowMin], 'TimeoutError'],
    ['without a response after a throttle, and throttled again', [throttle, 'hang up', throttle], 'TimeoutError'],
  ] as const)('%s fails with the code of what is certain', async (_, replies, code) => {
    const { deps } = await cloudOf([described, ...replies]);
    const attached = group({ holding: { kind: 'attach', asg: 'web' } });
    const swap = { group: 'workers', instance: 'i-1', reason: 'scale-in', asg: 'web' } as unknown as Swap;
    const { failed } = await createCapacityProvider(attached.holding, deps).release(attached, [swap]);
    expect(failed).toEqual([{ instance: 'i-1', code, retry: 'later' }]);
  });
});

describe('errors over the wire', () => {
  test('of Auto Scaling are classified by their texts', async () => {
    const { deps } = await cloudOf([queryError('ValidationError', 'No active Lifecycle Action found with token t')]);
    const hook = { asg: 'web', hook: 'h', token: 't', expiresAtMs: 0 };
    expect(await createLifecycleActions({ client: deps.autoScaling }).complete('i-1', hook)).toBe('not-active');
  });

  test('of Auto Scaling that mean later are later', async () => {
    const { deps } = await cloudOf([queryError('ScalingActivityInProgress', 'busy')]);
    const attached = group({ holding: { kind: 'attach', asg: 'web' } });
    const { failed } = await createCapacityProvider(attached.holding, deps).admit(attached, ['i-1']);
    expect(failed).toMatchObject([{ instance: 'i-1', retry: 'later' }]);
  });

  test('of a deleted target group do not count as errors', async () => {
    const { deps } = await cloudOf([queryError('TargetGroupNotFound', 'One or more target groups not found')]);
    const of = group({ drain: { timeoutMs: 1, loadBalancers: ['tg-1'] } });
    const swap = { group: 'workers', instance: 'i-1', reason: 'rebalance' } as unknown as Swap;
    expect(await createCapacityProvider(of.holding, deps).release(of, [swap])).toEqual({ done: ['i-1'], failed: [] });
  });
});

describe('a write of an item over the wire', () => {
  const tableError = (code: string): Reply => ({
    status: 400,
    body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${code}`, message: code }),
  });
  const write = async (replies: readonly Reply[]) => {
    const { documents, bodies } = await cloudOf(replies);
    const written = await documents.send(new PutCommand({ TableName: 'groups', Item: { group: 'web' } })).then(
      () => 'done',
      (error: Error) => error.name,
    );
    return { written, attempts: bodies.length };
  };

  test('that a transaction holds for a moment is repeated', async () => {
    expect(await write([tableError('TransactionConflictException'), { status: 200, body: '{}' }])).toEqual({ written: 'done', attempts: 2 });
  });

  test('that a transaction holds at every attempt fails', async () => {
    expect(await write([tableError('TransactionConflictException')])).toEqual({ written: 'TransactionConflictException', attempts: 3 });
  });

  test('whose condition fails is not repeated', async () => {
    expect(await write([tableError('ConditionalCheckFailedException')])).toEqual({ written: 'ConditionalCheckFailedException', attempts: 1 });
  });
});
