import { AutoScalingClient, CompleteLifecycleActionCommand, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateFleetCommand, DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { DescribeTargetHealthCommand, ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../sandbox/api.ts';
import { inMemoryProtocol } from '../../../sandbox/wire/in-memory.ts';
import { cloudOf, direct, recordingService, type Seen } from './stand-in.ts';

type Client = { send(command: never): Promise<unknown> };

/** What the service read and what the client was told, over the wire and in memory. */
const bothWays = async (service: string, operation: string, answer: unknown, make: (config: object) => Client, command: () => unknown) => {
  const way = async (more: object) => {
    const seen: Seen[] = [];
    const cloud = cloudOf([recordingService(service, { [operation]: answer }, seen)]);
    const told = await make({ ...direct(cloud), ...more })
      .send(command() as never)
      .then(
        (output) => ({ output }),
        (error: Error & { readonly $fault?: string; readonly $metadata?: { readonly httpStatusCode?: number }; readonly Item?: unknown }) => ({
          name: error.name,
          // A fault of the simulator is told with a stack, which is another one each way.
          message: error.message.split('\n')[0],
          fault: error.$fault,
          status: error.$metadata?.httpStatusCode,
          item: error.Item,
        }),
      );
    return { seen, told };
  };
  return { wire: await way({}), memory: await way({ protocol: inMemoryProtocol }) };
};

const ec2 = (config: object) => new EC2Client(config);
const autoScaling = (config: object) => new AutoScalingClient(config);
const elb = (config: object) => new ElasticLoadBalancingV2Client(config);
const sqs = (config: object) => new SQSClient(config);
const dynamodb = (config: object) => new DynamoDBClient(config);

const launchedAt = new Date(Date.UTC(2026, 0, 1, 12, 0, 0, 123));
const reservations = [
  { Instances: [{ InstanceId: 'i-1', LaunchTime: launchedAt, Tags: [{ Key: 'a', Value: ' < & > ' }], BlockDeviceMappings: [] }] },
];
const configs = [{ Overrides: [{ InstanceType: 'm7g.large', Priority: 1 } as const] }, { Overrides: [] }];
const fleet = { LaunchTemplateConfigs: configs, TargetCapacitySpecification: { TotalTargetCapacity: 2 }, ValidUntil: launchedAt };
const group = { AutoScalingGroupName: 'web', MinSize: 0, MaxSize: 4, DesiredCapacity: 2, CreatedTime: launchedAt, Instances: [] };
const groups = { AutoScalingGroups: [{ ...group, DefaultCooldown: 0, AvailabilityZones: ['a'], HealthCheckType: 'EC2' }] };
const healthy = { TargetHealthDescriptions: [{ Target: { Id: 'i-1', Port: 80 }, TargetHealth: { State: 'healthy' } }] };
const found = { Item: { id: { S: 'one' }, count: { N: '3' }, inside: { M: { list: { L: [{ BOOL: true }, { NULL: true }] } } } } };
const condition = new ApiError('ConditionalCheckFailedException', 'The conditional request failed', 400, found);

describe('a client in memory', () => {
  it.each([
    [
      'ec2',
      'DescribeInstances',
      { Reservations: reservations, NextToken: 'two' },
      ec2,
      () => new DescribeInstancesCommand({ InstanceIds: ['i-1'], MaxResults: 5 }),
    ],
    [
      'ec2',
      'DescribeInstances',
      { Reservations: [] },
      ec2,
      () => new DescribeInstancesCommand({ Filters: [{ Name: 'tag:a', Values: ['b'] }], NextToken: undefined }),
    ],
    [
      'ec2',
      'CreateFleet',
      { FleetId: 'fleet-1', Errors: [], Instances: [] },
      ec2,
      () => new CreateFleetCommand({ ...fleet, ClientToken: 'token', DryRun: false }),
    ],
    [
      'ec2',
      'CreateFleet',
      new ApiError('RequestLimitExceeded', 'Slower', 503),
      ec2,
      () => new CreateFleetCommand({ ...fleet, ClientToken: 'token' }),
    ],
    ['autoscaling', 'DescribeAutoScalingGroups', groups, autoScaling, () => new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [] })],
    [
      'autoscaling',
      'CompleteLifecycleAction',
      {},
      autoScaling,
      () =>
        new CompleteLifecycleActionCommand({
          LifecycleHookName: 'h',
          AutoScalingGroupName: 'web',
          LifecycleActionResult: 'CONTINUE',
          InstanceId: 'i-1',
        }),
    ],
    [
      'autoscaling',
      'DescribeAutoScalingGroups',
      new ApiError('ResourceContention', 'Busy'),
      autoScaling,
      () => new DescribeAutoScalingGroupsCommand({}),
    ],
    ['elasticloadbalancing', 'DescribeTargetHealth', healthy, elb, () => new DescribeTargetHealthCommand({ TargetGroupArn: 'arn:1' })],
    [
      'elasticloadbalancing',
      'DescribeTargetHealth',
      new ApiError('TargetGroupNotFound', 'None'),
      elb,
      () => new DescribeTargetHealthCommand({ TargetGroupArn: 'arn:1' }),
    ],
    ['elasticloadbalancing', 'DescribeTargetHealth', healthy, elb, () => new DescribeTargetHealthCommand({} as never)],
    ['dynamodb', 'GetItem', found, dynamodb, () => new GetItemCommand({ TableName: 't', Key: { id: { S: 'one' } }, ConsistentRead: undefined })],
    ['dynamodb', 'GetItem', {}, dynamodb, () => new GetItemCommand({ TableName: 't', Key: { id: { S: 'one' } } })],
    ['dynamodb', 'PutItem', condition, dynamodb, () => new PutItemCommand({ TableName: 't', Item: { id: { S: 'one' } } })],
    [
      'sqs',
      'SendMessageBatch',
      { Successful: [{ Id: 'a', MessageId: 'm', MD5OfMessageBody: '5d41402abc4b2a76b9719d911017c592' }], Failed: [] },
      sqs,
      () =>
        new SendMessageBatchCommand({
          QueueUrl: 'https://sqs.eu-west-1.amazonaws.com/1/q',
          Entries: [{ Id: 'a', MessageBody: 'hello', DelaySeconds: 3 }],
        }),
    ],
    [
      'sqs',
      'SendMessageBatch',
      { Strange: true },
      sqs,
      () => new SendMessageBatchCommand({ QueueUrl: 'https://sqs.eu-west-1.amazonaws.com/1/q', Entries: [] }),
    ],
  ])('passes what the wire passes: %s %s %j', async (service, operation, answer, make, command) => {
    const { wire, memory } = await bothWays(service, operation, answer, make, command);
    expect(memory.seen).toEqual(wire.seen);
    expect(memory.told).toEqual(wire.told);
  });
});
