import { describe, expect, it } from 'vitest';
import { asg, createTestWorld, plainSpec } from './build.ts';

const named = { AutoScalingGroupName: 'workers' };

const build = async (change: Parameters<typeof asg>[0] = {}, spec: Partial<typeof plainSpec> = {}) => {
  const test = createTestWorld({ autoScalingGroups: [asg({ desired: 2, max: 4, ...change })], ...spec });
  await test.seconds(30);
  return test;
};

it('are not taken in while Launch is suspended', async () => {
  const world = createTestWorld({ autoScalingGroups: [asg({ desired: 1 })] });
  await world.seconds(40);
  const [member = ''] = world.inService();
  const named = { AutoScalingGroupName: 'workers' };
  world.autoScaling('EnterStandby', { ...named, InstanceIds: [member], ShouldDecrementDesiredCapacity: true });
  const ids = world.launch(1);
  await world.seconds(10);
  world.autoScaling('SuspendProcesses', { ...named, ScalingProcesses: ['Launch', 'Terminate'] });
  const attach = () => world.autoScaling('AttachInstances', { ...named, InstanceIds: ids });
  expect(world.refusal(attach).code).toBe('ValidationError');
  expect(world.refusal(() => world.autoScaling('ExitStandby', { ...named, InstanceIds: [member] })).code).toBe('ValidationError');
  world.autoScaling('ResumeProcesses', { ...named, ScalingProcesses: ['Launch'] });
  attach();
  world.autoScaling('ExitStandby', { ...named, InstanceIds: [member] });
  expect(world.inService().sort()).toEqual([...ids, member].sort());
});

describe('AttachInstances', () => {
  it('takes running instances in at once and raises the desired capacity', async () => {
    const { launch, seconds, autoScaling, group, inService, instance, world } = await build();
    const ids = launch(2);
    await seconds(10);
    autoScaling('AttachInstances', { ...named, InstanceIds: ids });
    expect(group().desired).toBe(4);
    expect(inService()).toEqual(expect.arrayContaining(ids));
    expect(instance(ids[0] ?? '').tags).toEqual({ 'aws:autoscaling:groupName': 'workers' });
    await seconds(60);
    expect(world.snapshot().instances).toHaveLength(4);
  });

  it('refuses what AWS refuses, in its words', async () => {
    const { launch, seconds, autoScaling, inService, refusal } = await build({ subnets: ['subnet-a'] });
    const attach = (ids: readonly string[]) => refusal(() => autoScaling('AttachInstances', { ...named, InstanceIds: ids }));
    const pending = launch(1);
    expect(attach(pending).message).toContain('must be running');
    await seconds(10);
    const [member = ''] = inService();
    expect(attach([member]).message).toBe(`The Instance: ${member} is already part of AutoScalingGroup:workers`);
    const three = pending.concat(launch(2));
    await seconds(10);
    expect(attach(three)).toEqual({
      code: 'ValidationError',
      message:
        'AutoScalingGroup workers has min-size=0, max-size=4, and desired-size=2. To attach 3 instances, please update the AutoScalingGroup sizes appropriately.',
    });
    expect(attach(['i-0none']).code).toBe('ValidationError');
    expect(attach(Array.from({ length: 21 }, (_, index) => `i-${index}`)).message).toContain('exceeds the maximum number of instances to attach');
    const elsewhere = launch(1, {
      LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { LaunchTemplateName: 'web' }, Overrides: [{ SubnetId: 'subnet-b' }] }],
    });
    await seconds(10);
    expect(attach(elsewhere).message).toContain('us-east-1b');
  });
});

describe('leaving a group', () => {
  it('detaches with or without a decrement, and keeps the minimum', async () => {
    const { autoScaling, inService, group, seconds, instance, refusal } = await build({ min: 1 });
    const [first = '', second = ''] = inService();
    autoScaling('DetachInstances', { ...named, InstanceIds: [first], ShouldDecrementDesiredCapacity: true });
    expect(group().desired).toBe(1);
    expect(instance(first)).toMatchObject({ state: 'running', tags: {} });
    const more = () => autoScaling('DetachInstances', { ...named, InstanceIds: [second], ShouldDecrementDesiredCapacity: true });
    expect(refusal(more).message).toContain('To detach 1 instance, please update the AutoScalingGroup sizes appropriately.');
    autoScaling('DetachInstances', { ...named, InstanceIds: [second], ShouldDecrementDesiredCapacity: false });
    await seconds(30);
    expect(inService()).toHaveLength(1);
  });

  it('stands by and comes back', async () => {
    const { autoScaling, inService, group, seconds, refusal } = await build();
    const [first = ''] = inService();
    autoScaling('EnterStandby', { ...named, InstanceIds: [first], ShouldDecrementDesiredCapacity: true });
    await seconds(30);
    expect(group()).toMatchObject({ desired: 1 });
    expect(group().instances.find(({ id }) => id === first)?.lifecycleState).toBe('Standby');
    autoScaling('ExitStandby', { ...named, InstanceIds: [first] });
    expect(group().desired).toBe(2);
    expect(inService()).toHaveLength(2);
    expect(refusal(() => autoScaling('ExitStandby', { ...named, InstanceIds: [first] })).message).toContain('is not in Standby');
  });

  it('terminates one by its id, replaced unless the desired capacity follows', async () => {
    const { autoScaling, inService, group, seconds } = await build();
    const [first = '', second = ''] = inService();
    const answer = autoScaling('TerminateInstanceInAutoScalingGroup', { InstanceId: first, ShouldDecrementDesiredCapacity: true });
    expect(answer).toMatchObject({ Activity: { StatusCode: 'InProgress', Description: `Terminating EC2 instance: ${first}` } });
    expect(group().desired).toBe(1);
    autoScaling('TerminateInstanceInAutoScalingGroup', { InstanceId: second, ShouldDecrementDesiredCapacity: false });
    await seconds(40);
    expect(group().desired).toBe(1);
    expect(inService()).toHaveLength(1);
    expect(inService()).not.toContain(second);
  });

  it('terminates up to a hundred in one call, all or none, never below the minimum', async () => {
    const { autoScaling, inService, group, refusal, world } = await build({ min: 1 });
    const ids = inService();
    const end = (InstanceIds: readonly string[], more = {}) =>
      autoScaling('TerminateInstanceInAutoScalingGroup', { ...named, InstanceIds, ShouldDecrementDesiredCapacity: true, ...more });
    expect(refusal(() => end(ids))).toEqual({
      code: 'ValidationError',
      message:
        "Currently, desiredSize equals minSize (1). Terminating instance without replacement will violate group's min size constraint. Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.",
    });
    expect(refusal(() => end([ids[0] ?? '', 'i-0none'])).message).toContain('No managed instance found for instance ID: i-0none');
    expect(refusal(() => end(ids, { AutoScalingGroupName: undefined })).code).toBe('ValidationError');
    expect(refusal(() => end(Array.from({ length: 101 }, (_, index) => `i-${index}`))).code).toBe('ValidationError');
    expect(world.snapshot().instances.every(({ state }) => state === 'running')).toBe(true);
    autoScaling('UpdateAutoScalingGroup', { ...named, MinSize: 0 });
    expect(end(ids)).toMatchObject({ Activities: [{}, {}] });
    expect(group().desired).toBe(0);
  });
});

describe('LaunchInstances', () => {
  type Launched = {
    Instances: { InstanceIds: string[]; MarketType: string; SubnetId: string }[];
    Errors: { ErrorCode: string; AvailabilityZone: string }[];
  };
  const ask = (RequestedCapacity: number, more = {}) => ({ ...named, RequestedCapacity, SubnetIds: ['subnet-a'], ...more });

  it('launches into the group, pending, and raises the desired capacity', async () => {
    const { autoScaling, group, seconds, inService, world } = await build();
    const answer = autoScaling<Launched>('LaunchInstances', ask(2));
    expect(answer.Instances).toMatchObject([{ MarketType: 'spot', SubnetId: 'subnet-a' }]);
    expect(group().desired).toBe(4);
    expect(
      group()
        .instances.filter(({ lifecycleState }) => lifecycleState === 'Pending')
        .map(({ id }) => id),
    ).toEqual(answer.Instances[0]?.InstanceIds);
    await seconds(60);
    expect(inService()).toHaveLength(4);
    expect(world.snapshot().instances).toHaveLength(4);
  });

  it('keeps what it got, names the rest, and leaves the desired capacity at what it got', async () => {
    const offerings = plainSpec.offerings.map((offering) => ({ ...offering, capacity: 2 }));
    const { autoScaling, group } = await build({ max: 20, desired: 0 }, { offerings });
    const answer = autoScaling<Launched>('LaunchInstances', ask(9));
    expect(answer.Instances.flatMap(({ InstanceIds }) => InstanceIds)).toHaveLength(4);
    expect(answer.Errors.map(({ ErrorCode, AvailabilityZone }) => [ErrorCode, AvailabilityZone])).toEqual([
      ['InsufficientInstanceCapacity', 'us-east-1a'],
      ['InsufficientInstanceCapacity', 'us-east-1a'],
    ]);
    expect(group().desired).toBe(4);
    autoScaling('LaunchInstances', ask(2, { RetryStrategy: 'retry-with-group-configuration' }));
    expect(group().desired).toBe(6);
  });

  it('remembers its token for eight hours', async () => {
    const { autoScaling, refusal, seconds, world } = await build();
    const first = autoScaling('LaunchInstances', ask(1, { ClientToken: 'one' }));
    expect(autoScaling('LaunchInstances', ask(1, { ClientToken: 'one' }))).toEqual(first);
    expect(refusal(() => autoScaling('LaunchInstances', ask(2, { ClientToken: 'one' }))).code).toBe('IdempotentParameterMismatch');
    expect(world.snapshot().instances).toHaveLength(3);
    await seconds(8 * 3600 + 1);
    autoScaling('LaunchInstances', ask(1, { ClientToken: 'one' }));
    expect(world.snapshot().instances).toHaveLength(4);
  });

  it('refuses more than fits, unnamed zones, mixed markets and more than a hundred', async () => {
    const { autoScaling, refusal } = await build();
    const refused = (input: object) => refusal(() => autoScaling('LaunchInstances', { ...input })).message;
    expect(refused(ask(3))).toContain('max-size=4, and desired-size=2');
    expect(refused(ask(1, { SubnetIds: [] }))).toContain('is required for groups of several Availability Zones');
    expect(refused(ask(1, { SubnetIds: ['subnet-x'] }))).toContain('is not one of the Auto Scaling group');
    expect(refused(ask(101))).toContain('between 1 and 100');
    const mixed = await build({ market: 'mixed' });
    expect(mixed.refusal(() => mixed.autoScaling('LaunchInstances', ask(1))).message).toContain('all Spot or all On-Demand');
  });
});

describe('DescribeAutoScalingInstances', () => {
  it('finds the groups of instances, and leaves out strangers', async () => {
    const { autoScaling, inService, launch } = await build();
    const [id = ''] = inService();
    const [stranger = ''] = launch(1);
    const answer = autoScaling<{ AutoScalingInstances: object[] }>('DescribeAutoScalingInstances', { InstanceIds: [id, stranger] });
    expect(answer.AutoScalingInstances).toMatchObject([
      { InstanceId: id, AutoScalingGroupName: 'workers', LifecycleState: 'InService', HealthStatus: 'HEALTHY' },
    ]);
  });

  it('replaces a member that a caller marked as unhealthy', async () => {
    const { autoScaling, inService, seconds } = await build();
    const [id = ''] = inService();
    autoScaling('SetInstanceHealth', { InstanceId: id, HealthStatus: 'Unhealthy' });
    await seconds(40);
    expect(inService()).toHaveLength(2);
    expect(inService()).not.toContain(id);
  });
});
