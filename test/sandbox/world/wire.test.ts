import {
  AttachInstancesCommand,
  AutoScalingClient,
  CompleteLifecycleActionCommand,
  DescribeAutoScalingGroupsCommand,
  LaunchInstancesCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import {
  CreateFleetCommand,
  CreateTagsCommand,
  DescribeSpotPriceHistoryCommand,
  DescribeSubnetsCommand,
  EC2Client,
  paginateDescribeInstances,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { DescribeTargetHealthCommand, ElasticLoadBalancingV2Client, RegisterTargetsCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import {
  attachedTo,
  isAboveMax,
  isBelowMin,
  isNoActiveLifecycleAction,
  isNotRunningYet,
  isUnknownAsg,
  isUnknownInstance,
} from '../../../aws/calls/errors.ts';
import { createCloud } from '../../../sandbox/cloud.ts';
import { createDirectHandler } from '../../../sandbox/direct-handler.ts';
import { asg, createTestWorld, targetGroup } from './build.ts';

const build = () => {
  const test = createTestWorld({ autoScalingGroups: [asg({ desired: 0 })], targetGroups: [targetGroup()] });
  // Calls take no world time here, so that they can simply be awaited while the world stands still.
  const still = { ...test.clock, sleep: async () => {}, busy: <T>(work: Promise<T>) => work };
  const cloud = createCloud({ services: test.world.services, clock: still, random: () => 0.5 });
  const config = {
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIDOPERATOR', secretAccessKey: 'none' },
    requestHandler: createDirectHandler(cloud, 'AKIDOPERATOR'),
    maxAttempts: 1,
  };
  return { ...test, ec2: new EC2Client(config), autoScaling: new AutoScalingClient(config), elb: new ElasticLoadBalancingV2Client(config) };
};

const fleet = (count: number) =>
  new CreateFleetCommand({
    Type: 'instant',
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: 'web', Version: '$Default' },
        Overrides: [{ InstanceType: 'm7g.large', SubnetId: 'subnet-a', Priority: 1 }],
      },
    ],
    TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType: 'spot' },
    SpotOptions: { AllocationStrategy: 'price-capacity-optimized' },
    TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'team', Value: 'web' }] }],
  });

describe('the SDK talks to the world over the wire', () => {
  it('launches, finds by page, tags and terminates', async () => {
    const { ec2, seconds } = build();
    const answer = await ec2.send(fleet(12));
    expect(answer.Instances?.[0]?.InstanceIds).toHaveLength(10);
    expect(answer.Errors?.[0]).toMatchObject({
      Lifecycle: 'spot',
      ErrorCode: 'InsufficientInstanceCapacity',
      LaunchTemplateAndOverrides: { Overrides: { InstanceType: 'm7g.large', SubnetId: 'subnet-a' } },
    });
    await seconds(10);
    const found: string[] = [];
    const read = async () => {
      const filters = [{ Name: 'tag:team', Values: ['web'] }];
      for await (const page of paginateDescribeInstances({ client: ec2, pageSize: 5 }, { Filters: filters })) {
        for (const { Instances } of page.Reservations ?? []) found.push(`${Instances?.[0]?.State?.Name} ${Instances?.[0]?.Tags?.[0]?.Value}`);
      }
    };
    await read();
    expect(found).toEqual(Array.from({ length: 10 }, () => 'running web'));
    const ids = answer.Instances?.[0]?.InstanceIds ?? [];
    await ec2.send(new CreateTagsCommand({ Resources: ids, Tags: [{ Key: 'a', Value: 'b' }] }));
    const wrong = ec2.send(new TerminateInstancesCommand({ InstanceIds: [...ids, 'i-0123'] }));
    await expect(wrong).rejects.toMatchObject({ name: 'InvalidInstanceID.NotFound', message: "The instance ID 'i-0123' does not exist" });
    const ended = await ec2.send(new TerminateInstancesCommand({ InstanceIds: ids }));
    expect(ended.TerminatingInstances?.[0]?.CurrentState?.Name).toBe('shutting-down');
  });

  it('reads subnets and prices', async () => {
    const { ec2, clock } = build();
    const { Subnets } = await ec2.send(new DescribeSubnetsCommand({ SubnetIds: ['subnet-b'] }));
    expect(Subnets?.[0]).toMatchObject({ AvailabilityZone: 'us-east-1b', AvailableIpAddressCount: 4091 });
    const asked = new DescribeSpotPriceHistoryCommand({
      InstanceTypes: ['m7g.large'],
      StartTime: new Date(clock.now()),
      ProductDescriptions: ['Linux/UNIX'],
    });
    const { SpotPriceHistory } = await ec2.send(asked);
    expect(SpotPriceHistory?.map(({ SpotPrice }) => SpotPrice)).toEqual(['0.030000', '0.030000', '0.030000']);
  });

  it('launches into an Auto Scaling group and describes it', async () => {
    const { autoScaling, seconds } = build();
    const launch = new LaunchInstancesCommand({
      AutoScalingGroupName: 'workers',
      RequestedCapacity: 2,
      AvailabilityZones: ['us-east-1a'],
      ClientToken: 't',
    });
    const launched = await autoScaling.send(launch);
    expect(launched.Instances?.[0]).toMatchObject({ MarketType: 'spot', AvailabilityZone: 'us-east-1a' });
    await seconds(10);
    const { AutoScalingGroups } = await autoScaling.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: ['workers'] }));
    expect(AutoScalingGroups?.[0]).toMatchObject({
      DesiredCapacity: 2,
      Instances: [{ LifecycleState: 'InService' }, { LifecycleState: 'InService' }],
    });
    const other = new LaunchInstancesCommand({
      AutoScalingGroupName: 'workers',
      RequestedCapacity: 3,
      AvailabilityZones: ['us-east-1a'],
      ClientToken: 't',
    });
    const late = autoScaling.send(other);
    await expect(late).rejects.toMatchObject({ name: 'IdempotentParameterMismatchError' });
  });

  it('registers targets and reads their health', async () => {
    const { elb, seconds, launch, world } = build();
    const [id = ''] = launch(1);
    await seconds(20);
    const TargetGroupArn = world.snapshot().targetGroups[0]?.arn;
    await elb.send(new RegisterTargetsCommand({ TargetGroupArn, Targets: [{ Id: id }] }));
    await seconds(20);
    const { TargetHealthDescriptions } = await elb.send(new DescribeTargetHealthCommand({ TargetGroupArn }));
    expect(TargetHealthDescriptions).toMatchObject([{ Target: { Id: id, Port: 80 }, TargetHealth: { State: 'healthy' } }]);
  });

  it('is refused with errors that the adapters understand', async () => {
    const { autoScaling, seconds, launch, call } = build();
    const errorOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);
    const attach = (InstanceIds: string[]) => errorOf(autoScaling.send(new AttachInstancesCommand({ AutoScalingGroupName: 'workers', InstanceIds })));
    const end = (InstanceIds: string[]) => {
      const input = { AutoScalingGroupName: 'workers', InstanceIds, ShouldDecrementDesiredCapacity: true };
      return errorOf(autoScaling.send(new TerminateInstanceInAutoScalingGroupCommand(input)));
    };
    const ids = launch(3);
    expect(isNotRunningYet(await attach(ids))).toBe(true);
    await seconds(10);
    expect(isUnknownInstance(await attach(['i-0123']))).toBe(true);
    expect(await attach(ids)).toBeUndefined();
    expect(attachedTo(await attach(ids.slice(0, 1)))).toBe('workers');
    call('autoscaling', 'UpdateAutoScalingGroup', { AutoScalingGroupName: 'workers', MinSize: 3, MaxSize: 3 });
    const more = launch(1);
    await seconds(10);
    expect(isAboveMax(await attach(more))).toBe(true);
    expect(isBelowMin(await end(ids))).toBe(true);
    expect(isUnknownInstance(await end(more))).toBe(true);
    const late = { AutoScalingGroupName: 'workers', LifecycleHookName: 'drain', InstanceId: ids[0], LifecycleActionResult: 'CONTINUE' };
    expect(isNoActiveLifecycleAction(await errorOf(autoScaling.send(new CompleteLifecycleActionCommand(late))))).toBe(true);
    const deleted = { ...late, AutoScalingGroupName: 'deleted' };
    expect(isUnknownAsg(await errorOf(autoScaling.send(new CompleteLifecycleActionCommand(deleted))))).toBe(true);
  });
});
