import { randomUUID } from 'node:crypto';
import {
  CreateFleetCommand,
  type CreateFleetCommandInput,
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplatesCommand,
  DescribeLaunchTemplateVersionsCommand,
  DescribeSpotPriceHistoryCommand,
  DescribeSubnetsCommand,
  type Filter,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { expect } from 'vitest';
import { codeOf, instancesNamedIn, isGone, isUnknownTemplate, scopeOfRefusal } from '../../../aws/errors.ts';
import { eventually } from '../eventually.ts';
import { type Cloud, instanceType, zones } from './cloud.ts';
import { type Expectation, refusal } from './expectation.ts';

const api = (operation: string): string => `https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_${operation}.html`;
const errorCodes = 'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html';
const idempotency = 'https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html';

const unique = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`;
const absentId = 'i-0aaaaaaaaaaaaaaaa';

const fleet = (cloud: Cloud, count: number, change: Partial<CreateFleetCommandInput> = {}): CreateFleetCommand =>
  new CreateFleetCommand({
    Type: 'instant',
    ClientToken: unique('token'),
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: cloud.template.name, Version: '$Default' },
        Overrides: [{ InstanceType: instanceType, SubnetId: cloud.subnets[1], Priority: 0 }],
      },
    ],
    TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType: 'spot' },
    SpotOptions: { AllocationStrategy: 'price-capacity-optimized' },
    ...change,
  });

const tagged = (value: string) => [{ ResourceType: 'instance' as const, Tags: [{ Key: 'contract', Value: value }] }];

export const launch = async (cloud: Cloud, count: number, change: Partial<CreateFleetCommandInput> = {}): Promise<string[]> => {
  const { Instances } = await cloud.ec2.send(fleet(cloud, count, change));
  return (Instances ?? []).flatMap(({ InstanceIds }) => InstanceIds ?? []);
};

const describe = async ({ ec2 }: Cloud, Name: string, ...Values: string[]) => {
  const Filters: Filter[] = [{ Name, Values }];
  const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ Filters, MaxResults: 1000 }));
  return Reservations.flatMap(({ Instances = [] }) => Instances);
};

/** One instance, whatever else the filter lets through. */
const instanceOf = async (cloud: Cloud, id: string | undefined) =>
  (await describe(cloud, 'instance-id', id ?? '')).find(({ InstanceId }) => InstanceId === id);

export const launchRunning = async (cloud: Cloud, count = 1): Promise<string[]> => {
  const ids = await launch(cloud, count);
  for (const id of ids) await eventually('a running instance', async () => (await instanceOf(cloud, id))?.State?.Name === 'running');
  return ids;
};

const noCapacity = 'every request is fulfilled: there is no capacity that could run out';
const emulatorsHaveNoCapacity = { ministack: noCapacity, moto: noCapacity };

const inZoneB = { instanceType, zone: zones[1], market: 'spot' as const };

const createFleet: readonly Expectation[] = [
  {
    call: 'CreateFleet',
    rule: 'of type instant answers at once with every instance: id, type, and the override it came from',
    source: api('CreateFleet'),
    differs: { ministack: 'an instance does not say which override it came from' },
    async check(cloud) {
      const { Instances = [], Errors = [] } = await cloud.ec2.send(fleet(cloud, 3));
      expect(Errors).toEqual([]);
      expect(Instances.flatMap(({ InstanceIds = [] }) => InstanceIds)).toHaveLength(3);
      expect(Instances[0]).toMatchObject({ InstanceType: instanceType });
      expect(Instances[0]?.LaunchTemplateAndOverrides?.Overrides).toMatchObject({ InstanceType: instanceType, SubnetId: cloud.subnets[1] });
    },
  },
  {
    call: 'CreateFleet',
    rule: 'launches into the subnet of the override, and so into its zone',
    source: api('FleetLaunchTemplateOverridesRequest'),
    differs: { ministack: 'every instance is in the first zone, whatever its subnet' },
    async check(cloud) {
      const ids = await launch(cloud, 1);
      const instance = await instanceOf(cloud, ids[0]);
      expect(instance).toMatchObject({ SubnetId: cloud.subnets[1], Placement: { AvailabilityZone: zones[1] } });
    },
  },
  {
    call: 'CreateFleet',
    rule: 'says in Lifecycle which market instances came from, and a spot instance has InstanceLifecycle spot',
    source: api('CreateFleetInstance'),
    differs: { ministack: 'no instance has a lifecycle: a spot request gives instances like any other' },
    async check(cloud) {
      const { Instances = [] } = await cloud.ec2.send(fleet(cloud, 1));
      expect(Instances[0]?.Lifecycle).toBe('spot');
      expect((await instanceOf(cloud, Instances[0]?.InstanceIds?.[0]))?.InstanceLifecycle).toBe('spot');
    },
  },
  {
    call: 'CreateFleet',
    rule: 'launches on-demand instances without InstanceLifecycle',
    source: api('CreateFleet'),
    async check(cloud) {
      const ids = await launch(cloud, 1, {
        TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' },
        SpotOptions: undefined,
        OnDemandOptions: { AllocationStrategy: 'prioritized' },
      });
      expect((await instanceOf(cloud, ids[0]))?.InstanceLifecycle).toBeUndefined();
    },
  },
  {
    call: 'CreateFleet',
    rule: 'puts the tags of TagSpecifications for instances on every instance from the start',
    source: api('CreateFleet'),
    async check(cloud) {
      const value = unique('fleet');
      const ids = await launch(cloud, 2, { TagSpecifications: tagged(value) });
      expect((await describe(cloud, 'tag:contract', value)).map(({ InstanceId }) => InstanceId).toSorted()).toEqual(ids.toSorted());
    },
  },
  {
    call: 'CreateFleet',
    rule: 'repeated with the same ClientToken and parameters launches nothing more and answers the same instances',
    source: idempotency,
    differs: { ministack: 'ClientToken is ignored', moto: 'ClientToken is ignored' },
    async check(cloud) {
      const command = { ClientToken: unique('again') };
      const first = await launch(cloud, 2, command);
      expect(await launch(cloud, 2, command)).toEqual(first);
    },
  },
  {
    call: 'CreateFleet',
    rule: 'with a ClientToken used for other parameters fails with IdempotentParameterMismatch',
    source: idempotency,
    differs: { ministack: 'ClientToken is ignored', moto: 'ClientToken is ignored' },
    async check(cloud) {
      const command = { ClientToken: unique('mismatch') };
      await launch(cloud, 1, command);
      expect(codeOf(await refusal(launch(cloud, 2, command)))).toBe('IdempotentParameterMismatch');
    },
  },
  {
    call: 'CreateFleet',
    rule: 'with a launch template that does not exist fails with InvalidLaunchTemplateName.NotFoundException',
    source: errorCodes,
    differs: { ministack: 'it fails with another code' },
    async check(cloud) {
      const LaunchTemplateConfigs = [{ LaunchTemplateSpecification: { LaunchTemplateName: 'nobody', Version: '$Default' } }];
      expect(isUnknownTemplate(await refusal(launch(cloud, 1, { LaunchTemplateConfigs })))).toBe(true);
    },
  },
  {
    call: 'CreateFleet',
    rule: 'of type instant keeps what it got when capacity runs out, and names each override that refused in Errors, in an answer of success',
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instant-fleet.html',
    cannot: emulatorsHaveNoCapacity,
    async check(cloud) {
      cloud.world?.setOffering(inZoneB, { capacity: 1 });
      try {
        const { Instances = [], Errors = [] } = await cloud.ec2.send(fleet(cloud, 3));
        const got = Instances.flatMap(({ InstanceIds = [] }) => InstanceIds).length;
        expect(got).toBeLessThan(3);
        expect(Errors.map(({ ErrorCode }) => scopeOfRefusal(ErrorCode ?? ''))).toEqual(['offering']);
        expect(Errors[0]?.LaunchTemplateAndOverrides?.Overrides).toMatchObject({ InstanceType: instanceType, SubnetId: cloud.subnets[1] });
      } finally {
        cloud.world?.setOffering(inZoneB, { capacity: null });
      }
    },
  },
  {
    call: 'CreateFleet',
    rule: 'answers a MaxPrice below the spot price with SpotMaxPriceTooLow in Errors',
    source: errorCodes,
    cannot: { ministack: 'there are no spot prices that a launch is compared with', moto: 'there are no spot prices that a launch is compared with' },
    async check(cloud) {
      const LaunchTemplateConfigs = [
        {
          LaunchTemplateSpecification: { LaunchTemplateName: cloud.template.name, Version: '$Default' },
          Overrides: [{ InstanceType: instanceType, SubnetId: cloud.subnets[1], MaxPrice: '0.0001' }] as never,
        },
      ];
      const { Instances = [], Errors = [] } = await cloud.ec2.send(fleet(cloud, 1, { LaunchTemplateConfigs }));
      expect(Instances).toEqual([]);
      expect(Errors[0]?.ErrorCode).toBe('SpotMaxPriceTooLow');
    },
  },
];

const describeInstances: readonly Expectation[] = [
  {
    call: 'DescribeInstances',
    rule: 'answers state, type, zone, launch time and tags of each instance',
    source: api('DescribeInstances'),
    async check(cloud) {
      const ids = await launch(cloud, 1, { TagSpecifications: tagged('shape') });
      const instance = await instanceOf(cloud, ids[0]);
      expect(['pending', 'running']).toContain(instance?.State?.Name);
      expect(instance).toMatchObject({ InstanceType: instanceType, Placement: { AvailabilityZone: expect.stringMatching(/^us-east-1[ab]$/) } });
      expect(instance?.LaunchTime).toBeInstanceOf(Date);
      expect(instance?.Tags).toContainEqual({ Key: 'contract', Value: 'shape' });
    },
  },
  {
    call: 'DescribeInstances',
    rule: 'with a filter leaves out ids that do not exist, without an error',
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Filtering.html',
    differs: { ministack: 'the filter instance-id is not known, and a filter that is not known lets everything through' },
    async check(cloud) {
      const ids = await launch(cloud, 1);
      expect((await describe(cloud, 'instance-id', absentId, ...ids)).map(({ InstanceId }) => InstanceId)).toEqual(ids);
    },
  },
  {
    call: 'DescribeInstances',
    rule: 'takes the values of one filter as alternatives',
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Filtering.html',
    async check(cloud) {
      const [one, two] = [unique('or'), unique('or')];
      const ids = [...(await launch(cloud, 1, { TagSpecifications: tagged(one) })), ...(await launch(cloud, 1, { TagSpecifications: tagged(two) }))];
      expect((await describe(cloud, 'tag:contract', one, two, 'none')).map(({ InstanceId }) => InstanceId).toSorted()).toEqual(ids.toSorted());
    },
  },
  {
    call: 'DescribeInstances',
    rule: 'gives at most MaxResults instances a page, and NextToken while there are more; each instance once',
    source: api('DescribeInstances'),
    differs: { ministack: 'MaxResults is ignored: everything is one page' },
    async check(cloud) {
      const value = unique('pages');
      const ids: string[] = [];
      for (let part = 0; part < 7; part += 1) ids.push(...(await launch(cloud, 1, { TagSpecifications: tagged(value) })));
      const pages: number[] = [];
      const seen: (string | undefined)[] = [];
      let NextToken: string | undefined;
      do {
        const Filters = [{ Name: 'tag:contract', Values: [value] }];
        const page = await cloud.ec2.send(new DescribeInstancesCommand({ Filters, MaxResults: 5, ...(NextToken && { NextToken }) }));
        const found = (page.Reservations ?? []).flatMap(({ Instances = [] }) => Instances);
        pages.push(found.length);
        seen.push(...found.map(({ InstanceId }) => InstanceId));
        NextToken = page.NextToken;
      } while (NextToken);
      expect(seen.toSorted()).toEqual(ids.toSorted());
      expect(pages.length).toBeGreaterThan(1);
    },
  },
  {
    call: 'DescribeInstances',
    rule: 'shows a terminated instance for a while, as shutting-down or terminated',
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-lifecycle.html',
    async check(cloud) {
      const ids = await launch(cloud, 1);
      await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: ids }));
      expect(['shutting-down', 'terminated']).toContain((await instanceOf(cloud, ids[0]))?.State?.Name);
    },
  },
];

const others: readonly Expectation[] = [
  {
    call: 'CreateTags',
    rule: 'adds tags to every resource named and overwrites values of the same key',
    source: api('CreateTags'),
    async check(cloud) {
      const ids = await launch(cloud, 2, { TagSpecifications: tagged('before') });
      const value = unique('after');
      await cloud.ec2.send(new CreateTagsCommand({ Resources: ids, Tags: [{ Key: 'contract', Value: value }] }));
      expect((await describe(cloud, 'tag:contract', value)).map(({ InstanceId }) => InstanceId).toSorted()).toEqual(ids.toSorted());
    },
  },
  {
    call: 'CreateTags',
    rule: 'fails with InvalidInstanceID.NotFound for an instance that does not exist',
    source: errorCodes,
    differs: { ministack: 'it is accepted', moto: 'it is accepted' },
    async check({ ec2 }) {
      const error = await refusal(ec2.send(new CreateTagsCommand({ Resources: [absentId], Tags: [{ Key: 'a', Value: 'b' }] })));
      expect(codeOf(error)).toBe('InvalidInstanceID.NotFound');
    },
  },
  {
    call: 'TerminateInstances',
    rule: 'ends instances, and ends one that is ended already without an error',
    source: api('TerminateInstances'),
    async check(cloud) {
      const InstanceIds = await launch(cloud, 2);
      const { TerminatingInstances = [] } = await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds }));
      expect(TerminatingInstances.map(({ InstanceId }) => InstanceId).toSorted()).toEqual(InstanceIds.toSorted());
      await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds }));
    },
  },
  {
    call: 'TerminateInstances',
    rule: 'with one unknown id fails as a whole with InvalidInstanceID.NotFound, names the id, and ends none',
    source: api('TerminateInstances'),
    async check(cloud) {
      const ids = await launch(cloud, 1);
      const error = await refusal(cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [...ids, absentId] })));
      expect(isGone(error)).toBe(true);
      expect(instancesNamedIn(error)).toEqual([absentId]);
      expect(['pending', 'running']).toContain((await instanceOf(cloud, ids[0]))?.State?.Name);
    },
  },
  {
    call: 'DescribeSubnets',
    rule: 'with the filter subnet-id answers the zone of each subnet and leaves out unknown ones',
    source: api('DescribeSubnets'),
    async check({ ec2, subnets }) {
      const Filters = [{ Name: 'subnet-id', Values: [...subnets, 'subnet-0aaaaaaaaaaaaaaaa'] }];
      const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({ Filters }));
      expect(new Map(Subnets.map(({ SubnetId, AvailabilityZone }) => [SubnetId, AvailabilityZone]))).toEqual(
        new Map([
          [subnets[0], zones[0]],
          [subnets[1], zones[1]],
        ]),
      );
    },
  },
  {
    call: 'DescribeLaunchTemplates',
    rule: 'with the filter launch-template-name answers id and latest version, and leaves out unknown names',
    source: api('DescribeLaunchTemplates'),
    async check({ ec2, template }) {
      const Filters = [{ Name: 'launch-template-name', Values: [template.name, 'nobody'] }];
      const { LaunchTemplates = [] } = await ec2.send(new DescribeLaunchTemplatesCommand({ Filters }));
      expect(LaunchTemplates).toMatchObject([{ LaunchTemplateId: template.id, LaunchTemplateName: template.name, LatestVersionNumber: 1 }]);
    },
  },
  {
    call: 'DescribeLaunchTemplates',
    rule: 'with an id that does not exist fails with InvalidLaunchTemplateId.NotFound',
    source: errorCodes,
    differs: { ministack: 'it answers an empty list', moto: 'it answers an empty list' },
    async check({ ec2 }) {
      const error = await refusal(ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateIds: ['lt-0aaaaaaaaaaaaaaaa'] })));
      expect(codeOf(error)).toBe('InvalidLaunchTemplateId.NotFound');
    },
  },
  {
    call: 'DescribeLaunchTemplateVersions',
    rule: 'answers the contents of the version asked for, $Default included',
    source: api('DescribeLaunchTemplateVersions'),
    async check({ ec2, template }) {
      const command = new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateName: template.name, Versions: ['$Default'] });
      const { LaunchTemplateVersions = [] } = await ec2.send(command);
      expect(LaunchTemplateVersions).toMatchObject([{ VersionNumber: 1, LaunchTemplateData: { InstanceType: instanceType } }]);
    },
  },
  {
    call: 'DescribeLaunchTemplateVersions',
    rule: 'fails for a template, and for a version, that does not exist',
    source: errorCodes,
    differs: { ministack: 'it fails with another code' },
    async check({ ec2, template }) {
      const ask = (LaunchTemplateName: string, version: string) =>
        refusal(ec2.send(new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateName, Versions: [version] })));
      expect(isUnknownTemplate(await ask('nobody', '$Default'))).toBe(true);
      expect(codeOf(await ask(template.name, '77'))).toBe('InvalidLaunchTemplateId.VersionNotFound');
    },
  },
  {
    call: 'DescribeSpotPriceHistory',
    rule: 'that starts now answers the price in force of each type and zone, as a decimal string, with its time',
    source: api('DescribeSpotPriceHistory'),
    cannot: { ministack: 'the call does not exist there' },
    async check({ ec2 }) {
      const command = new DescribeSpotPriceHistoryCommand({
        InstanceTypes: [instanceType],
        ProductDescriptions: ['Linux/UNIX'],
        Filters: [{ Name: 'availability-zone', Values: [...zones] }],
        StartTime: new Date(),
        MaxResults: 1000,
      });
      const { SpotPriceHistory = [] } = await ec2.send(command);
      expect(SpotPriceHistory.map(({ AvailabilityZone }) => AvailabilityZone).toSorted()).toEqual([...zones]);
      for (const { SpotPrice, InstanceType: type, Timestamp } of SpotPriceHistory) {
        expect(Number(SpotPrice)).toBeGreaterThan(0);
        expect(type).toBe(instanceType);
        expect(Timestamp).toBeInstanceOf(Date);
      }
    },
  },
];

export const ec2: readonly Expectation[] = [...createFleet, ...describeInstances, ...others];
