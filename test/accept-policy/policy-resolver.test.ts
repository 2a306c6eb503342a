import { describe, expect, it } from 'vitest';
import { createPolicyResolver } from '../../aws/policy/policy-resolver.ts';
import { type Answers, createFakeAws, failsWith } from '../aws/fake-aws.ts';

const names = { subnets: [], asgs: [], sizes: [], launchTemplates: [], templateVersions: [], targetGroups: [], instanceTypes: [] };
const subnets = [
  { SubnetId: 'subnet-a', AvailabilityZone: 'eu-west-1a' },
  { SubnetId: 'subnet-b', AvailabilityZone: 'eu-west-1b' },
];
const filtered = ({ Filters }: { readonly Filters: readonly { readonly Values: readonly string[] }[] }) => ({
  Subnets: subnets.filter(({ SubnetId }) => Filters[0]?.Values.includes(SubnetId)),
});
const group = (more: object) => ({ AutoScalingGroupName: 'g', AvailabilityZones: ['eu-west-1a'], VPCZoneIdentifier: 'subnet-a', ...more });
const delay = (seconds: string) => ({ Attributes: [{ Key: 'deregistration_delay.timeout_seconds', Value: seconds }] });
const template = { LaunchTemplateId: 'lt-1', Version: '3' };
const open = (answers: Answers) => {
  const fake = createFakeAws({ DescribeSubnets: filtered, DescribeLaunchTemplates: { LaunchTemplates: [] }, ...answers });
  return { fake, resolver: createPolicyResolver({ ec2: fake.ec2, autoScaling: fake.autoScaling, elb: fake.elb }) };
};
const factsOf = async (asg: object, data: object = {}) => {
  const { resolver } = open({
    DescribeAutoScalingGroups: { AutoScalingGroups: [group(asg)] },
    DescribeLaunchTemplateVersions: { LaunchTemplateVersions: [{ LaunchTemplateData: data }] },
  });
  return (await resolver.lookUp({ ...names, asgs: ['g'] })).asgs.g;
};

describe('looking up what a policy names', () => {
  it('finds zones of subnets by filter, and leaves out subnets that EC2 does not have', async () => {
    const { fake, resolver } = open({});
    expect((await resolver.lookUp({ ...names, subnets: ['subnet-a', 'subnet-z'] })).subnets).toEqual({ 'subnet-a': 'eu-west-1a' });
    expect(fake.inputsOf('DescribeSubnets')).toEqual([{ Filters: [{ Name: 'subnet-id', Values: ['subnet-a', 'subnet-z'] }] }]);
  });

  it('reads every page, and requests 200 subnets at most in a call', async () => {
    const ids = Array.from({ length: 201 }, (_, n) => `subnet-${n}`);
    const { fake, resolver } = open({ DescribeSubnets: [{ Subnets: subnets.slice(0, 1), NextToken: 'more' }, { Subnets: subnets.slice(1) }] });
    expect(Object.keys((await resolver.lookUp({ ...names, subnets: ids })).subnets)).toEqual(['subnet-a', 'subnet-b']);
    expect(fake.inputsOf('DescribeSubnets')).toHaveLength(3);
  });

  it('makes no other read before Auto Scaling responds, once it was throttled', async () => {
    const throttle = failsWith('Throttling');
    const groups = { AutoScalingGroups: [group({})] };
    const { fake, resolver } = open({ DescribeAutoScalingGroups: [throttle, throttle, groups, groups] });
    const named = { ...names, asgs: ['g'], launchTemplates: ['lt-1'] };
    const reads = async (): Promise<number> => {
      await resolver.lookUp(named).catch(() => undefined);
      return fake.inputsOf('DescribeLaunchTemplates').length;
    };
    expect([await reads(), await reads(), await reads(), await reads()]).toEqual([1, 1, 2, 3]);
    expect((await resolver.lookUp(names)).asgs).toEqual({});
  });

  it('finds launch templates by name and by id, with their latest version', async () => {
    const { fake, resolver } = open({
      DescribeLaunchTemplates: ({ LaunchTemplateIds: ids }: { LaunchTemplateIds?: readonly string[] }) => {
        if (ids?.includes('lt-9')) return failsWith('InvalidLaunchTemplateId.NotFound')();
        return { LaunchTemplates: [{ LaunchTemplateId: 'lt-1', LaunchTemplateName: ids ? 'other' : 'web', LatestVersionNumber: ids ? 2 : 5 }] };
      },
    });
    expect((await resolver.lookUp({ ...names, launchTemplates: ['web', 'lt-1', 'lt-9'] })).launchTemplates).toEqual({ web: 5, 'lt-1': 2 });
    // One unknown id fails the whole call, so each id has a call of its own.
    expect(fake.inputsOf('DescribeLaunchTemplates').flatMap(({ LaunchTemplateIds: ids }) => (ids === undefined ? [] : [ids]))).toEqual([
      ['lt-1'],
      ['lt-9'],
    ]);
  });

  it('names target groups that do not exist, and returns none if all exist', async () => {
    const { resolver } = open({
      DescribeTargetGroupAttributes: ({ TargetGroupArn }: { TargetGroupArn: string }) => {
        if (TargetGroupArn === 'arn:elsewhere') return failsWith('ValidationError')();
        return TargetGroupArn === 'arn:there' ? delay('30') : failsWith('TargetGroupNotFound')();
      },
    });
    const targetGroups = ['arn:gone', 'arn:there', 'arn:elsewhere'];
    expect(await resolver.lookUp({ ...names, targetGroups })).toMatchObject({ unknownTargetGroups: ['arn:gone', 'arn:elsewhere'] });
    expect(await resolver.lookUp({ ...names, targetGroups: ['arn:there'] })).not.toHaveProperty('unknownTargetGroups');
  });

  it('finds the longest deregistration delay, of the Auto Scaling groups as well', async () => {
    const { resolver } = open({
      DescribeAutoScalingGroups: { AutoScalingGroups: [group({ TargetGroupARNs: ['arn:own'], MixedInstancesPolicy: {} })] },
      DescribeLaunchTemplateVersions: { LaunchTemplateVersions: [{ LaunchTemplateData: {} }] },
      DescribeTargetGroupAttributes: ({ TargetGroupArn }: { TargetGroupArn: string }) => (TargetGroupArn === 'arn:own' ? delay('90') : delay('30')),
    });
    expect(await resolver.lookUp({ ...names, targetGroups: ['arn:there'] })).toMatchObject({ deregistrationDelayMs: 30_000 });
    expect(await resolver.lookUp({ ...names, targetGroups: ['arn:there'], asgs: ['g'] })).toMatchObject({ deregistrationDelayMs: 90_000 });
    expect(await resolver.lookUp(names)).not.toHaveProperty('deregistrationDelayMs');
  });

  it('finds the target groups of the Auto Scaling groups, also those that the policy names', async () => {
    const { resolver } = open({
      DescribeAutoScalingGroups: { AutoScalingGroups: [group({ TargetGroupARNs: ['arn:own', 'arn:there'], MixedInstancesPolicy: {} })] },
      DescribeLaunchTemplateVersions: { LaunchTemplateVersions: [{ LaunchTemplateData: {} }] },
      DescribeTargetGroupAttributes: delay('30'),
    });
    const found = await resolver.lookUp({ ...names, targetGroups: ['arn:there', 'arn:other'], asgs: ['g'] });
    expect(found.asgTargetGroups).toEqual(['arn:own', 'arn:there']);
    expect(await resolver.lookUp({ ...names, targetGroups: ['arn:there'] })).not.toHaveProperty('asgTargetGroups');
  });

  it('looks up nothing that the policy does not name', async () => {
    const { fake, resolver } = open({});
    expect(await resolver.lookUp(names)).toEqual({ subnets: {}, asgs: {}, launchTemplates: {} });
    expect(fake.calls).toEqual([]);
  });

  it('finds the zones that sell each instance type, over every page', async () => {
    const offering = (InstanceType: string, Location: string) => ({ InstanceType, Location });
    const { fake, resolver } = open({
      DescribeInstanceTypeOfferings: ({ NextToken, LocationType }: { readonly NextToken?: string; readonly LocationType: string }) => {
        if (LocationType === 'region') return { InstanceTypeOfferings: [offering('m7g.large', 'eu-west-1'), offering('m7g.xlarge', 'eu-west-1')] };
        return NextToken === undefined
          ? { InstanceTypeOfferings: [offering('m7g.large', 'eu-west-1b')], NextToken: '2' }
          : { InstanceTypeOfferings: [offering('m7g.large', 'eu-west-1a')] };
      },
    });
    const { sold } = await resolver.lookUp({ ...names, instanceTypes: ['m7g.large', 'm7g.lrge'] });
    expect(sold).toEqual({ zones: { 'm7g.large': ['eu-west-1a', 'eu-west-1b'] }, kin: ['m7g.large', 'm7g.xlarge'] });
    expect(fake.inputsOf('DescribeInstanceTypeOfferings')[0]).toEqual({
      LocationType: 'availability-zone',
      Filters: [{ Name: 'instance-type', Values: ['m7g.large', 'm7g.lrge'] }],
    });
    // The family is looked up only where a type of it is not sold.
    expect(fake.inputsOf('DescribeInstanceTypeOfferings').at(-1)).toEqual({
      LocationType: 'region',
      Filters: [{ Name: 'instance-type', Values: ['m7g.*'] }],
    });
    await resolver.lookUp({ ...names, instanceTypes: ['m7g.large'] });
    expect(fake.inputsOf('DescribeInstanceTypeOfferings')).toHaveLength(5);
  });

  it('returns the error code if EC2 does not return what it sells', async () => {
    const { resolver } = open({ DescribeInstanceTypeOfferings: failsWith('UnauthorizedOperation', 'no', 403) });
    expect((await resolver.lookUp({ ...names, instanceTypes: ['m7g.large'] })).sold).toEqual({ unread: 'UnauthorizedOperation' });
  });

  it('finds what images run, and what instance types run, and versions that are gone', async () => {
    const { fake, resolver } = open({
      DescribeLaunchTemplates: { LaunchTemplates: [{ LaunchTemplateId: 'lt-1', LaunchTemplateName: 'web', LatestVersionNumber: 5 }] },
      DescribeLaunchTemplateVersions: ({ Versions: [version] }: { Versions: readonly string[] }) => {
        if (version === '2') return failsWith('InvalidLaunchTemplateId.VersionNotFound')();
        const ImageId = version === '3' ? 'resolve:ssm:/image' : 'ami-1';
        return { LaunchTemplateVersions: [{ LaunchTemplateData: { ImageId } }] };
      },
      DescribeInstanceTypeOfferings: { InstanceTypeOfferings: [] },
      DescribeImages: { Images: [{ ImageId: 'ami-1', Architecture: 'arm64' }] },
      DescribeInstanceTypes: { InstanceTypes: [{ InstanceType: 'm7g.large', ProcessorInfo: { SupportedArchitectures: ['arm64'] } }] },
    });
    const templateVersions = ['web', 'web:2', 'web:3', 'unknown'];
    const { images } = await resolver.lookUp({ ...names, launchTemplates: ['web', 'unknown'], templateVersions, instanceTypes: ['m7g.large'] });
    expect(images).toEqual({
      versions: { web: { image: 'ami-1', architecture: 'arm64' }, 'web:2': { isGone: true }, 'web:3': { image: 'resolve:ssm:/image' } },
      architectures: { 'm7g.large': ['arm64'] },
    });
    expect(fake.inputsOf('DescribeImages')).toEqual([{ Filters: [{ Name: 'image-id', Values: ['ami-1'] }], IncludeDeprecated: true }]);
    expect(fake.inputsOf('DescribeInstanceTypes')).toMatchObject([{ Filters: [{ Name: 'instance-type', Values: ['m7g.large'] }] }]);
  });

  it('looks up no image if templates name none, and returns the error code of a failed call', async () => {
    const templates = { DescribeLaunchTemplates: { LaunchTemplates: [{ LaunchTemplateName: 'web', LatestVersionNumber: 1 }] } };
    const asked = { ...names, launchTemplates: ['web'], templateVersions: ['web'] };
    const without = open({ ...templates, DescribeLaunchTemplateVersions: { LaunchTemplateVersions: [{ LaunchTemplateData: {} }] } });
    expect((await without.resolver.lookUp(asked)).images).toEqual({ versions: { web: {} }, architectures: {} });
    expect(without.fake.inputsOf('DescribeImages')).toEqual([]);
    const denied = open({ ...templates, DescribeLaunchTemplateVersions: failsWith('UnauthorizedOperation', 'no', 403) });
    expect((await denied.resolver.lookUp(asked)).images).toEqual({ unread: 'UnauthorizedOperation' });
  });

  it('throws when EC2 does not respond', async () => {
    const { resolver } = open({ DescribeSubnets: failsWith('Unavailable', 'not now', 503) });
    await expect(resolver.lookUp({ ...names, subnets: ['subnet-a'] })).rejects.toThrow('not now');
  });
});

describe('an Auto Scaling group', () => {
  const distribution = (base: number, percentage: number) => ({ OnDemandBaseCapacity: base, OnDemandPercentageAboveBaseCapacity: percentage });
  const mixed = (InstancesDistribution?: object) => ({
    MixedInstancesPolicy: {
      InstancesDistribution,
      LaunchTemplate: { LaunchTemplateSpecification: template, Overrides: [{ InstanceType: 'm7g.large' }, { InstanceType: 'm6g.large' }] },
    },
  });

  it.each([
    ['spot', 'nothing on-demand', distribution(0, 0)],
    ['on-demand', 'everything on-demand', distribution(0, 100)],
    ['on-demand', 'no distribution', undefined],
    ['mixed', 'a base on-demand', distribution(1, 0)],
    ['mixed', 'half on-demand', distribution(0, 50)],
  ])('is of market %s when its policy wants %s', async (market, _, wanted) => {
    expect(await factsOf(mixed(wanted))).toMatchObject({ market, instanceTypes: ['m7g.large', 'm6g.large'] });
  });

  it.each([
    ['spot', { InstanceMarketOptions: { MarketType: 'spot' }, InstanceType: 'm7g.large' }],
    ['on-demand', { InstanceType: 'm7g.large' }],
  ])('without a mixed instances policy is of the market of its launch template: %s', async (market, data) => {
    expect(await factsOf({ LaunchTemplate: template }, data)).toEqual({
      market,
      instanceTypes: ['m7g.large'],
      zones: ['eu-west-1a'],
      subnets: [{ id: 'subnet-a', zone: 'eu-west-1a' }],
    });
  });

  it('with a launch configuration has neither a market nor types', async () => {
    expect(await factsOf({ LaunchConfigurationName: 'old' })).toMatchObject({ market: 'unknown', instanceTypes: [] });
  });

  it('takes its type from the template where the overrides name none', async () => {
    const policy = { MixedInstancesPolicy: { LaunchTemplate: { LaunchTemplateSpecification: template } } };
    expect(await factsOf(policy, { InstanceType: 'c7g.large' })).toMatchObject({ market: 'on-demand', instanceTypes: ['c7g.large'] });
  });

  it.each([
    ['weights', { MixedInstancesPolicy: { LaunchTemplate: { Overrides: [{ InstanceType: 'a' }, { InstanceType: 'b', WeightedCapacity: '4' }] } } }],
    ['vcpu', { DesiredCapacityType: 'vcpu' }],
    ['memory-mib', { DesiredCapacityType: 'memory-mib' }],
    [undefined, { DesiredCapacityType: 'units', MixedInstancesPolicy: { LaunchTemplate: { Overrides: [{ WeightedCapacity: '1' }] } } }],
    [undefined, { MixedInstancesPolicy: {} }],
  ])('whose sizes do not count instances is found: %s', async (unit, asg) => {
    expect((await factsOf(asg))?.unit).toBe(unit);
  });

  it('with distribution segments is of the market on demand, because they name no other', async () => {
    expect(await factsOf(mixed({ DistributionSegments: [{ TargetCapacityTypes: ['capacity-block', 'on-demand'] }] }))).toMatchObject({
      market: 'on-demand',
    });
  });

  it('without hooks, subnets or zones has none of them', async () => {
    const { resolver } = open({
      DescribeAutoScalingGroups: { AutoScalingGroups: [{ AutoScalingGroupName: 'g', MixedInstancesPolicy: {} }] },
      DescribeLaunchTemplateVersions: { LaunchTemplateVersions: [{ LaunchTemplateData: {} }] },
      DescribeLifecycleHooks: {},
    });
    const { asgs } = await resolver.lookUp({ ...names, asgs: ['g'], sizedBy: 'g' });
    expect(asgs.g).toEqual({
      market: 'on-demand',
      zones: [],
      subnets: [],
      instanceTypes: [],
      steering: { min: 0, rebalancesCapacity: false, hasWarmPool: false, hasDrainHook: false },
    });
  });

  it('that Auto Scaling does not have is absent', async () => {
    const { resolver } = open({ DescribeAutoScalingGroups: { AutoScalingGroups: [] } });
    expect((await resolver.lookUp({ ...names, asgs: ['g'] })).asgs).toEqual({});
  });

  it('is listed where its process Launch is suspended', async () => {
    const lookedUp = async (...processes: readonly string[]) => {
      const SuspendedProcesses = processes.map((ProcessName) => ({ ProcessName }));
      const { resolver } = open({
        DescribeAutoScalingGroups: { AutoScalingGroups: [group({ SuspendedProcesses })] },
        DescribeLaunchTemplateVersions: { LaunchTemplateVersions: [{ LaunchTemplateData: {} }] },
      });
      return (await resolver.lookUp({ ...names, asgs: ['g'] })).closed;
    };
    expect([await lookedUp('Terminate', 'Launch'), await lookedUp('Terminate'), await lookedUp()]).toEqual([['g'], undefined, undefined]);
  });

  it('is listed where it evens out several zones by itself', async () => {
    const lookedUp = async (AvailabilityZones: readonly string[], ...processes: readonly string[]) => {
      const SuspendedProcesses = processes.map((ProcessName) => ({ ProcessName }));
      const { resolver } = open({
        DescribeAutoScalingGroups: { AutoScalingGroups: [group({ AvailabilityZones, SuspendedProcesses })] },
        DescribeLaunchTemplateVersions: { LaunchTemplateVersions: [{ LaunchTemplateData: {} }] },
      });
      return (await resolver.lookUp({ ...names, asgs: ['g'] })).evensOut;
    };
    const zones = ['eu-west-1a', 'eu-west-1b'];
    expect([await lookedUp(zones), await lookedUp(zones, 'Launch')]).toEqual([['g'], ['g']]);
    expect([await lookedUp(zones, 'AZRebalance'), await lookedUp(['eu-west-1a'])]).toEqual([undefined, undefined]);
  });

  it('reads what an Auto Scaling group does by itself, where others set its size', async () => {
    const hooked = (transition: string) =>
      open({
        DescribeAutoScalingGroups: {
          AutoScalingGroups: [group({ MinSize: 2, MaxSize: 9, CapacityRebalance: true, WarmPoolConfiguration: { MinSize: 1 } })],
        },
        DescribeLaunchTemplateVersions: { LaunchTemplateVersions: [{ LaunchTemplateData: {} }] },
        DescribeLifecycleHooks: { LifecycleHooks: [{ LifecycleTransition: transition }] },
      });
    const { fake, resolver } = hooked('autoscaling:EC2_INSTANCE_TERMINATING');
    const { asgs } = await resolver.lookUp({ ...names, asgs: ['g'], sizedBy: 'g' });
    expect(asgs.g?.steering).toEqual({ min: 2, max: 9, rebalancesCapacity: true, hasWarmPool: true, hasDrainHook: true });
    expect(fake.inputsOf('DescribeLifecycleHooks')).toEqual([{ AutoScalingGroupName: 'g' }]);
    const launching = await hooked('autoscaling:EC2_INSTANCE_LAUNCHING').resolver.lookUp({ ...names, asgs: ['g'], sizedBy: 'g' });
    expect(launching.asgs.g?.steering?.hasDrainHook).toBe(false);
    const { asgs: others } = await hooked('autoscaling:EC2_INSTANCE_TERMINATING').resolver.lookUp({ ...names, asgs: ['g'] });
    expect(others.g).not.toHaveProperty('steering');
  });
});

describe('others that set the desired capacity', () => {
  const answers = (more: object = {}, answer: Answers = {}): Answers => ({
    DescribeAutoScalingGroups: { AutoScalingGroups: [group({ MixedInstancesPolicy: {}, ...more })] },
    DescribeLaunchTemplateVersions: { LaunchTemplateVersions: [{ LaunchTemplateData: {} }] },
    DescribePolicies: {
      ScalingPolicies: [
        { PolicyName: 'cpu-50', Enabled: true },
        { PolicyName: 'off', Enabled: false },
      ],
    },
    DescribeScheduledActions: { ScheduledUpdateGroupActions: [{ ScheduledActionName: 'nightly' }] },
    ...answer,
  });
  const scalersOf = async (...of: Parameters<typeof answers>) => {
    const { resolver } = open(answers(...of));
    return (await resolver.lookUp({ ...names, asgs: ['g'], sizes: ['g'] })).scalers;
  };

  it('is read of the groups that the policy sizes, and of no other', async () => {
    expect(await scalersOf()).toEqual({ g: { policies: ['cpu-50'], scheduledActions: ['nightly'], isOfEcs: false } });
    const { fake, resolver } = open(answers());
    expect(await resolver.lookUp({ ...names, asgs: ['g'] })).not.toHaveProperty('scalers');
    expect(fake.inputsOf('DescribePolicies')).toEqual([]);
  });

  it('are predictive policies that scale, and none that only forecast', async () => {
    const predictive = (PolicyName: string, Mode?: string) => ({
      PolicyName,
      PolicyType: 'PredictiveScaling',
      Enabled: true,
      PredictiveScalingConfiguration: { MetricSpecifications: [], ...(Mode && { Mode }) },
    });
    const ScalingPolicies = [predictive('forecasts', 'ForecastOnly'), predictive('by default'), predictive('scales', 'ForecastAndScale')];
    expect(await scalersOf({}, { DescribePolicies: { ScalingPolicies } })).toMatchObject({ g: { policies: ['scales'] } });
  });

  it('are none whose process the group has suspended', async () => {
    const SuspendedProcesses = ['AlarmNotification', 'ScheduledActions'].map((ProcessName) => ({ ProcessName }));
    expect(await scalersOf({ SuspendedProcesses })).toEqual({ g: { policies: [], scheduledActions: [], isOfEcs: false } });
    const of = (process: string) => scalersOf({ SuspendedProcesses: [{ ProcessName: process }] });
    expect(await of('AlarmNotification')).toMatchObject({ g: { policies: [], scheduledActions: ['nightly'] } });
    expect(await of('ScheduledActions')).toMatchObject({ g: { policies: ['cpu-50'], scheduledActions: [] } });
    expect(await of('Launch')).toMatchObject({ g: { policies: ['cpu-50'], scheduledActions: ['nightly'] } });
  });

  it('may be ECS, which tags the group', async () => {
    expect(await scalersOf({ Tags: [{ Key: 'AmazonECSManaged', Value: '' }] })).toMatchObject({ g: { isOfEcs: true } });
    expect(await scalersOf({ Tags: [{ Key: 'team', Value: 'web' }] })).toMatchObject({ g: { isOfEcs: false } });
  });

  it('may not be known: the policy is not refused for that', async () => {
    expect(await scalersOf({}, { DescribePolicies: failsWith('AccessDenied') })).toEqual({ g: { unread: 'AccessDenied' } });
  });
});
