import {
  AutoScalingClient,
  DescribeAutoScalingGroupsCommand,
  LaunchInstancesCommand,
  ResourceContentionFault,
  SetDesiredCapacityCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { CreateFleetCommand, CreateTagsCommand, DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import {
  DescribeTargetHealthCommand,
  ElasticLoadBalancingV2Client,
  RegisterTargetsCommand,
  TargetGroupNotFoundException,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { expect, test } from 'vitest';
import { ApiError } from '../../../sandbox/api.ts';
import { cloudOf, direct, recordingService, type Seen } from './stand-in.ts';

const ec2With = (answers: Readonly<Record<string, unknown>>) => {
  const seen: Seen[] = [];
  return { seen, client: new EC2Client(direct(cloudOf([recordingService('ec2', answers, seen)]))) };
};

test('CreateFleet: nested configurations, overrides and tags arrive as they were written, and so does the response', async () => {
  const answer = {
    FleetId: 'fleet-1',
    Instances: [
      {
        InstanceIds: ['i-1', 'i-2'],
        InstanceType: 'm7g.large',
        Lifecycle: 'spot',
        LaunchTemplateAndOverrides: { Overrides: { SubnetId: 'subnet-a' } },
      },
    ],
    Errors: [{ ErrorCode: 'InsufficientInstanceCapacity', ErrorMessage: 'There is no Spot capacity <here> & now', Lifecycle: 'spot' }],
  };
  const { seen, client } = ec2With({ CreateFleet: answer });
  const input = {
    Type: 'instant' as const,
    ClientToken: 'reservation-1-attempt-1',
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: 'web', Version: '$Latest' },
        Overrides: [
          { InstanceType: 'm7g.large' as const, SubnetId: 'subnet-a', Priority: 1.5, MaxPrice: '0.05' },
          { InstanceType: 'm6g.large' as const, SubnetId: 'subnet-b' },
        ],
      },
    ],
    TargetCapacitySpecification: { TotalTargetCapacity: 12, DefaultTargetCapacityType: 'spot' as const },
    SpotOptions: { AllocationStrategy: 'price-capacity-optimized' as const, SingleInstanceType: false },
    ValidUntil: new Date('2026-02-03T04:05:06.000Z'),
    TagSpecifications: [{ ResourceType: 'instance' as const, Tags: [{ Key: 'Name', Value: 'a & b = "c" ü' }] }],
  };
  const output = await client.send(new CreateFleetCommand(input));
  expect(seen).toEqual([{ operation: 'CreateFleet', input }]);
  expect(output).toMatchObject(answer);
});

test('DescribeInstances: filters arrive in order, beyond ten of them, and dates come back as dates', async () => {
  const launched = new Date('2026-01-01T00:00:01.500Z');
  const reservation = {
    ReservationId: 'r-1',
    Instances: [{ InstanceId: 'i-1', LaunchTime: launched, State: { Code: 16, Name: 'running' }, EbsOptimized: false, Tags: [] }],
  };
  const { seen, client } = ec2With({ DescribeInstances: { Reservations: [reservation], NextToken: 'more' } });
  const values = Array.from({ length: 25 }, (_, index) => `i-${index}`);
  const output = await client.send(new DescribeInstancesCommand({ Filters: [{ Name: 'instance-id', Values: values }], MaxResults: 200 }));
  expect(seen[0]?.input).toEqual({ Filters: [{ Name: 'instance-id', Values: values }], MaxResults: 200 });
  expect(output.Reservations?.[0]?.Instances?.[0]).toMatchObject({ LaunchTime: launched, EbsOptimized: false, State: { Code: 16, Name: 'running' } });
  expect(output.NextToken).toBe('more');
});

test('an EC2 operation without output returns success', async () => {
  const { seen, client } = ec2With({ CreateTags: undefined });
  await client.send(new CreateTagsCommand({ Resources: ['i-1', 'i-2'], Tags: [{ Key: 'a', Value: '' }] }));
  expect(seen[0]?.input).toEqual({ Resources: ['i-1', 'i-2'], Tags: [{ Key: 'a', Value: '' }] });
});

test('an EC2 error arrives with its code, status and message', async () => {
  const { client } = ec2With({ CreateFleet: new ApiError('InvalidLaunchTemplateName.NotFoundException', 'There is no <web>') });
  const call = client.send(new CreateFleetCommand({ LaunchTemplateConfigs: [], TargetCapacitySpecification: { TotalTargetCapacity: 1 } }));
  await expect(call).rejects.toMatchObject({ name: 'MissingParameter' });
  const spec = { LaunchTemplateSpecification: { LaunchTemplateName: 'web', Version: '1' } };
  const second = client.send(new CreateFleetCommand({ LaunchTemplateConfigs: [spec], TargetCapacitySpecification: { TotalTargetCapacity: 1 } }));
  await expect(second).rejects.toMatchObject({
    name: 'InvalidLaunchTemplateName.NotFoundException',
    message: 'There is no <web>',
    $metadata: { httpStatusCode: 400 },
  });
});

test('a response that the API could not give causes an error with the reason, and is never dropped silently', async () => {
  const { client } = ec2With({ DescribeInstances: { Reservations: [{ Instances: [{ InstanceID: 'i-1' }] }] } });
  await expect(client.send(new DescribeInstancesCommand({}))).rejects.toMatchObject({
    message: expect.stringContaining('Instance has no member InstanceID'),
  });
});

const asgWith = (answers: Readonly<Record<string, unknown>>) => {
  const seen: Seen[] = [];
  return { seen, client: new AutoScalingClient(direct(cloudOf([recordingService('autoscaling', answers, seen)]))) };
};

test('DescribeAutoScalingGroups: names, numbers, dates, empty lists', async () => {
  const group = {
    AutoScalingGroupName: 'workers',
    MinSize: 0,
    MaxSize: 10,
    DesiredCapacity: 3,
    DefaultCooldown: 300,
    AvailabilityZones: ['eu-west-1a'],
    HealthCheckType: 'EC2',
    CreatedTime: new Date('2026-01-01T00:00:00.000Z'),
    Instances: [
      { InstanceId: 'i-1', AvailabilityZone: 'eu-west-1a', LifecycleState: 'InService', HealthStatus: 'Healthy', ProtectedFromScaleIn: false },
    ],
    SuspendedProcesses: [],
  };
  const { seen, client } = asgWith({ DescribeAutoScalingGroups: { AutoScalingGroups: [group] } });
  const output = await client.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: ['workers', 'others'], MaxRecords: 100 }));
  expect(seen[0]?.input).toEqual({ AutoScalingGroupNames: ['workers', 'others'], MaxRecords: 100 });
  expect(output.AutoScalingGroups).toEqual([group]);
});

test('LaunchInstances and batched TerminateInstanceInAutoScalingGroup pass both ways', async () => {
  const launched = { AutoScalingGroupName: 'workers', Instances: [{ InstanceType: 'm7g.large', InstanceIds: ['i-1'] }], Errors: [] };
  const { seen, client } = asgWith({ LaunchInstances: launched, TerminateInstanceInAutoScalingGroup: {} });
  const request = { AutoScalingGroupName: 'workers', RequestedCapacity: 2, ClientToken: 'token', SubnetIds: ['subnet-a'] };
  expect(await client.send(new LaunchInstancesCommand(request))).toMatchObject(launched);
  await client.send(
    new TerminateInstanceInAutoScalingGroupCommand({
      AutoScalingGroupName: 'workers',
      InstanceIds: ['i-1', 'i-2'],
      ShouldDecrementDesiredCapacity: true,
    }),
  );
  expect(seen.map(({ input }) => input)).toEqual([
    request,
    { AutoScalingGroupName: 'workers', InstanceIds: ['i-1', 'i-2'], ShouldDecrementDesiredCapacity: true },
  ]);
});

test.each(['ResourceContention', 'ResourceContentionFault'])('a modelled Auto Scaling error thrown as %s is typed at the client', async (code) => {
  const { client } = asgWith({ SetDesiredCapacity: new ApiError(code, 'You already have a pending update') });
  const call = client.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'workers', DesiredCapacity: 1 }));
  await expect(call).rejects.toBeInstanceOf(ResourceContentionFault);
  await expect(call).rejects.toMatchObject({
    Code: 'ResourceContention',
    $metadata: { httpStatusCode: 500 },
    message: 'You already have a pending update',
  });
});

test('an Auto Scaling error that has no class of its own keeps its code as name', async () => {
  const { client } = asgWith({ SetDesiredCapacity: new ApiError('ValidationError', 'New SetDesiredCapacity value 11 is above max value 10') });
  const call = client.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: 'workers', DesiredCapacity: 11 }));
  await expect(call).rejects.toMatchObject({ name: 'ValidationError', message: expect.stringContaining('above max') });
});

test('Elastic Load Balancing: targets, health and typed errors', async () => {
  const seen: Seen[] = [];
  const health = {
    TargetHealthDescriptions: [{ Target: { Id: 'i-1', Port: 80 }, TargetHealth: { State: 'draining', Reason: 'Target.DeregistrationInProgress' } }],
  };
  const answers = { RegisterTargets: {}, DescribeTargetHealth: health };
  const client = new ElasticLoadBalancingV2Client(direct(cloudOf([recordingService('elasticloadbalancing', answers, seen)])));
  const arn = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/web/1';
  await client.send(new RegisterTargetsCommand({ TargetGroupArn: arn, Targets: [{ Id: 'i-1', Port: 80 }, { Id: 'i-2' }] }));
  expect(seen[0]?.input).toEqual({ TargetGroupArn: arn, Targets: [{ Id: 'i-1', Port: 80 }, { Id: 'i-2' }] });
  expect(await client.send(new DescribeTargetHealthCommand({ TargetGroupArn: arn }))).toMatchObject(health);

  const missing = new ApiError('TargetGroupNotFound', 'One or more target groups not found');
  const failing = new ElasticLoadBalancingV2Client(direct(cloudOf([recordingService('elasticloadbalancing', { DescribeTargetHealth: missing })])));
  await expect(failing.send(new DescribeTargetHealthCommand({ TargetGroupArn: arn }))).rejects.toBeInstanceOf(TargetGroupNotFoundException);
});
