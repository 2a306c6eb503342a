import {
  CreateLaunchTemplateCommand,
  CreateTagsCommand,
  DescribeInstanceAttributeCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplatesCommand,
  DescribeLaunchTemplateVersionsCommand,
  DescribeSpotPriceHistoryCommand,
  DescribeSubnetsCommand,
  ModifyInstanceAttributeCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { expect } from 'vitest';
import { codeOf, instancesNamedIn, isGone, isUnknownTemplate } from '../../../aws/calls/errors.ts';
import { instanceType, zones } from './cloud.ts';
import { createFleet } from './create-fleet.ts';
import { type Expectation, refusal } from './expectation.ts';
import { imagesAndChecks } from './images.ts';
import { absentId, allPages, api, describe, errorCodes, instanceOf, launch, tagged, unique } from './instances.ts';

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

const terminationProtection: readonly Expectation[] = [
  {
    call: 'DescribeInstanceAttribute',
    rule: 'returns whether an instance is protected from termination: false at first, and true after ModifyInstanceAttribute set it',
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_ChangingDisableAPITermination.html',
    differs: { ministack: 'ModifyInstanceAttribute does not exist' },
    async check(cloud) {
      const onDemand = { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' as const };
      const [InstanceId = ''] = await launch(cloud, 1, { TargetCapacitySpecification: onDemand, SpotOptions: undefined });
      const isProtected = async (): Promise<boolean | undefined> => {
        const shown = await cloud.ec2.send(new DescribeInstanceAttributeCommand({ InstanceId, Attribute: 'disableApiTermination' }));
        return shown.DisableApiTermination?.Value;
      };
      const protect = (Value: boolean) => cloud.ec2.send(new ModifyInstanceAttributeCommand({ InstanceId, DisableApiTermination: { Value } }));
      expect(await isProtected()).toBe(false);
      await protect(true);
      expect(await isProtected()).toBe(true);
      await protect(false);
      await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [InstanceId] }));
    },
  },
  {
    call: 'DescribeInstanceAttribute',
    rule: 'fails with InvalidInstanceID.NotFound for an instance that does not exist',
    source: errorCodes,
    async check({ ec2 }) {
      const asked = new DescribeInstanceAttributeCommand({ InstanceId: absentId, Attribute: 'disableApiTermination' });
      expect(codeOf(await refusal(ec2.send(asked)))).toBe('InvalidInstanceID.NotFound');
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
    rule: 'with an id that none can be fails with InvalidInstanceID.Malformed',
    source: errorCodes,
    differs: { ministack: 'it fails with InvalidInstanceID.NotFound', moto: 'it fails with InvalidInstanceID.NotFound' },
    async check({ ec2 }) {
      const error = await refusal(ec2.send(new TerminateInstancesCommand({ InstanceIds: ['i-nonsense'] })));
      expect(codeOf(error)).toBe('InvalidInstanceID.Malformed');
      expect(isGone(error)).toBe(true);
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
    rule: 'with the filter subnet-id returns the zone of each subnet and leaves out unknown ones',
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
    call: 'DescribeSubnets',
    rule: 'gives at most MaxResults subnets a page, and NextToken while there are more; each subnet once',
    source: api('DescribeSubnets'),
    differs: { ministack: 'MaxResults is ignored: everything is one page', moto: 'MaxResults is ignored: everything is one page' },
    async check({ ec2, subnets }) {
      const { pages, seen } = await allPages(async (NextToken) => {
        const page = await ec2.send(new DescribeSubnetsCommand({ MaxResults: 5, ...(NextToken && { NextToken }) }));
        return { found: (page.Subnets ?? []).map(({ SubnetId }) => SubnetId), next: page.NextToken };
      });
      expect(seen).toEqual(expect.arrayContaining([...subnets]));
      expect(new Set(seen).size).toBe(seen.length);
      expect(pages).toBeGreaterThan(1);
    },
  },
  {
    call: 'DescribeLaunchTemplates',
    rule: 'gives at most MaxResults templates a page, and NextToken while there are more; each template once',
    source: api('DescribeLaunchTemplates'),
    differs: { ministack: 'MaxResults is ignored: everything is one page', moto: 'the first page comes without NextToken: the rest cannot be had' },
    async check({ ec2 }) {
      const names = [unique('page'), unique('page')];
      const LaunchTemplateData = { InstanceType: instanceType } as const;
      for (const LaunchTemplateName of names) await ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName, LaunchTemplateData }));
      const Filters = [{ Name: 'launch-template-name', Values: names }];
      const { pages, seen } = await allPages(async (NextToken) => {
        const page = await ec2.send(new DescribeLaunchTemplatesCommand({ Filters, MaxResults: 1, ...(NextToken && { NextToken }) }));
        return { found: (page.LaunchTemplates ?? []).map(({ LaunchTemplateName }) => LaunchTemplateName), next: page.NextToken };
      });
      expect(seen.toSorted()).toEqual(names.toSorted());
      expect(pages).toBeGreaterThan(1);
    },
  },
  {
    call: 'DescribeLaunchTemplates',
    rule: 'with an id that none can be fails with InvalidLaunchTemplateId.Malformed',
    source: errorCodes,
    differs: { ministack: 'it returns an empty list', moto: 'it returns an empty list' },
    async check({ ec2 }) {
      const error = await refusal(ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateIds: ['lt-nonsense'] })));
      expect(codeOf(error)).toBe('InvalidLaunchTemplateId.Malformed');
      expect(isUnknownTemplate(error)).toBe(true);
    },
  },
  {
    call: 'DescribeLaunchTemplates',
    rule: 'with the filter launch-template-name returns id and latest version, and leaves out unknown names',
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
    differs: { ministack: 'it returns an empty list', moto: 'it returns an empty list' },
    async check({ ec2 }) {
      const error = await refusal(ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateIds: ['lt-0aaaaaaaaaaaaaaaa'] })));
      expect(codeOf(error)).toBe('InvalidLaunchTemplateId.NotFound');
    },
  },
  {
    call: 'DescribeLaunchTemplateVersions',
    rule: 'returns the contents of the version requested, $Default included',
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
    rule: 'that starts now returns the price in force of each type and zone, as a decimal string, with its time',
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

const spotPricePages: Expectation = {
  call: 'DescribeSpotPriceHistory',
  rule: 'gives at most MaxResults prices a page, and NextToken while there are more; each price once',
  source: api('DescribeSpotPriceHistory'),
  cannot: { ministack: 'the call does not exist there' },
  differs: { moto: 'MaxResults is ignored: everything is one page' },
  async check({ ec2 }) {
    const StartTime = new Date();
    const Filters = [{ Name: 'availability-zone', Values: [...zones] }];
    const asked = { ProductDescriptions: ['Linux/UNIX'], Filters, StartTime, MaxResults: 1 };
    const { pages, seen } = await allPages(async (NextToken) => {
      const page = await ec2.send(new DescribeSpotPriceHistoryCommand({ ...asked, InstanceTypes: [instanceType], ...(NextToken && { NextToken }) }));
      return { found: (page.SpotPriceHistory ?? []).map(({ AvailabilityZone }) => AvailabilityZone), next: page.NextToken };
    });
    expect(seen.toSorted()).toEqual([...zones]);
    expect(pages).toBeGreaterThan(1);
  },
};

export const ec2: readonly Expectation[] = [
  ...terminationProtection,
  ...createFleet,
  ...describeInstances,
  ...others,
  spotPricePages,
  ...imagesAndChecks,
];
