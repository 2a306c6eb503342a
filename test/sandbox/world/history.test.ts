import { describe, expect, it } from 'vitest';
import type { Actor, WorldEvent } from '../../../sandbox/judge/history.ts';
import { asg, createTestWorld, startMs, type TestWorld, targetGroup } from './build.ts';

const user: Actor = { kind: 'user' };
const react: Actor = { kind: 'function', function: 'react', invocation: 'one' };
const ownAccord = (why: 'size' | 'zones' | 'health' | 'hook'): Actor => ({ kind: 'asg', asg: 'workers', why });

const as = <T>({ acting }: TestWorld, by: Actor, work: () => T): T => acting.as({ by, askedAtMs: startMs }, work);

/** Events of these kinds, with the seconds since the world began. */
const told = ({ history }: TestWorld, ...kinds: readonly WorldEvent['kind'][]) =>
  history
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ atMs, ...event }) => ({ ...event, atSeconds: (atMs - startMs) / 1000 }) as Record<string, unknown>);

const inTargetGroup = { targetGroups: [targetGroup()] };
const hook = { name: 'wait', transition: 'terminating' as const, heartbeatSeconds: 30, defaultResult: 'CONTINUE' as const };

const register = (world: TestWorld, operation: string, ids: readonly string[]): void => {
  const [group] = world.elb<{ TargetGroups: { TargetGroupArn: string }[] }>('DescribeTargetGroups').TargetGroups;
  world.elb(operation, { TargetGroupArn: group?.TargetGroupArn, Targets: ids.map((Id) => ({ Id })) });
};

describe('the history of a world', () => {
  it('begins with what offerings and Auto Scaling groups are', () => {
    const world = createTestWorld({ autoScalingGroups: [asg({ min: 1, suspended: ['Launch', 'AZRebalance'] })] });
    expect(told(world, 'offering')).toHaveLength(9);
    expect(told(world, 'asg-changed')).toEqual([
      { kind: 'asg-changed', asg: 'workers', min: 1, max: 10, desired: 3, suspended: ['AZRebalance', 'Launch'], by: user, atSeconds: 0 },
    ]);
  });

  it('has who launched an instance, when that was requested, and how it ended', async () => {
    const world = createTestWorld(inTargetGroup);
    await world.seconds(3);
    const [id = ''] = as(world, react, () => world.launch(1));
    await world.seconds(5);
    register(world, 'RegisterTargets', [id]);
    await world.seconds(30);
    as(world, react, () => register(world, 'DeregisterTargets', [id]));
    as(world, user, () => world.ec2('TerminateInstances', { InstanceIds: [id] }));
    await world.seconds(10);
    const one = { instance: id, targetGroup: 'web' };
    expect(told(world, 'launched')).toMatchObject([
      { zone: 'us-east-1a', subnet: 'subnet-a', market: 'spot', priceUsdPerHour: 0.03, by: react, askedAtMs: startMs, atSeconds: 3 },
    ]);
    expect(told(world, 'running', 'booted', 'in-service', 'out-of-service', 'empty', 'ending', 'ended')).toEqual([
      { kind: 'running', instance: id, atSeconds: 8 },
      { kind: 'booted', instance: id, atSeconds: 18 },
      { kind: 'in-service', ...one, atSeconds: 28 },
      { kind: 'out-of-service', ...one, why: 'deregistered', by: react, atSeconds: 38 },
      { kind: 'empty', ...one, atSeconds: 38 },
      { kind: 'ending', instance: id, by: user, code: 'Client.UserInitiatedShutdown', atSeconds: 38 },
      { kind: 'ended', instance: id, state: 'terminated', atSeconds: 42 },
    ]);
  });

  it('reports that a target is empty when its last request has ended, but not if requests were cut off', async () => {
    const load = { requestsPerSecond: 4, requestSeconds: [6, 6] as const };
    const world = createTestWorld({ targetGroups: [targetGroup({ load })] });
    const [waits = '', cut = ''] = world.launch(2);
    await world.seconds(5);
    register(world, 'RegisterTargets', [waits, cut]);
    await world.seconds(40);
    register(world, 'DeregisterTargets', [waits, cut]);
    as(world, user, () => world.ec2('TerminateInstances', { InstanceIds: [cut] }));
    await world.seconds(40);
    expect(told(world, 'empty')).toEqual([{ kind: 'empty', instance: waits, targetGroup: 'web', atSeconds: 51 }]);
  });

  it('reports warnings, silent ones too, advice, and an end that EC2 or the script brings', async () => {
    const world = createTestWorld(inTargetGroup);
    const [warned = '', silent = '', killed = ''] = world.launch(3);
    await world.seconds(5);
    register(world, 'RegisterTargets', [killed]);
    await world.seconds(25);
    world.world.recommendRebalance([warned]);
    world.world.interrupt([warned], { noticeMs: 120_000, action: 'stop' });
    world.world.interrupt([silent], { noticeMs: 1_000, silent: true });
    world.world.kill(killed);
    await world.seconds(130);
    const takenAtMs = startMs + 150_000;
    expect(told(world, 'advised', 'warned')).toEqual([
      { kind: 'advised', instance: warned, atSeconds: 30 },
      { kind: 'warned', instance: warned, takenAtMs, action: 'stop', silent: false, atSeconds: 30 },
      { kind: 'warned', instance: silent, takenAtMs: startMs + 31_000, action: 'terminate', silent: true, atSeconds: 30 },
    ]);
    expect(told(world, 'out-of-service')).toEqual([
      { kind: 'out-of-service', instance: killed, targetGroup: 'web', why: 'ending', by: { kind: 'script' }, atSeconds: 30 },
    ]);
    expect(told(world, 'ending', 'ended')).toMatchObject([
      { kind: 'ending', instance: killed, by: { kind: 'script' }, atSeconds: 30 },
      { kind: 'ended', instance: killed, state: 'terminated', atSeconds: 30 },
      { kind: 'ending', instance: silent, by: { kind: 'ec2' }, atSeconds: 31 },
      { kind: 'ended', instance: silent, state: 'terminated', atSeconds: 35 },
      { kind: 'ending', instance: warned, by: { kind: 'ec2' }, atSeconds: 150 },
      { kind: 'ended', instance: warned, state: 'stopped', atSeconds: 154 },
    ]);
  });

  it('reports what an Auto Scaling group does by itself, and why', async () => {
    const world = createTestWorld({ autoScalingGroups: [asg({ desired: 2 })] });
    await world.seconds(30);
    expect(told(world, 'launched', 'joined')).toMatchObject([
      { kind: 'launched', asg: 'workers', by: ownAccord('size') },
      { kind: 'joined', by: ownAccord('size') },
      { kind: 'launched', asg: 'workers', by: ownAccord('size') },
      { kind: 'joined', by: ownAccord('size') },
    ]);
    const [first = ''] = world.inService();
    world.autoScaling('SetInstanceHealth', { InstanceId: first, HealthStatus: 'Unhealthy' });
    await world.seconds(30);
    as(world, user, () => world.autoScaling('SetDesiredCapacity', { AutoScalingGroupName: 'workers', DesiredCapacity: 1 }));
    await world.seconds(30);
    expect(told(world, 'left').map(({ how, by }) => ({ how, by }))).toEqual([
      { how: 'terminating', by: ownAccord('health') },
      { how: 'terminating', by: ownAccord('size') },
    ]);
    expect(told(world, 'ending').map(({ by }) => by)).toEqual([ownAccord('health'), ownAccord('size')]);
    expect(told(world, 'asg-changed').slice(1)).toMatchObject([{ desired: 1, by: user }]);
  });

  it('marks the launches and ends that even out zones', async () => {
    const world = createTestWorld({ autoScalingGroups: [asg({ desired: 2, subnets: ['subnet-a'], rebalancesZones: true })] });
    await world.seconds(30);
    world.autoScaling('UpdateAutoScalingGroup', { AutoScalingGroupName: 'workers', VPCZoneIdentifier: 'subnet-a,subnet-b' });
    await world.seconds(60);
    expect(told(world, 'launched').map(({ zone, by }) => ({ zone, by }))).toEqual([
      { zone: 'us-east-1a', by: ownAccord('size') },
      { zone: 'us-east-1a', by: ownAccord('size') },
      { zone: 'us-east-1b', by: ownAccord('zones') },
    ]);
    expect(told(world, 'ending').map(({ by }) => by)).toEqual([ownAccord('zones')]);
  });

  it('counts a warm instance as a member when its group draws on it', async () => {
    const world = createTestWorld({ autoScalingGroups: [asg({ desired: 0, warmPool: { size: 1, state: 'Stopped' } })] });
    await world.seconds(25);
    const warm = told(world, 'launched')[0]?.instance;
    expect(told(world, 'joined')).toEqual([]);
    expect(told(world, 'ended')).toMatchObject([{ instance: warm, state: 'stopped' }]);
    as(world, user, () => world.autoScaling('SetDesiredCapacity', { AutoScalingGroupName: 'workers', DesiredCapacity: 1 }));
    await world.seconds(30);
    expect(told(world, 'joined')).toMatchObject([{ instance: warm, asg: 'workers' }]);
    expect(told(world, 'running').filter(({ instance }) => instance === warm)).toHaveLength(2);
  });

  it('reports when a target fails its checks, and when it passes them again', async () => {
    const world = createTestWorld(inTargetGroup);
    const [id = ''] = world.launch(1);
    await world.seconds(5);
    register(world, 'RegisterTargets', [id]);
    await world.seconds(25);
    world.world.setServing([id], false);
    await world.seconds(20);
    world.world.setServing([id], true);
    await world.seconds(20);
    expect(told(world, 'in-service', 'out-of-service').map(({ kind, why, atSeconds }) => [kind, why, atSeconds])).toEqual([
      ['in-service', undefined, 25],
      ['out-of-service', 'unhealthy', 40],
      ['in-service', undefined, 60],
    ]);
  });

  it('reports termination protection', () => {
    const world = createTestWorld();
    const [id = ''] = world.launch(1, { TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' } });
    as(world, user, () => world.ec2('ModifyInstanceAttribute', { InstanceId: id, DisableApiTermination: { Value: true } }));
    expect(told(world, 'protection')).toMatchObject([{ instance: id, from: 'termination', isOn: true, by: user }]);
  });

  it('reports that a function learned it, and nothing about an instance without it', () => {
    const world = createTestWorld();
    const onDemandOnly = { TargetCapacitySpecification: { TotalTargetCapacity: 2, DefaultTargetCapacityType: 'on-demand' } };
    const [guarded = '', free = ''] = world.launch(2, onDemandOnly);
    as(world, user, () => world.ec2('ModifyInstanceAttribute', { InstanceId: guarded, DisableApiTermination: { Value: true } }));
    for (const InstanceId of [guarded, free])
      as(world, react, () => world.ec2('DescribeInstanceAttribute', { InstanceId, Attribute: 'disableApiTermination' }));
    expect(told(world, 'end-refused')).toMatchObject([{ instance: guarded, by: react }]);
  });

  it('reports how waiting in a hook ended: completed, expired, or with the instance', async () => {
    const world = createTestWorld({ autoScalingGroups: [asg({ hooks: [hook] })] });
    await world.seconds(30);
    const [done = '', late = '', gone = ''] = world.inService();
    as(world, react, () =>
      world.autoScaling('TerminateInstanceInAutoScalingGroup', {
        AutoScalingGroupName: 'workers',
        InstanceIds: [done, late, gone],
        ShouldDecrementDesiredCapacity: true,
      }),
    );
    await world.seconds(5);
    const action = { AutoScalingGroupName: 'workers', LifecycleHookName: 'wait' };
    world.autoScaling('RecordLifecycleActionHeartbeat', { ...action, InstanceId: late });
    as(world, user, () => world.autoScaling('CompleteLifecycleAction', { ...action, InstanceId: done, LifecycleActionResult: 'CONTINUE' }));
    world.world.kill(gone);
    await world.seconds(40);
    const waits = { kind: 'hook-waits', asg: 'workers', hook: 'wait' };
    expect(told(world, 'hook-waits')).toEqual([
      ...[done, late, gone].map((instance) => ({ ...waits, instance, expiresAtMs: startMs + 60_000, atSeconds: 30 })),
      { ...waits, instance: late, expiresAtMs: startMs + 65_000, atSeconds: 35 },
    ]);
    const over = { kind: 'hook-over', asg: 'workers', hook: 'wait' };
    expect(told(world, 'hook-over')).toEqual([
      { ...over, instance: done, how: 'completed', result: 'CONTINUE', by: user, atSeconds: 35 },
      { ...over, instance: gone, how: 'gone', by: { kind: 'script' }, atSeconds: 35 },
      { ...over, instance: late, how: 'expired', result: 'CONTINUE', by: ownAccord('hook'), atSeconds: 65 },
    ]);
    expect(told(world, 'ending').map(({ instance, by }) => ({ instance, by }))).toEqual([
      { instance: done, by: react },
      { instance: gone, by: { kind: 'script' } },
      { instance: late, by: react },
    ]);
    expect(told(world, 'asg-changed').at(-1)).toMatchObject({ desired: 0, by: react });
  });

  it('reports a terminating hook that is put again, while an instance that waits keeps the time-out that it had', async () => {
    const world = createTestWorld({ autoScalingGroups: [asg({ hooks: [hook] })] });
    await world.seconds(30);
    const [id = ''] = world.inService();
    world.autoScaling('TerminateInstanceInAutoScalingGroup', { InstanceId: id, ShouldDecrementDesiredCapacity: true });
    await world.seconds(5);
    const put = { AutoScalingGroupName: 'workers', LifecycleHookName: 'wait' };
    world.autoScaling('PutLifecycleHook', { ...put, HeartbeatTimeout: 120 });
    const launching = { LifecycleHookName: 'boot', LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING' };
    world.autoScaling('PutLifecycleHook', { ...put, ...launching });
    world.autoScaling('RecordLifecycleActionHeartbeat', { ...put, InstanceId: id });
    expect(told(world, 'hook-written')).toEqual([{ kind: 'hook-written', asg: 'workers', hook: 'wait', timeoutMs: 120_000, atSeconds: 35 }]);
    expect(told(world, 'hook-waits').map(({ expiresAtMs }) => Number(expiresAtMs) - startMs)).toEqual([60_000, 65_000]);
  });

  it('reports joining, leaving, protection, tags, suspension and offerings', async () => {
    const world = createTestWorld({ autoScalingGroups: [asg({ desired: 0, min: 0 })] });
    const [id = ''] = world.launch(1);
    await world.seconds(5);
    const members = { AutoScalingGroupName: 'workers', InstanceIds: [id] };
    as(world, user, () => {
      world.autoScaling('AttachInstances', members);
      world.autoScaling('SetInstanceProtection', { ...members, ProtectedFromScaleIn: true });
      world.autoScaling('EnterStandby', { ...members, ShouldDecrementDesiredCapacity: true });
      world.autoScaling('ExitStandby', members);
      world.autoScaling('DetachInstances', { ...members, ShouldDecrementDesiredCapacity: true });
      world.autoScaling('SuspendProcesses', { AutoScalingGroupName: 'workers', ScalingProcesses: ['Launch'] });
      world.ec2('CreateTags', { Resources: [id], Tags: [{ Key: 'team', Value: 'web' }] });
    });
    world.world.setOffering({ instanceType: 'm7g.large', zone: 'us-east-1a', market: 'spot' }, { capacity: 0, priceUsdPerHour: 0.05 });
    expect(told(world, 'joined', 'left', 'protection').map(({ kind, how, isOn, by }) => [kind, how ?? isOn, by])).toEqual([
      ['joined', undefined, user],
      ['protection', true, user],
      ['left', 'standby', user],
      ['joined', undefined, user],
      ['left', 'detached', user],
    ]);
    expect(told(world, 'asg-changed').map(({ desired, suspended }) => [desired, suspended])).toEqual([
      [0, ['AZRebalance']],
      [1, ['AZRebalance']],
      [0, ['AZRebalance']],
      [1, ['AZRebalance']],
      [0, ['AZRebalance']],
      [0, ['AZRebalance', 'Launch']],
    ]);
    expect(told(world, 'tagged').at(-1)).toMatchObject({ tags: { team: 'web' }, by: user });
    expect(told(world, 'offering').at(-1)).toMatchObject({ zone: 'us-east-1a', market: 'spot', capacity: 0, priceUsdPerHour: 0.05 });
  });
});
