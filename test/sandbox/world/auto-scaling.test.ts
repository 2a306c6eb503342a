import { describe, expect, it } from 'vitest';
import { asg, createTestWorld, plainSpec, startMs, targetGroup, timing } from './build.ts';

const named = { AutoScalingGroupName: 'workers' };
const spotA = { instanceType: 'm7g.large', zone: 'us-east-1a', market: 'spot' } as const;

const build = (change: Parameters<typeof asg>[0] = {}, spec: Partial<typeof plainSpec> = {}) =>
  createTestWorld({ autoScalingGroups: [asg(change)], targetGroups: [targetGroup()], ...spec });

describe('a group keeps its own size', () => {
  it('launches what is missing at its next look, evenly over its zones, with its tag', async () => {
    const { seconds, group, world, inService, eventsOf } = build({ desired: 6 });
    await seconds(9);
    expect(group().instances).toEqual([]);
    await seconds(20);
    expect(inService()).toHaveLength(6);
    const { instances } = world.snapshot();
    expect(['us-east-1a', 'us-east-1b', 'us-east-1c'].map((zone) => instances.filter((one) => one.zone === zone).length)).toEqual([2, 2, 2]);
    expect(instances[0]?.tags).toEqual({ 'aws:autoscaling:groupName': 'workers' });
    expect(eventsOf('EC2 Instance Launch Successful')).toHaveLength(6);
  });

  it('launches in the market of its plain launch template, and a describe shows that template alone', async () => {
    const launchTemplates = [{ name: 'web', instanceType: 'm7g.large', data: { InstanceMarketOptions: { MarketType: 'spot' } } }];
    const shown = async (change: Partial<(typeof plainSpec)['launchTemplates'][number]>) => {
      const templates = launchTemplates.map((template) => ({ ...template, ...change }));
      const { seconds, world, autoScaling } = build({ desired: 2, isPlain: true, instanceTypes: ['m7g.large'] }, { launchTemplates: templates });
      await seconds(29);
      const described = autoScaling<{ AutoScalingGroups: object[] }>('DescribeAutoScalingGroups', {}).AutoScalingGroups[0];
      return { markets: world.snapshot().instances.map(({ market }) => market), described };
    };
    const spot = await shown({});
    expect(spot.markets).toEqual(['spot', 'spot']);
    expect(spot.described).toMatchObject({ LaunchTemplate: { LaunchTemplateName: 'web' } });
    expect(spot.described).not.toHaveProperty('MixedInstancesPolicy');
    expect((await shown({ data: {} })).markets).toEqual(['on-demand', 'on-demand']);
  });

  it('reports that a launch was refused, and tries again', async () => {
    const empty = plainSpec.offerings.map((offering) => ({ ...offering, capacity: 0 }));
    const { seconds, group, world, eventsOf, autoScaling } = build({ desired: 1, subnets: ['subnet-a'] }, { offerings: empty });
    await seconds(25);
    const events = eventsOf('EC2 Instance Launch Unsuccessful');
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({
      source: 'aws.autoscaling',
      resources: [expect.stringMatching(/^arn:aws:autoscaling:us-east-1:123456789012:autoScalingGroup:.+:autoScalingGroupName\/workers$/)],
      detail: {
        StatusCode: 'Failed',
        AutoScalingGroupName: 'workers',
        Details: { 'Availability Zone': 'us-east-1a', 'Subnet ID': 'subnet-a' },
        Origin: 'EC2',
        Destination: 'AutoScalingGroup',
      },
    });
    expect(autoScaling('DescribeScalingActivities', named)).toMatchObject({ Activities: [{ StatusCode: 'Failed' }, { StatusCode: 'Failed' }] });
    world.setOffering(spotA, { capacity: 1 });
    await seconds(30);
    expect(group().instances).toMatchObject([{ lifecycleState: 'InService' }]);
  });

  it('replaces a member that is gone, only when it looks', async () => {
    const { seconds, group, world, inService } = build({ desired: 1 });
    await seconds(20);
    const [id = ''] = inService();
    world.kill(id);
    expect(group().instances).toHaveLength(1);
    await seconds(20);
    expect(inService()).toHaveLength(1);
    expect(inService()).not.toContain(id);
  });

  it('replaces nothing while a user has suspended the process for it', async () => {
    const { seconds, world, inService, autoScaling } = build({ desired: 1, suspended: ['Launch'] });
    await seconds(60);
    expect(world.snapshot().instances).toEqual([]);
    autoScaling('ResumeProcesses', named);
    await seconds(60);
    expect(inService()).toHaveLength(1);
    autoScaling('SuspendProcesses', { ...named, ScalingProcesses: ['ReplaceUnhealthy', 'Terminate'] });
    world.kill(inService()[0] ?? '');
    autoScaling('SetDesiredCapacity', { ...named, DesiredCapacity: 0 });
    await seconds(60);
    expect(world.snapshot().instances).toHaveLength(1);
    expect(autoScaling('DescribeAutoScalingGroups')).toMatchObject({
      AutoScalingGroups: [{ SuspendedProcesses: ['ReplaceUnhealthy', 'Terminate'].map((ProcessName) => ({ ProcessName })) }],
    });
  });

  it('ends members beyond its desired capacity, from the fullest zone, never protected ones', async () => {
    const { seconds, inService, autoScaling, instance } = build({ desired: 4 });
    await seconds(20);
    const zones = () => inService().map((id) => instance(id).zone);
    expect(zones().filter((zone) => zone === 'us-east-1a')).toHaveLength(2);
    const kept = inService()[0] ?? '';
    autoScaling('SetInstanceProtection', { ...named, InstanceIds: [kept], ProtectedFromScaleIn: true });
    autoScaling('SetDesiredCapacity', { ...named, DesiredCapacity: 3 });
    await seconds(20);
    expect(zones().sort()).toEqual(['us-east-1a', 'us-east-1b', 'us-east-1c']);
    expect(inService()).toContain(kept);
  });

  it('holds the on-demand share of a mixed policy', async () => {
    const { seconds, inService, instance } = build({ desired: 4, market: 'mixed' });
    await seconds(20);
    expect(inService().filter((id) => instance(id).market === 'on-demand')).toHaveLength(2);
  });
});

describe('sizes', () => {
  it('stay within their bounds, and new bounds pull the desired capacity along', () => {
    const { autoScaling, refusal, group } = build();
    const set = (DesiredCapacity: number) => () => autoScaling('SetDesiredCapacity', { ...named, DesiredCapacity });
    expect(refusal(set(11))).toEqual({
      code: 'ValidationError',
      message: 'New SetDesiredCapacity value 11 is above max value 10 for the AutoScalingGroup.',
    });
    autoScaling('UpdateAutoScalingGroup', { ...named, MinSize: 2 });
    expect(refusal(set(1)).message).toBe('New SetDesiredCapacity value 1 is below min value 2 for the AutoScalingGroup.');
    autoScaling('UpdateAutoScalingGroup', { ...named, MinSize: 5 });
    expect(group().desired).toBe(5);
    autoScaling('UpdateAutoScalingGroup', { ...named, MinSize: 0, MaxSize: 1 });
    expect(group().desired).toBe(1);
    expect(refusal(() => autoScaling('UpdateAutoScalingGroup', { ...named, DesiredCapacity: 2 })).code).toBe('ValidationError');
    expect(refusal(() => autoScaling('SetDesiredCapacity', { AutoScalingGroupName: 'none', DesiredCapacity: 1 })).code).toBe('ValidationError');
  });

  it('may be described as they were a moment ago', async () => {
    const { autoScaling, seconds } = build({}, { timing: { ...timing, asgLagSeconds: [3, 3] } });
    const desired = () =>
      autoScaling<{ AutoScalingGroups: { DesiredCapacity: number }[] }>('DescribeAutoScalingGroups').AutoScalingGroups[0]?.DesiredCapacity;
    expect(desired()).toBe(3);
    autoScaling('SetDesiredCapacity', { ...named, DesiredCapacity: 5 });
    expect(desired()).toBe(3);
    await seconds(2);
    autoScaling('SetDesiredCapacity', { ...named, DesiredCapacity: 4 });
    await seconds(1);
    // Not what the last describe showed, but what was true three seconds ago.
    expect(desired()).toBe(5);
    await seconds(2);
    expect(desired()).toBe(4);
  });

  it('may be described as they were, also where they changed by themselves', async () => {
    const { autoScaling, seconds, group } = build({ desired: 1 }, { timing: { ...timing, asgLagSeconds: [3, 3] } });
    const members = () =>
      autoScaling<{ AutoScalingGroups: { Instances: unknown[] }[] }>('DescribeAutoScalingGroups').AutoScalingGroups[0]?.Instances.length;
    while (group().instances.length === 0) await seconds(1);
    expect(members()).toBe(0);
    await seconds(3);
    expect(members()).toBe(1);
    autoScaling('CreateAutoScalingGroup', {
      ...{ AutoScalingGroupName: 'late', MinSize: 0, MaxSize: 0, VPCZoneIdentifier: 'subnet-a' },
      LaunchTemplate: { LaunchTemplateName: 'web', Version: '$Default' },
    });
    const late = () => autoScaling<{ AutoScalingGroups: unknown[] }>('DescribeAutoScalingGroups', { AutoScalingGroupNames: ['late'] });
    expect(late().AutoScalingGroups).toEqual([]);
    await seconds(3);
    expect(late().AutoScalingGroups).toHaveLength(1);
  });

  it('may be described by a newer and then by an older state', async () => {
    const { autoScaling, seconds } = build({}, { timing: { ...timing, asgLagSeconds: [0, 3] } });
    const desired = () =>
      autoScaling<{ AutoScalingGroups: { DesiredCapacity: number }[] }>('DescribeAutoScalingGroups').AutoScalingGroups[0]?.DesiredCapacity;
    await seconds(5);
    autoScaling('SetDesiredCapacity', { ...named, DesiredCapacity: 5 });
    await seconds(1);
    const shown = Array.from({ length: 30 }, desired);
    expect(shown.lastIndexOf(3)).toBeGreaterThan(shown.indexOf(5));
    await seconds(3);
    expect(new Set(Array.from({ length: 30 }, desired))).toEqual(new Set([5]));
  });

  it('are described with everything that a reader needs', async () => {
    const { autoScaling, seconds } = build({ desired: 1, targetGroups: ['web'] });
    await seconds(20);
    const answer = autoScaling<{ AutoScalingGroups: Record<string, unknown>[] }>('DescribeAutoScalingGroups', {
      AutoScalingGroupNames: ['workers', 'none'],
    });
    expect(answer.AutoScalingGroups).toHaveLength(1);
    expect(answer.AutoScalingGroups[0]).toMatchObject({
      MinSize: 0,
      MaxSize: 10,
      DesiredCapacity: 1,
      AvailabilityZones: ['us-east-1a', 'us-east-1b', 'us-east-1c'],
      VPCZoneIdentifier: 'subnet-a,subnet-b,subnet-c',
      MixedInstancesPolicy: {
        LaunchTemplate: {
          LaunchTemplateSpecification: { LaunchTemplateName: 'web' },
          Overrides: [{ InstanceType: 'm7g.large' }, { InstanceType: 'm6g.large' }],
        },
        InstancesDistribution: { OnDemandBaseCapacity: 0, OnDemandPercentageAboveBaseCapacity: 0 },
      },
      TargetGroupARNs: [expect.stringContaining(':targetgroup/web/')],
      Instances: [{ LifecycleState: 'InService', HealthStatus: 'Healthy', AvailabilityZone: 'us-east-1a', ProtectedFromScaleIn: false }],
    });
  });
});

describe('groups', () => {
  const create = (change: Record<string, unknown> = {}) => ({
    AutoScalingGroupName: 'more',
    MinSize: 0,
    MaxSize: 2,
    DesiredCapacity: 1,
    LaunchTemplate: { LaunchTemplateName: 'web' },
    VPCZoneIdentifier: 'subnet-a',
    Tags: [
      { Key: 'team', Value: 'web', PropagateAtLaunch: true },
      { Key: 'own', Value: 'x', PropagateAtLaunch: false },
    ],
    ...change,
  });

  it('are created on demand unless a policy sets another market, and pass on their tags', async () => {
    const { autoScaling, seconds, inService, instance, world } = build();
    autoScaling('CreateAutoScalingGroup', create());
    await seconds(20);
    const made = instance(inService('more')[0] ?? '');
    expect(made.market).toBe('on-demand');
    expect(made.tags).toEqual({ team: 'web', 'aws:autoscaling:groupName': 'more' });
    const arn = autoScaling<{ AutoScalingGroups: { AutoScalingGroupARN: string }[] }>('DescribeAutoScalingGroups', {
      AutoScalingGroupNames: ['more'],
    });
    expect(world.tagsOf(arn.AutoScalingGroups[0]?.AutoScalingGroupARN ?? '')).toEqual({ team: 'web', own: 'x' });
  });

  it('are refused by name when they need what is not simulated, or exist', () => {
    const { autoScaling, refusal } = build();
    const refused = (change: Record<string, unknown>) => refusal(() => autoScaling('CreateAutoScalingGroup', create(change)));
    expect(refused({ LaunchConfigurationName: 'old' }).message).toContain('Launch configurations');
    expect(refused({ DesiredCapacityType: 'vcpu' }).message).toContain('vCPUs');
    const mixed = (policy: object) => refused({ LaunchTemplate: undefined, MixedInstancesPolicy: policy }).message;
    expect(mixed({ InstancesDistribution: { DistributionSegments: [{ TargetCapacityTypes: ['on-demand'] }] } })).toContain('Distribution segments');
    expect(refused({ VPCZoneIdentifier: 'subnet-x' }).code).toBe('ValidationError');
    expect(refused({ DesiredCapacity: 3 }).code).toBe('ValidationError');
    expect(refused({ AutoScalingGroupName: 'workers' }).code).toBe('AlreadyExists');
  });

  it('are deleted when they are empty, or by force', async () => {
    const { autoScaling, seconds, refusal, world } = build();
    await seconds(20);
    expect(refusal(() => autoScaling('DeleteAutoScalingGroup', named)).code).toBe('ResourceInUse');
    autoScaling('DeleteAutoScalingGroup', { ...named, ForceDelete: true });
    await seconds(60);
    expect(world.snapshot().autoScalingGroups).toEqual([]);
    expect(world.snapshot().instances.every(({ state }) => state === 'terminated')).toBe(true);
  });

  it('are not deleted against their deletion protection, which restricts nothing else', async () => {
    const { autoScaling, seconds, refusal, inService, world } = build({ deletionProtection: 'prevent-all-deletion' });
    await seconds(20);
    const shown = () => autoScaling('DescribeAutoScalingGroups', {});
    const remove = (ForceDelete: boolean) => () => autoScaling('DeleteAutoScalingGroup', { ...named, ForceDelete });
    expect(shown()).toMatchObject({ AutoScalingGroups: [{ DeletionProtection: 'prevent-all-deletion' }] });
    expect(refusal(remove(true)).code).toBe('ValidationError');
    autoScaling('TerminateInstanceInAutoScalingGroup', { InstanceId: inService()[0], ShouldDecrementDesiredCapacity: true });
    autoScaling('UpdateAutoScalingGroup', { ...named, DesiredCapacity: 0 });
    await seconds(60);
    expect(inService()).toEqual([]);
    expect(refusal(remove(false)).code).toBe('ValidationError');
    expect(refusal(() => autoScaling('UpdateAutoScalingGroup', { ...named, DeletionProtection: 'all' })).code).toBe('ValidationError');
    autoScaling('UpdateAutoScalingGroup', { ...named, DeletionProtection: 'prevent-force-deletion' });
    expect(shown()).toMatchObject({ AutoScalingGroups: [{ DeletionProtection: 'prevent-force-deletion' }] });
    expect(refusal(remove(true)).code).toBe('ValidationError');
    remove(false)();
    expect(world.snapshot().autoScalingGroups).toEqual([]);
  });

  it('carry tags that can be changed, described and filtered by', () => {
    const { autoScaling } = build();
    const tag = { ResourceId: 'workers', ResourceType: 'auto-scaling-group', Key: 'team', Value: 'web', PropagateAtLaunch: false };
    autoScaling('CreateOrUpdateTags', { Tags: [tag] });
    expect(autoScaling('DescribeTags', { Filters: [{ Name: 'auto-scaling-group', Values: ['workers'] }] })).toMatchObject({ Tags: [tag] });
    const found = (Values: string[]) =>
      autoScaling<{ AutoScalingGroups: object[] }>('DescribeAutoScalingGroups', { Filters: [{ Name: 'tag:team', Values }] });
    expect(found(['web']).AutoScalingGroups).toHaveLength(1);
    expect(found(['other']).AutoScalingGroups).toHaveLength(0);
    autoScaling('DeleteTags', { Tags: [tag] });
    expect(autoScaling('DescribeTags')).toMatchObject({ Tags: [] });
  });
});

describe('lifecycle hooks', () => {
  const hook = { name: 'drain', transition: 'terminating', heartbeatSeconds: 60, defaultResult: 'CONTINUE' } as const;
  const waiting = async (change: Parameters<typeof asg>[0] = {}) => {
    const test = build({ desired: 1, hooks: [hook], ...change });
    await test.seconds(20);
    const [id = ''] = test.inService();
    test.autoScaling('TerminateInstanceInAutoScalingGroup', { InstanceId: id, ShouldDecrementDesiredCapacity: true });
    const action = { ...named, LifecycleHookName: 'drain', InstanceId: id };
    return { ...test, id, action };
  };

  it('hold a terminating instance and send an event, in the shape of the real one', async () => {
    const { id, instance, eventsOf, group } = await waiting();
    expect(group().instances).toMatchObject([{ id, lifecycleState: 'Terminating:Wait' }]);
    expect(instance(id).state).toBe('running');
    expect(eventsOf('EC2 Instance-terminate Lifecycle Action')).toMatchObject([
      {
        source: 'aws.autoscaling',
        resources: [expect.stringContaining(':autoScalingGroupName/workers')],
        detail: {
          LifecycleActionToken: expect.stringMatching(/^[0-9a-f-]{36}$/),
          AutoScalingGroupName: 'workers',
          LifecycleHookName: 'drain',
          EC2InstanceId: id,
          LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
          Origin: 'AutoScalingGroup',
          Destination: 'EC2',
        },
      },
    ]);
  });

  it('release the instance when the action is completed, and have no action afterwards', async () => {
    const { id, autoScaling, action, seconds, instance, group, refusal } = await waiting();
    autoScaling('CompleteLifecycleAction', { ...action, LifecycleActionResult: 'CONTINUE' });
    await seconds(10);
    expect(instance(id).state).toBe('terminated');
    expect(group().instances).toEqual([]);
    const late = refusal(() => autoScaling('CompleteLifecycleAction', { ...action, LifecycleActionResult: 'CONTINUE' }));
    expect(late).toEqual({ code: 'ValidationError', message: `No active Lifecycle Action found with instance ID ${id}` });
    const beat = { ...action, LifecycleActionToken: 'token-x' };
    expect(refusal(() => autoScaling('RecordLifecycleActionHeartbeat', beat)).message).toBe('No active Lifecycle Action found with token token-x');
  });

  it('that are abandoned keep the instance where the lifecycle policy retains it, until a call terminates it', async () => {
    const ended = async (retains: boolean, result: string) => {
      const { id, autoScaling, action, seconds, instance, group } = await waiting({ retains });
      autoScaling('CompleteLifecycleAction', { ...action, LifecycleActionResult: result });
      await seconds(30);
      const kept = [group().desired, instance(id).state, group().instances.map(({ lifecycleState }) => lifecycleState)];
      if (group().instances.length > 0) autoScaling('TerminateInstanceInAutoScalingGroup', { InstanceId: id, ShouldDecrementDesiredCapacity: true });
      await seconds(10);
      return [...kept, instance(id).state, group().desired];
    };
    expect(await ended(true, 'ABANDON')).toEqual([0, 'running', ['Terminating:Retained'], 'terminated', 0]);
    expect(await ended(true, 'CONTINUE')).toEqual([0, 'terminated', [], 'terminated', 0]);
    expect(await ended(false, 'ABANDON')).toEqual([0, 'terminated', [], 'terminated', 0]);
  });

  it('release the instance when no heartbeat comes, and each heartbeat starts the time-out again', async () => {
    const { id, autoScaling, action, seconds, instance } = await waiting();
    await seconds(50);
    autoScaling('RecordLifecycleActionHeartbeat', action);
    await seconds(50);
    expect(instance(id).state).toBe('running');
    await seconds(20);
    expect(instance(id).state).toBe('terminated');
  });

  it('never hold an instance that EC2 takes', async () => {
    const { id, world, seconds, instance, group, autoScaling, action, refusal } = await waiting();
    world.interrupt([id], { noticeMs: 5000 });
    await seconds(10);
    expect(instance(id).state).toBe('terminated');
    expect(group().instances).toEqual([]);
    expect(refusal(() => autoScaling('RecordLifecycleActionHeartbeat', action)).code).toBe('ValidationError');
  });

  it('hold a launching instance before service, and abandon it', async () => {
    const { seconds, group, autoScaling, world, eventsOf } = build({
      desired: 1,
      hooks: [{ name: 'boot', transition: 'launching', heartbeatSeconds: 60, defaultResult: 'ABANDON' }],
    });
    await seconds(20);
    const [held] = group().instances;
    expect(held?.lifecycleState).toBe('Pending:Wait');
    expect(eventsOf('EC2 Instance-launch Lifecycle Action')).toMatchObject([{ detail: { Origin: 'EC2', Destination: 'AutoScalingGroup' } }]);
    const action = { ...named, LifecycleHookName: 'boot', InstanceId: held?.id };
    autoScaling('CompleteLifecycleAction', { ...action, LifecycleActionResult: 'ABANDON' });
    await seconds(20);
    expect(world.snapshot().instances.map(({ state }) => state)).toEqual(['terminated', 'running']);
    autoScaling('CompleteLifecycleAction', { ...action, InstanceId: group().instances[0]?.id, LifecycleActionResult: 'CONTINUE' });
    expect(group().instances).toMatchObject([{ lifecycleState: 'InService' }]);
  });

  it('are put, described and deleted; a target of their own gets a test and then the direct form', async () => {
    const { autoScaling, seconds, inService, notifications, refusal } = build({ desired: 1 });
    await seconds(20);
    const put = { ...named, LifecycleHookName: 'direct', LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING', HeartbeatTimeout: 30 };
    autoScaling('PutLifecycleHook', { ...put, NotificationTargetARN: 'arn:aws:sqs:us-east-1:123456789012:signals' });
    expect(autoScaling('DescribeLifecycleHooks', named)).toMatchObject({ LifecycleHooks: [{ GlobalTimeout: 3000, DefaultResult: 'ABANDON' }] });
    const [id = ''] = inService();
    autoScaling('TerminateInstanceInAutoScalingGroup', { InstanceId: id, ShouldDecrementDesiredCapacity: false });
    expect(notifications.map(({ message }) => message)).toMatchObject([
      { Event: 'autoscaling:TEST_NOTIFICATION', AutoScalingGroupName: 'workers' },
      { Service: 'AWS Auto Scaling', EC2InstanceId: id, LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING', LifecycleHookName: 'direct' },
    ]);
    autoScaling('DeleteLifecycleHook', { ...named, LifecycleHookName: 'direct' });
    expect(autoScaling('DescribeLifecycleHooks', named)).toMatchObject({ LifecycleHooks: [] });
    expect(refusal(() => autoScaling('PutLifecycleHook', { ...put, HeartbeatTimeout: 10 })).code).toBe('ValidationError');
  });

  it('of another length than PutLifecycleHook takes are in no world', () => {
    expect(() => build({ hooks: [{ ...hook, heartbeatSeconds: 10 }] })).toThrow('between 30 and 7200 seconds');
  });

  it('that are deleted abandon the launches that they hold', async () => {
    const { autoScaling, seconds, group, inService } = build({ desired: 1, hooks: [{ ...hook, transition: 'launching' }] });
    await seconds(20);
    const [held] = group().instances;
    expect(held?.lifecycleState).toBe('Pending:Wait');
    autoScaling('DeleteLifecycleHook', { ...named, LifecycleHookName: hook.name });
    await seconds(60);
    expect(inService()).toHaveLength(1);
    expect(inService()).not.toContain(held?.id);
  });
});

describe('load balancers of a group', () => {
  const load = { requestsPerSecond: 20, requestSeconds: [3, 3] as const };

  it('get its members, and serve out what is in flight before hooks and the end', async () => {
    const { seconds, inService, autoScaling, instance, group, world } = build(
      { desired: 2, targetGroups: ['web'] },
      { targetGroups: [targetGroup({ load })] },
    );
    await seconds(60);
    const [id = ''] = inService();
    expect(instance(id).targets).toEqual({ web: 'healthy' });
    autoScaling('TerminateInstanceInAutoScalingGroup', { InstanceId: id, ShouldDecrementDesiredCapacity: true });
    expect(instance(id)).toMatchObject({ state: 'running', targets: { web: 'draining' } });
    expect(group().instances[0]?.lifecycleState).toBe('Terminating');
    await seconds(2);
    expect(instance(id).state).toBe('running');
    await seconds(2);
    expect(instance(id).state).toBe('shutting-down');
    await seconds(60);
    expect(world.snapshot().targetGroups).toMatchObject([{ dropped: 0, healthy: 1 }]);
  });

  it('can be attached later, and are left alone while AddToLoadBalancer is suspended', async () => {
    const { seconds, inService, autoScaling, instance, world } = build({ desired: 1, suspended: ['AddToLoadBalancer'], targetGroups: ['web'] });
    await seconds(60);
    expect(instance(inService()[0] ?? '').targets).toEqual({});
    autoScaling('ResumeProcesses', { ...named, ScalingProcesses: ['AddToLoadBalancer'] });
    autoScaling('AttachLoadBalancerTargetGroups', { ...named, TargetGroupARNs: [world.snapshot().targetGroups[0]?.arn] });
    await seconds(60);
    expect(instance(inService()[0] ?? '').targets).toEqual({ web: 'healthy' });
    expect(world.snapshot().nowMs).toBe(startMs + 120_000);
  });
});

describe('zones of a group', () => {
  const skewed = async (change: Parameters<typeof asg>[0], guarded = 0) => {
    const test = build({ desired: 0, max: 8, ...change });
    const ids = test.launch(3);
    await test.seconds(10);
    test.autoScaling('AttachInstances', { ...named, InstanceIds: ids });
    if (guarded > 0) test.autoScaling('SetInstanceProtection', { ...named, InstanceIds: ids.slice(0, guarded), ProtectedFromScaleIn: true });
    await test.seconds(120);
    return test.inService().map((id) => test.instance(id).zone);
  };

  it('are evened out by a group that rebalances them, launch first', async () => {
    expect((await skewed({ rebalancesZones: true })).sort()).toEqual(['us-east-1a', 'us-east-1b', 'us-east-1c']);
  });

  it('are left alone where all members of the fullest zone are protected from scale-in', async () => {
    expect(await skewed({ rebalancesZones: true }, 3)).toEqual(['us-east-1a', 'us-east-1a', 'us-east-1a']);
    expect((await skewed({ rebalancesZones: true }, 2)).filter((zone) => zone === 'us-east-1a')).toHaveLength(2);
  });

  it('are evened out beyond the maximum for a while, and the facts mark the launches and ends of the group itself', async () => {
    const test = build({ desired: 0, max: 3, rebalancesZones: true });
    const ids = test.launch(3);
    await test.seconds(10);
    test.autoScaling('AttachInstances', { ...named, InstanceIds: ids });
    let most = 0;
    for (let second = 0; second < 120; second += 1) {
      await test.seconds(1);
      most = Math.max(most, test.inService().length);
    }
    expect(most).toBe(4);
    const own = test.facts.filter((fact) => fact.kind === 'launched' && fact.ownAccord === 'zones');
    const retired = test.facts.filter(({ kind }) => kind === 'retired');
    expect([own.length, retired.length]).toEqual([2, 2]);
    expect(retired.every((fact) => 'instance' in fact && ids.includes(fact.instance))).toBe(true);
  });

  it('are evened out by launches alone while Terminate is suspended, up to 10 percent or one beyond the maximum, until it runs again', async () => {
    const grown = async (max: number) => {
      const test = build({ desired: 0, max, rebalancesZones: true, suspended: ['Terminate'] });
      const ids = test.launch(3);
      await test.seconds(10);
      test.autoScaling('AttachInstances', { ...named, InstanceIds: ids });
      await test.seconds(120);
      const zones = test.inService().map((id) => test.instance(id).zone.at(-1));
      test.autoScaling('ResumeProcesses', { ...named, ScalingProcesses: ['Terminate'] });
      await test.seconds(120);
      return [zones.sort().join(''), test.inService().length];
    };
    expect(await grown(3)).toEqual(['aaab', 3]);
    expect(await grown(20)).toEqual(['aaabbcc', 3]);
  });

  it('are left alone while AZRebalance is suspended, or not wanted', async () => {
    const uneven = ['us-east-1a', 'us-east-1a', 'us-east-1a'];
    expect(await skewed({ rebalancesZones: true, suspended: ['AZRebalance'] })).toEqual(uneven);
    expect(await skewed({})).toEqual(uneven);
  });

  it('are evened out once all processes are resumed, and in a group that a call creates', async () => {
    const test = build({ desired: 0, max: 8 });
    const shown = () => test.autoScaling('DescribeAutoScalingGroups');
    const suspended = (...names: string[]) => ({ AutoScalingGroups: [{ SuspendedProcesses: names.map((ProcessName) => ({ ProcessName })) }] });
    expect(shown()).toMatchObject(suspended('AZRebalance'));
    test.autoScaling('SuspendProcesses', named);
    expect(test.world.snapshot().autoScalingGroups[0]?.suspended).toHaveLength(9);
    test.autoScaling('ResumeProcesses', named);
    expect(shown()).toMatchObject(suspended());
    const ids = test.launch(3);
    await test.seconds(10);
    test.autoScaling('AttachInstances', { ...named, InstanceIds: ids });
    await test.seconds(120);
    expect(test.inService().map((id) => test.instance(id).zone)).toHaveLength(3);
    expect(new Set(test.inService().map((id) => test.instance(id).zone)).size).toBe(3);
  });
});

describe('what scales a group by itself', () => {
  it('is described: policies and scheduled actions', () => {
    const { autoScaling } = build({ desired: 1 });
    autoScaling('PutScalingPolicy', { ...named, PolicyName: 'cpu-50', PolicyType: 'TargetTrackingScaling' });
    expect(autoScaling('DescribePolicies', named)).toMatchObject({ ScalingPolicies: [{ PolicyName: 'cpu-50', Enabled: true }] });
    autoScaling('DeletePolicy', { ...named, PolicyName: 'cpu-50' });
    expect(autoScaling('DescribePolicies', named)).toEqual({ ScalingPolicies: [] });
  });

  it('sets its sizes at its time, unless the group suspends that', async () => {
    const { autoScaling, seconds, group, world, refusal } = build({ desired: 1 });
    const at = (inSeconds: number) => new Date(world.snapshot().nowMs + 1_000 * inSeconds);
    autoScaling('PutScheduledUpdateGroupAction', { ...named, ScheduledActionName: 'morning', StartTime: at(60), DesiredCapacity: 3 });
    expect(autoScaling('DescribeScheduledActions', named)).toMatchObject({ ScheduledUpdateGroupActions: [{ ScheduledActionName: 'morning' }] });
    await seconds(59);
    expect(group().desired).toBe(1);
    await seconds(2);
    expect(group().desired).toBe(3);
    expect(autoScaling('DescribeScheduledActions', named)).toEqual({ ScheduledUpdateGroupActions: [] });
    autoScaling('PutScheduledUpdateGroupAction', { ...named, ScheduledActionName: 'evening', StartTime: at(60), DesiredCapacity: 1 });
    autoScaling('SuspendProcesses', { ...named, ScalingProcesses: ['ScheduledActions'] });
    await seconds(70);
    expect(group().desired).toBe(3);
    const recurring = { ...named, ScheduledActionName: 'x', Recurrence: '0 8 * * *' };
    expect(refusal(() => autoScaling('PutScheduledUpdateGroupAction', recurring)).code).toBe('ValidationError');
  });
});

describe('a mixed instances policy', () => {
  const markets = ({ world }: ReturnType<typeof build>): readonly string[] =>
    world
      .snapshot()
      .instances.filter(({ state }) => state === 'running' || state === 'pending')
      .map(({ market }) => market)
      .sort();
  const distribution = (base: number, percent: number) => ({
    MixedInstancesPolicy: {
      LaunchTemplate: { LaunchTemplateSpecification: { LaunchTemplateName: 'web' }, Overrides: [{ InstanceType: 'm7g.large' }] },
      InstancesDistribution: { OnDemandBaseCapacity: base, OnDemandPercentageAboveBaseCapacity: percent },
    },
  });

  it('launches its base on demand, and its share above it, rounded up', async () => {
    const made = build({ desired: 0 });
    made.autoScaling('UpdateAutoScalingGroup', { ...named, ...distribution(1, 50), DesiredCapacity: 6 });
    await made.seconds(30);
    expect(markets(made)).toEqual(['on-demand', 'on-demand', 'on-demand', 'on-demand', 'spot', 'spot']);
  });

  it('never fails over: what spot refuses is missing', async () => {
    const offerings = plainSpec.offerings.map((offering) => (offering.market === 'spot' ? { ...offering, capacity: 0 } : offering));
    const made = build({ desired: 0 }, { offerings });
    made.autoScaling('UpdateAutoScalingGroup', { ...named, ...distribution(0, 50), DesiredCapacity: 4 });
    await made.seconds(60);
    expect(markets(made)).toEqual(['on-demand', 'on-demand']);
  });

  it('keeps its distribution when it shrinks', async () => {
    const made = build({ desired: 0 });
    made.autoScaling('UpdateAutoScalingGroup', { ...named, ...distribution(0, 50), DesiredCapacity: 6 });
    await made.seconds(30);
    made.autoScaling('SetDesiredCapacity', { ...named, DesiredCapacity: 2 });
    await made.seconds(60);
    expect(markets(made)).toEqual(['on-demand', 'spot']);
  });

  describe('whose base or percentage changes', () => {
    /** The numbers of members that count, second by second. */
    const heldOver = async (made: ReturnType<typeof build>, seconds: number): Promise<ReadonlySet<number>> => {
      const seen = new Set<number>();
      for (let second = 0; second < seconds; second += 1) {
        await made.seconds(1);
        seen.add(made.group().instances.filter(({ lifecycleState }) => !lifecycleState.startsWith('Terminating')).length);
      }
      return seen;
    };
    const spotOf = async (size: number) => {
      const made = build({ desired: 0 });
      made.autoScaling('UpdateAutoScalingGroup', { ...named, ...distribution(0, 0), DesiredCapacity: size });
      await made.seconds(60);
      return made;
    };

    it('replaces members one after the other, and launches before it terminates', async () => {
      const made = await spotOf(3);
      made.autoScaling('UpdateAutoScalingGroup', { ...named, ...distribution(2, 0) });
      expect(await heldOver(made, 300)).toEqual(new Set([3, 4]));
      expect(markets(made)).toEqual(['on-demand', 'on-demand', 'spot']);
      made.autoScaling('UpdateAutoScalingGroup', { ...named, ...distribution(0, 0) });
      expect(await heldOver(made, 300)).toEqual(new Set([3, 4]));
      expect(markets(made)).toEqual(['spot', 'spot', 'spot']);
      expect(made.facts.filter((fact) => fact.kind === 'launched' && fact.ownAccord === 'distribution')).toHaveLength(4);
    });

    it('keeps members whose replacement is refused, and says that it was', async () => {
      const made = await spotOf(2);
      made.autoScaling('UpdateAutoScalingGroup', { ...named, ...distribution(1, 0) });
      await made.seconds(200);
      for (const zone of ['us-east-1a', 'us-east-1b', 'us-east-1c']) made.world.setOffering({ ...spotA, zone }, { capacity: 0 });
      made.autoScaling('UpdateAutoScalingGroup', { ...named, ...distribution(0, 0) });
      expect(await heldOver(made, 100)).toEqual(new Set([2]));
      expect(markets(made)).toEqual(['on-demand', 'spot']);
      expect(made.eventsOf('EC2 Instance Launch Unsuccessful')).not.toEqual([]);
    });

    it('keeps members that are protected from scale-in, and all while it may not launch', async () => {
      const made = await spotOf(2);
      const InstanceIds = made.inService();
      made.autoScaling('SetInstanceProtection', { ...named, InstanceIds, ProtectedFromScaleIn: true });
      made.autoScaling('UpdateAutoScalingGroup', { ...named, ...distribution(2, 0) });
      expect(await heldOver(made, 100)).toEqual(new Set([2]));
      made.autoScaling('SetInstanceProtection', { ...named, InstanceIds, ProtectedFromScaleIn: false });
      made.autoScaling('SuspendProcesses', { ...named, ScalingProcesses: ['Launch'] });
      made.autoScaling('UpdateAutoScalingGroup', { ...named, ...distribution(1, 0) });
      expect(await heldOver(made, 100)).toEqual(new Set([2]));
      expect(markets(made)).toEqual(['spot', 'spot']);
    });
  });
});
