import { describe, expect, it } from 'vitest';
import { asg, createTestWorld, plainSpec, targetGroup, timing } from './build.ts';

const onDemand = { TargetCapacitySpecification: { TotalTargetCapacity: 2, DefaultTargetCapacityType: 'on-demand' } };
const balancer = { autoScalingGroups: [asg({ targetGroups: ['web'] })], targetGroups: [targetGroup()] };

describe('instances that do not come up', () => {
  it('end before they run, with EC2 saying why', async () => {
    const { launch, seconds, world, instance, ec2, eventsOf } = createTestWorld();
    world.setBoots({ zone: 'us-east-1a' }, 'dies');
    const [id = ''] = launch(1);
    await seconds(30);
    expect(instance(id).state).toBe('terminated');
    expect(JSON.stringify(ec2('DescribeInstances', { InstanceIds: [id] }))).toContain('Client.InternalError');
    expect(eventsOf('EC2 Instance State-change Notification').map(({ detail }) => detail.state)).not.toContain('running');
  });

  it('die for the reason that was set, where their template, zone and market match', async () => {
    const { launch, seconds, world, ec2 } = createTestWorld();
    world.setBoots({ template: 'none' }, 'dies');
    world.setBoots({ zone: 'us-east-1a', market: 'on-demand' }, 'dies');
    world.setBoots({ template: 'web' }, 'dies', 'Client.InvalidKMSKey.InvalidState');
    const [id = ''] = launch(1);
    await seconds(30);
    expect(JSON.stringify(ec2('DescribeInstances', { InstanceIds: [id] }))).toContain('Client.InvalidKMSKey.InvalidState');
  });

  it('run and never become healthy, until launches are well again', async () => {
    const { launch, seconds, world, facts, ec2 } = createTestWorld();
    world.setBoots({}, 'never-answers');
    const [silent = ''] = launch(1);
    world.setBoots({ market: 'spot' }, 'well');
    const [well] = launch(1);
    await seconds(600);
    expect(facts.filter(({ kind }) => kind === 'serving')).toMatchObject([{ instance: well }]);
    expect(JSON.stringify(ec2('DescribeInstanceStatus', { InstanceIds: [silent] }))).toContain('passed');
  });

  it('run on a broken machine, whose status checks fail', async () => {
    const { launch, seconds, world, facts, ec2 } = createTestWorld();
    world.setBoots({}, 'impaired');
    const [broken = ''] = launch(1);
    await seconds(60);
    expect(JSON.stringify(ec2('DescribeInstanceStatus', { InstanceIds: [broken] }))).toContain('initializing');
    await seconds(120);
    expect(JSON.stringify(ec2('DescribeInstanceStatus', { InstanceIds: [broken] }))).toContain('impaired');
    expect(facts.filter(({ kind }) => kind === 'serving')).toEqual([]);
  });
});

describe('an instance that stops answering', () => {
  it('is out of rotation after its failed checks, and back after those that pass', async () => {
    const { seconds, world, inService, instance, ec2 } = createTestWorld(balancer);
    await seconds(150);
    const [id = ''] = inService();
    expect(world.setServing([id, 'i-none'], false)).toEqual({ unknown: ['i-none'] });
    await seconds(1);
    expect(instance(id).targets).toEqual({ web: 'healthy' });
    await seconds(10);
    expect(instance(id).targets).toEqual({ web: 'unhealthy' });
    expect(JSON.stringify(ec2('DescribeInstanceStatus', { InstanceIds: [id] }))).toContain('impaired');
    world.setServing([id], true);
    await seconds(11);
    expect(instance(id).targets).toEqual({ web: 'healthy' });
  });

  it('is replaced by a group that goes by its load balancer, and kept by one that goes by EC2', async () => {
    const idsAfter = async (healthChecks: 'EC2' | 'ELB') => {
      const { seconds, world, inService } = createTestWorld({ ...balancer, autoScalingGroups: [asg({ targetGroups: ['web'], healthChecks })] });
      await seconds(60);
      const [id = ''] = inService();
      world.setServing([id], false);
      await seconds(120);
      return { stays: inService().includes(id), count: inService().length };
    };
    expect(await idsAfter('ELB')).toEqual({ stays: false, count: 3 });
    expect(await idsAfter('EC2')).toEqual({ stays: true, count: 3 });
  });
});

describe('spot instances that EC2 stopped', () => {
  it('run again where there is capacity, and boot anew', async () => {
    const { launch, seconds, world, instance, facts } = createTestWorld();
    const [id = ''] = launch(1);
    await seconds(20);
    world.interrupt([id], { noticeMs: 0, action: 'hibernate' });
    await seconds(10);
    expect(instance(id)).toMatchObject({ state: 'stopped' });
    world.setOffering({ instanceType: 'm7g.large', zone: 'us-east-1a', market: 'spot' }, { capacity: 0 });
    expect(world.restart([id])).toEqual({ unknown: [id] });
    world.setOffering({ instanceType: 'm7g.large', zone: 'us-east-1a', market: 'spot' }, { capacity: 5 });
    expect(world.restart([id])).toEqual({ unknown: [] });
    await seconds(20);
    expect(instance(id).state).toBe('running');
    expect(instance(id).takenAtMs).toBeUndefined();
    expect(facts.filter(({ kind }) => kind === 'serving')).toHaveLength(2);
  });
});

describe('a warning that does not come true', () => {
  it('is sent as any other, and the instance runs on', async () => {
    const { launch, seconds, world, instance, eventsOf } = createTestWorld();
    const [id = ''] = launch(1);
    await seconds(20);
    world.interrupt([id], { noticeMs: 120_000, spares: true });
    expect(eventsOf('EC2 Spot Instance Interruption Warning')).toHaveLength(1);
    expect(instance(id).takenAtMs).toBeDefined();
    await seconds(300);
    expect(instance(id)).toMatchObject({ state: 'running' });
    expect(instance(id).takenAtMs).toBeUndefined();
  });
});

describe('termination protection', () => {
  it('keeps a zone from being ended, lets other zones go, and reports failure', async () => {
    const { launch, seconds, ec2, instance, refusal } = createTestWorld();
    const template = { LaunchTemplateSpecification: { LaunchTemplateName: 'web', Version: '$Default' } };
    const inZone = (zone: string) =>
      launch(2, { ...onDemand, LaunchTemplateConfigs: [{ ...template, Overrides: [{ InstanceType: 'm7g.large', SubnetId: `subnet-${zone}` }] }] });
    const [guarded = '', beside = ''] = inZone('a');
    const [elsewhere = ''] = inZone('b');
    await seconds(20);
    ec2('ModifyInstanceAttribute', { InstanceId: guarded, DisableApiTermination: { Value: true } });
    const attributeOf = (InstanceId: string) => ec2('DescribeInstanceAttribute', { InstanceId, Attribute: 'disableApiTermination' });
    expect(attributeOf(guarded)).toMatchObject({ DisableApiTermination: { Value: true } });
    expect(attributeOf(beside)).toMatchObject({ DisableApiTermination: { Value: false } });
    const { code, message } = refusal(() => ec2('TerminateInstances', { InstanceIds: [guarded, beside, elsewhere] }));
    expect([code, message.includes(guarded)]).toEqual(['OperationNotPermitted', true]);
    await seconds(10);
    expect([guarded, beside, elsewhere].map((id) => instance(id).state)).toEqual(['running', 'running', 'terminated']);
  });

  it('is for no spot instance', async () => {
    const { launch, seconds, ec2, refusal } = createTestWorld();
    const [id = ''] = launch(1);
    await seconds(20);
    expect(refusal(() => ec2('ModifyInstanceAttribute', { InstanceId: id, DisableApiTermination: { Value: true } })).code).toBe(
      'UnsupportedOperation',
    );
  });

  it('holds no Auto Scaling group back', async () => {
    const { seconds, ec2, autoScaling, inService, instance } = createTestWorld({ autoScalingGroups: [asg({ market: 'on-demand' })] });
    await seconds(60);
    const [id = ''] = inService();
    ec2('ModifyInstanceAttribute', { InstanceId: id, DisableApiTermination: { Value: true } });
    autoScaling('TerminateInstanceInAutoScalingGroup', { InstanceId: id, ShouldDecrementDesiredCapacity: true });
    await seconds(60);
    expect(instance(id).state).toBe('terminated');
  });
});

describe('a warm pool', () => {
  const withPool = (state: 'Stopped' | 'Running') => ({ autoScalingGroups: [asg({ desired: 2, warmPool: { size: 2, state } })] });

  it.each(['Stopped', 'Running'] as const)('waits beside the members, and counts for nothing: %s', async (state) => {
    const { seconds, group, autoScaling, refusal } = createTestWorld(withPool(state));
    await seconds(60);
    expect(group().desired).toBe(2);
    expect(group().instances.map(({ lifecycleState }) => lifecycleState)).toEqual(['InService', 'InService', `Warmed:${state}`, `Warmed:${state}`]);
    expect(JSON.stringify(autoScaling('DescribeAutoScalingGroups'))).toContain('"WarmPoolSize":2');
    expect(refusal(() => autoScaling('LaunchInstances', { AutoScalingGroupName: 'workers', RequestedCapacity: 1 })).code).toBe(
      'UnsupportedOperation',
    );
  });

  it('serves only with the instances that the group uses', async () => {
    const { seconds, group, autoScaling, facts } = createTestWorld(withPool('Running'));
    const served = () => facts.filter(({ kind }) => kind === 'serving').length;
    await seconds(60);
    expect(served()).toBe(2);
    autoScaling('SetDesiredCapacity', { AutoScalingGroupName: 'workers', DesiredCapacity: 3 });
    await seconds(60);
    expect([served(), group().desired]).toEqual([3, 3]);
  });

  it.each(['Stopped', 'Running'] as const)('gives its instances before any is launched, and is filled up again: %s', async (state) => {
    const { seconds, group, autoScaling } = createTestWorld(withPool(state));
    await seconds(60);
    const warm = group().instances.slice(2);
    autoScaling('SetDesiredCapacity', { AutoScalingGroupName: 'workers', DesiredCapacity: 3 });
    await seconds(60);
    const inService = group().instances.filter(({ lifecycleState }) => lifecycleState === 'InService');
    expect(inService).toHaveLength(3);
    expect(inService.filter(({ id }) => warm.some((one) => one.id === id))).toHaveLength(1);
    expect(group().instances.filter(({ lifecycleState }) => lifecycleState === `Warmed:${state}`)).toHaveLength(2);
  });
});

describe('limits that move', () => {
  it('addresses of a subnet and the quota of the account refuse from then on', () => {
    const { world, launch, ec2 } = createTestWorld({ ...plainSpec, timing });
    world.setFreeAddresses('subnet-a', 1);
    expect(launch(2)).toHaveLength(1);
    world.setFreeAddresses('subnet-a', 50);
    world.setQuota('spot', 3);
    expect(launch(5)).toHaveLength(2);
    expect(JSON.stringify(ec2('DescribeSubnets', { SubnetIds: ['subnet-a'] }))).toContain('"AvailableIpAddressCount":48');
    world.setQuota('spot', null);
    expect(launch(5)).toHaveLength(5);
  });
});
