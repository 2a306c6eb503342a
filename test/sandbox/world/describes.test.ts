import { describe, expect, it } from 'vitest';
import { asg, createTestWorld, timing } from './build.ts';

type Described = {
  Reservations: { Instances: { InstanceId: string; State: { Code: number; Name: string }; Tags: object[]; InstanceLifecycle?: string }[] }[];
  NextToken?: string;
};
const idsOf = ({ Reservations }: Described): string[] => Reservations.flatMap(({ Instances }) => Instances.map(({ InstanceId }) => InstanceId));
const statesOf = ({ Reservations }: Described): string[] => Reservations.flatMap(({ Instances }) => Instances.map(({ State }) => State.Name));
const tagged = (Key: string, Value: string) => ({ TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key, Value }] }] });
const filter = (Name: string, ...Values: string[]) => ({ Filters: [{ Name, Values }] });

describe('DescribeInstances', () => {
  it('filters by id, state, tag, place, type and market', async () => {
    const { ec2, launch, seconds } = createTestWorld();
    const [first = ''] = launch(2, tagged('team', 'web'));
    await seconds(20);
    const [other = ''] = launch(1, tagged('team', 'batch'));
    const find = (...args: [string, ...string[]]) => idsOf(ec2<Described>('DescribeInstances', filter(...args)));
    expect(find('instance-id', first)).toEqual([first]);
    expect(find('instance-state-name', 'pending')).toEqual([other]);
    expect(find('tag:team', 'web')).toHaveLength(2);
    expect(find('tag:team', 'b*')).toEqual([other]);
    expect(find('tag-key', 'team')).toHaveLength(3);
    expect(find('subnet-id', 'subnet-b')).toEqual([]);
    expect(find('availability-zone', 'us-east-1a')).toHaveLength(3);
    expect(find('instance-type', 'm7g.*')).toHaveLength(3);
    expect(find('instance-lifecycle', 'spot')).toHaveLength(3);
  });

  it('joins filters with and, their values with or', () => {
    const { ec2, launch } = createTestWorld();
    launch(1, tagged('team', 'web'));
    const Filters = [
      { Name: 'tag:team', Values: ['web', 'batch'] },
      { Name: 'instance-state-name', Values: ['running'] },
    ];
    expect(idsOf(ec2<Described>('DescribeInstances', { Filters }))).toEqual([]);
  });

  it('refuses a filter that it does not support, and more than 200 values', () => {
    const { ec2, refusal } = createTestWorld();
    expect(refusal(() => ec2('DescribeInstances', filter('nonsense', 'x'))).code).toBe('InvalidParameterValue');
    const many = Array.from({ length: 201 }, (_, index) => `i-${index}`);
    expect(refusal(() => ec2('DescribeInstances', filter('instance-id', ...many))).code).toBe('FilterLimitExceeded');
  });

  it('refuses unknown ids, but filters them without an error', () => {
    const { ec2, refusal } = createTestWorld();
    expect(refusal(() => ec2('DescribeInstances', { InstanceIds: ['i-0123'] }))).toEqual({
      code: 'InvalidInstanceID.NotFound',
      message: "The instance ID 'i-0123' does not exist",
    });
    expect(idsOf(ec2<Described>('DescribeInstances', filter('instance-id', 'i-0123')))).toEqual([]);
  });

  it('gives pages of at least five, and skips nothing between them', () => {
    const { ec2, launch, refusal } = createTestWorld();
    const ids = launch(10);
    const first = ec2<Described>('DescribeInstances', { MaxResults: 6 });
    launch(1, { LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { LaunchTemplateName: 'web' }, Overrides: [{ SubnetId: 'subnet-b' }] }] });
    const second = ec2<Described>('DescribeInstances', { MaxResults: 6, NextToken: first.NextToken });
    expect(idsOf(first).concat(idsOf(second)).slice(0, 10)).toEqual(ids);
    expect(idsOf(second)).toHaveLength(5);
    expect(second.NextToken).toBeUndefined();
    expect(refusal(() => ec2('DescribeInstances', { MaxResults: 4 })).code).toBe('InvalidParameterValue');
    expect(refusal(() => ec2('DescribeInstances', { MaxResults: 5, InstanceIds: ids })).code).toBe('InvalidParameterCombination');
    expect(refusal(() => ec2('DescribeInstances', { MaxResults: 5, NextToken: 'nonsense' })).code).toBe('InvalidNextToken');
  });

  describe('with stale pages', () => {
    const pagesOf = (world: ReturnType<typeof createTestWorld>): string[][] => {
      const pages: string[][] = [];
      let NextToken: string | undefined;
      do {
        const page = world.ec2<Described>('DescribeInstances', { MaxResults: 5, ...(NextToken && { NextToken }) });
        pages.push(idsOf(page));
        NextToken = page.NextToken;
      } while (NextToken !== undefined);
      return pages;
    };

    it('shows one instance twice and another not at all where the list moved between two pages', () => {
      const test = createTestWorld({ stalePages: { lagSeconds: [0, 0], moves: 1 } });
      const ids = test.launch(7);
      const [first = [], second = []] = pagesOf(test);
      expect(first).toEqual(ids.slice(0, 5));
      expect(second).toEqual([ids[4], ids[6]]);
    });

    it('shows later pages as they were a while ago, the first as it is', async () => {
      const test = createTestWorld({ stalePages: { lagSeconds: [4, 4], moves: 0 } });
      test.launch(6);
      await test.seconds(6);
      const answers = [test.ec2<Described>('DescribeInstances', { MaxResults: 5 })];
      answers.push(test.ec2<Described>('DescribeInstances', { MaxResults: 5, NextToken: answers[0]?.NextToken }));
      expect(answers.map(statesOf)).toEqual([['running', 'running', 'running', 'running', 'running'], ['pending']]);
    });
  });

  it('shows an instance on later pages after its own lag and the age of the page together', async () => {
    const test = createTestWorld({ timing: { ...timing, lagSeconds: [4, 4] }, stalePages: { lagSeconds: [4, 4], moves: 0 } });
    test.launch(6);
    const shown = (): number => {
      const first = test.ec2<Described>('DescribeInstances', { MaxResults: 5 });
      if (first.NextToken === undefined) return idsOf(first).length;
      return idsOf(first).length + idsOf(test.ec2<Described>('DescribeInstances', { MaxResults: 5, NextToken: first.NextToken })).length;
    };
    await test.seconds(7);
    expect(shown()).toBe(5);
    await test.seconds(2);
    expect(shown()).toBe(6);
  });

  it('puts every instance in a reservation of its own', () => {
    const { ec2, launch } = createTestWorld();
    launch(3);
    expect(ec2<Described>('DescribeInstances').Reservations.map(({ Instances }) => Instances.length)).toEqual([1, 1, 1]);
  });

  it('shows terminated instances for an hour, and not after that', async () => {
    const { ec2, launch, seconds } = createTestWorld();
    const ids = launch(1);
    await seconds(10);
    ec2('TerminateInstances', { InstanceIds: ids });
    expect(statesOf(ec2<Described>('DescribeInstances'))).toEqual(['shutting-down']);
    await seconds(600);
    expect(statesOf(ec2<Described>('DescribeInstances'))).toEqual(['terminated']);
    await seconds(3600);
    expect(statesOf(ec2<Described>('DescribeInstances'))).toEqual([]);
  });

  it('lags: a fresh instance, its state and its tags are seen later', async () => {
    const { ec2, launch, seconds, refusal } = createTestWorld({ timing: { ...timing, lagSeconds: [3, 3] } });
    const ids = launch(1);
    expect(idsOf(ec2<Described>('DescribeInstances'))).toEqual([]);
    expect(refusal(() => ec2('DescribeInstances', { InstanceIds: ids })).code).toBe('InvalidInstanceID.NotFound');
    await seconds(3);
    expect(statesOf(ec2<Described>('DescribeInstances'))).toEqual(['pending']);
    await seconds(2);
    expect(statesOf(ec2<Described>('DescribeInstances'))).toEqual(['pending']);
    await seconds(3);
    expect(statesOf(ec2<Described>('DescribeInstances'))).toEqual(['running']);
    ec2('CreateTags', { Resources: ids, Tags: [{ Key: 'late', Value: 'yes' }] });
    expect(idsOf(ec2<Described>('DescribeInstances', filter('tag:late', 'yes')))).toEqual([]);
    await seconds(3);
    expect(idsOf(ec2<Described>('DescribeInstances', filter('tag:late', 'yes')))).toEqual(ids);
  });
});

describe('other EC2 calls', () => {
  it('terminates none when one id is wrong', async () => {
    const { ec2, launch, seconds, refusal, world } = createTestWorld();
    const ids = launch(2);
    await seconds(10);
    expect(refusal(() => ec2('TerminateInstances', { InstanceIds: [...ids, 'i-0123'] })).code).toBe('InvalidInstanceID.NotFound');
    expect(refusal(() => ec2('TerminateInstances', { InstanceIds: ['nonsense'] })).code).toBe('InvalidInstanceID.Malformed');
    expect(world.snapshot().instances.map(({ state }) => state)).toEqual(['running', 'running']);
    const { TerminatingInstances } = ec2<{ TerminatingInstances: object[] }>('TerminateInstances', { InstanceIds: ids });
    expect(TerminatingInstances[0]).toEqual({
      InstanceId: ids[0],
      PreviousState: { Code: 16, Name: 'running' },
      CurrentState: { Code: 32, Name: 'shutting-down' },
    });
    await seconds(10);
    ec2('TerminateInstances', { InstanceIds: ids });
    expect(world.snapshot().instances.map(({ state }) => state)).toEqual(['terminated', 'terminated']);
  });

  it('sets, removes and describes tags, and keeps aws: for AWS', () => {
    const { ec2, launch, refusal, world } = createTestWorld();
    const [id = ''] = launch(1);
    ec2('CreateTags', {
      Resources: [id],
      Tags: [
        { Key: 'a', Value: '1' },
        { Key: 'b', Value: '2' },
      ],
    });
    ec2('DeleteTags', { Resources: [id], Tags: [{ Key: 'a' }, { Key: 'b', Value: 'other' }] });
    expect(ec2('DescribeTags', filter('resource-id', id))).toEqual({
      Tags: [{ ResourceId: id, ResourceType: 'instance', Key: 'b', Value: '2' }],
      NextToken: undefined,
    });
    expect(world.tagsOf(`arn:aws:ec2:us-east-1:123456789012:instance/${id}`)).toEqual({ b: '2' });
    expect(refusal(() => ec2('CreateTags', { Resources: [id], Tags: [{ Key: 'aws:x', Value: '1' }] })).code).toBe('InvalidParameterValue');
    expect(refusal(() => ec2('CreateTags', { Resources: ['i-0123'], Tags: [] })).code).toBe('InvalidInstanceID.NotFound');
  });

  it('counts the free addresses of subnets', () => {
    const { ec2, launch, refusal } = createTestWorld({ subnets: [{ id: 'subnet-a', zone: 'us-east-1a', freeAddresses: 8 }] });
    launch(3);
    const { Subnets } = ec2<{ Subnets: { AvailableIpAddressCount: number; AvailabilityZone: string }[] }>('DescribeSubnets', {
      SubnetIds: ['subnet-a'],
    });
    expect(Subnets).toMatchObject([{ AvailableIpAddressCount: 5, AvailabilityZone: 'us-east-1a' }]);
    expect(refusal(() => ec2('DescribeSubnets', { SubnetIds: ['subnet-x'] })).code).toBe('InvalidSubnetID.NotFound');
  });

  it('keeps the history of spot prices', async () => {
    const { ec2, world, seconds } = createTestWorld();
    await seconds(60);
    world.setOffering({ instanceType: 'm7g.large', zone: 'us-east-1a', market: 'spot' }, { priceUsdPerHour: 0.05 });
    const ask = { InstanceTypes: ['m7g.large'], AvailabilityZone: 'us-east-1a', ProductDescriptions: ['Linux/UNIX'] };
    const history = ec2<{ SpotPriceHistory: { SpotPrice: string }[] }>('DescribeSpotPriceHistory', ask);
    expect(history.SpotPriceHistory.map(({ SpotPrice }) => SpotPrice)).toEqual(['0.050000', '0.030000']);
    const now = ec2<{ SpotPriceHistory: { SpotPrice: string }[] }>('DescribeSpotPriceHistory', {
      ...ask,
      StartTime: new Date(Date.UTC(2026, 0, 1, 0, 2)),
    });
    expect(now.SpotPriceHistory.map(({ SpotPrice }) => SpotPrice)).toEqual(['0.050000']);
  });

  it('reports status checks once EC2 has made them', async () => {
    const { ec2, launch, seconds } = createTestWorld();
    launch(1);
    type Statuses = { InstanceStatuses: { InstanceStatus: { Status: string } }[] };
    const status = () => ec2<Statuses>('DescribeInstanceStatus').InstanceStatuses.map(({ InstanceStatus }) => InstanceStatus.Status);
    expect(status()).toEqual([]);
    await seconds(6);
    expect(status()).toEqual(['initializing']);
    await seconds(60);
    expect(status()).toEqual(['initializing']);
    await seconds(70);
    expect(status()).toEqual(['ok']);
  });

  it('runs single instances for operators, or throws why not', () => {
    const { ec2, refusal } = createTestWorld();
    const run = { MinCount: 1, MaxCount: 2, LaunchTemplate: { LaunchTemplateName: 'web' }, SubnetId: 'subnet-a' };
    expect(ec2<{ Instances: object[] }>('RunInstances', run).Instances).toHaveLength(2);
    const spot = { ...run, MinCount: 11, MaxCount: 11, InstanceMarketOptions: { MarketType: 'spot' } };
    expect(refusal(() => ec2('RunInstances', spot)).code).toBe('InsufficientInstanceCapacity');
    expect(refusal(() => ec2('RunInstances', { ...run, InstanceType: 'p5.48xlarge' })).code).toBe('Unsupported');
  });

  it('launches the version of a template that is the default, the latest, or named', () => {
    const world = createTestWorld({ autoScalingGroups: [asg({ min: 0, desired: 0 })] });
    const { ec2, refusal } = world;
    const web = { LaunchTemplateName: 'web' };
    const launchedBy = (Version?: string) => {
      const run = { LaunchTemplate: { ...web, ...(Version && { Version }) }, SubnetId: 'subnet-a', MinCount: 1, MaxCount: 1 };
      ec2('RunInstances', run);
      const last = world.history.findLast((event) => event.kind === 'launched');
      return last?.kind === 'launched' ? last.template : undefined;
    };
    expect(launchedBy()).toMatchObject({ name: 'web', version: '1', isDefault: true, isLatest: true });
    ec2('CreateLaunchTemplateVersion', { ...web, SourceVersion: '1', LaunchTemplateData: {} });
    expect(launchedBy()).toMatchObject({ version: '1', isDefault: true, isLatest: false });
    expect(launchedBy('$Latest')).toMatchObject({ version: '2', isDefault: false, isLatest: true });
    ec2('ModifyLaunchTemplate', { ...web, DefaultVersion: '$Latest' });
    expect(launchedBy()).toMatchObject({ version: '2', isDefault: true });
    expect(launchedBy('1')).toMatchObject({ version: '1', isDefault: false });
    expect(ec2('DescribeLaunchTemplates', {})).toMatchObject({ LaunchTemplates: [{ DefaultVersionNumber: 2, LatestVersionNumber: 2 }] });
    const shown = { LaunchTemplateVersions: [{ VersionNumber: 2, DefaultVersion: true, LaunchTemplateData: { InstanceType: 'm7g.large' } }] };
    expect(ec2('DescribeLaunchTemplateVersions', { ...web, Versions: ['$Default'] })).toMatchObject(shown);
    // The default version cannot be deleted. Another one can.
    ec2('DeleteLaunchTemplateVersions', { ...web, Versions: ['1', '2'] });
    expect(launchedBy()).toMatchObject({ version: '2' });
    expect(refusal(() => ec2('ModifyLaunchTemplate', { ...web, DefaultVersion: '1' })).code).toBe('InvalidLaunchTemplateId.VersionNotFound');
  });

  it('launches into an Auto Scaling group the version that is the default one then', async () => {
    const world = createTestWorld({ autoScalingGroups: [asg({ min: 0, desired: 0 })] });
    world.ec2('CreateLaunchTemplateVersion', { LaunchTemplateName: 'web', SourceVersion: '1', LaunchTemplateData: {} });
    world.ec2('ModifyLaunchTemplate', { LaunchTemplateName: 'web', DefaultVersion: '2' });
    world.autoScaling('SetDesiredCapacity', { AutoScalingGroupName: 'workers', DesiredCapacity: 1 });
    await world.seconds(15);
    const launched = world.history.filter((event) => event.kind === 'launched');
    expect(launched).toMatchObject([{ asg: 'workers', template: { version: '2', isDefault: true } }]);
  });

  it('keeps launch templates with versions', () => {
    const { ec2, refusal } = createTestWorld();
    const created = ec2<{ LaunchTemplate: { LaunchTemplateId: string } }>('CreateLaunchTemplate', {
      LaunchTemplateName: 'batch',
      LaunchTemplateData: { InstanceType: 'm6g.large' },
    });
    ec2('CreateLaunchTemplateVersion', { LaunchTemplateName: 'batch', LaunchTemplateData: { InstanceType: 'm7g.large' } });
    const asked = { LaunchTemplateId: created.LaunchTemplate.LaunchTemplateId, Versions: ['$Latest'] };
    expect(ec2('DescribeLaunchTemplateVersions', asked)).toMatchObject({ LaunchTemplateVersions: [{ VersionNumber: 2 }] });
    expect(ec2('DescribeLaunchTemplates', { LaunchTemplateNames: ['batch'] })).toMatchObject({ LaunchTemplates: [{ LatestVersionNumber: 2 }] });
    const named = ec2<{ LaunchTemplates: object[] }>('DescribeLaunchTemplates', filter('launch-template-name', 'batch', 'none'));
    expect(named.LaunchTemplates).toMatchObject([{ LaunchTemplateName: 'batch' }]);
    const again = () => ec2('CreateLaunchTemplate', { LaunchTemplateName: 'batch', LaunchTemplateData: {} });
    expect(refusal(again).code).toBe('InvalidLaunchTemplateName.AlreadyExistsException');
  });
});
