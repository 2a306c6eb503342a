import {
  CreateAutoScalingGroupCommand,
  DeleteAutoScalingGroupCommand,
  type InstancesDistribution,
  type MixedInstancesPolicy,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import { type Cloud, instanceType, zones } from './cloud.ts';
import type { Expectation } from './expectation.ts';
import { api, groupNamed } from './members.ts';

const name = 'mixed';
const options = 'https://docs.aws.amazon.com/autoscaling/ec2/userguide/asg-purchase-options.html';
const termination = 'https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-termination-policies.html';
const distributionPage =
  'https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-autoscaling-autoscalinggroup-instancesdistribution.html';
const withoutMarkets = { cannot: { ministack: 'the policy is not kept', moto: 'members have no market: none of them is spot' } };

const policyOf = ({ template }: Cloud, distribution: InstancesDistribution): MixedInstancesPolicy => ({
  LaunchTemplate: {
    LaunchTemplateSpecification: { LaunchTemplateName: template.name, Version: '$Default' },
    Overrides: [{ InstanceType: instanceType }],
  },
  InstancesDistribution: distribution,
});

const mix = (OnDemandBaseCapacity: number, OnDemandPercentageAboveBaseCapacity: number): InstancesDistribution => ({
  OnDemandBaseCapacity,
  OnDemandPercentageAboveBaseCapacity,
  SpotAllocationStrategy: 'price-capacity-optimized',
});

const change = (cloud: Cloud, to: { readonly DesiredCapacity?: number; readonly mix?: InstancesDistribution }) =>
  cloud.autoScaling.send(
    new UpdateAutoScalingGroupCommand({
      AutoScalingGroupName: name,
      ...(to.DesiredCapacity !== undefined && { DesiredCapacity: to.DesiredCapacity }),
      ...(to.mix && { MixedInstancesPolicy: policyOf(cloud, to.mix) }),
    }),
  );

type Markets = { readonly spot: number; readonly onDemand: number };

/** Members in service and on their way up, by market. */
const marketsOf = async (cloud: Cloud): Promise<Markets> => {
  const members = (await groupNamed(cloud, name)).Instances ?? [];
  const ids = members.filter(({ LifecycleState = '' }) => !LifecycleState.startsWith('Terminat')).map(({ InstanceId = '' }) => InstanceId);
  if (ids.length === 0) return { spot: 0, onDemand: 0 };
  const { Reservations = [] } = await cloud.ec2.send(new DescribeInstancesCommand({ InstanceIds: ids }));
  const spot = Reservations.flatMap(({ Instances = [] }) => Instances).filter(({ InstanceLifecycle }) => InstanceLifecycle === 'spot').length;
  return { spot, onDemand: ids.length - spot };
};

const comesTo = (cloud: Cloud, { spot, onDemand }: Markets, each: (now: Markets) => void = () => undefined): Promise<boolean> =>
  eventually(
    `${spot} members on spot and ${onDemand} on demand`,
    async () => {
      const now = await marketsOf(cloud);
      each(now);
      return now.spot === spot && now.onDemand === onDemand;
    },
    20_000,
  );

/** A group of its own, for as long as the work takes. */
const withGroup = async (cloud: Cloud, DesiredCapacity: number, distribution: InstancesDistribution, work: () => Promise<void>): Promise<void> => {
  await cloud.autoScaling.send(
    new CreateAutoScalingGroupCommand({
      AutoScalingGroupName: name,
      MinSize: 0,
      MaxSize: 6,
      DesiredCapacity,
      VPCZoneIdentifier: cloud.subnets[0],
      MixedInstancesPolicy: policyOf(cloud, distribution),
    }),
  );
  try {
    await work();
  } finally {
    await cloud.autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: name, ForceDelete: true }));
  }
};

/** How a group with a mixed instances policy launches, shrinks and replaces by its distribution. */
export const mixedInstances: readonly Expectation[] = [
  {
    call: 'CreateAutoScalingGroup',
    rule: 'with a mixed instances policy launches its base on demand, and above it the percentage on demand and the rest on spot',
    source: api('InstancesDistribution'),
    ...withoutMarkets,
    check: (cloud) => withGroup(cloud, 5, mix(1, 50), async () => void (await comesTo(cloud, { spot: 2, onDemand: 3 }))),
  },
  {
    call: 'CreateAutoScalingGroup',
    rule: 'with a mixed instances policy never launches on demand what spot refuses: the group stays below its desired capacity',
    source: options,
    ...withoutMarkets,
    async check(cloud) {
      const offering = { instanceType, zone: zones[0], market: 'spot' as const };
      cloud.world?.setOffering(offering, { capacity: 0 });
      try {
        await withGroup(cloud, 4, mix(0, 50), async () => {
          await comesTo(cloud, { spot: 0, onDemand: 2 });
          // Two more looks of the group at its size.
          await new Promise((done) => setTimeout(done, 700));
          expect(await marketsOf(cloud)).toEqual({ spot: 0, onDemand: 2 });
        });
      } finally {
        cloud.world?.setOffering(offering, { capacity: null });
      }
    },
  },
  {
    call: 'UpdateAutoScalingGroup',
    rule: 'with an InstancesDistribution that leaves out the percentage sets it to 100: everything is on demand',
    source: api('InstancesDistribution'),
    ...withoutMarkets,
    check: (cloud) =>
      withGroup(cloud, 0, mix(0, 0), async () => {
        await change(cloud, { mix: { OnDemandBaseCapacity: 0 }, DesiredCapacity: 2 });
        const found = (await groupNamed(cloud, name)).MixedInstancesPolicy?.InstancesDistribution;
        expect(found?.OnDemandPercentageAboveBaseCapacity).toBe(100);
        await comesTo(cloud, { spot: 0, onDemand: 2 });
      }),
  },
  {
    call: 'UpdateAutoScalingGroup',
    rule: 'with a smaller desired capacity ends members of the market that has more than its part by the mixed instances policy',
    source: termination,
    ...withoutMarkets,
    check: (cloud) =>
      withGroup(cloud, 6, mix(0, 50), async () => {
        await comesTo(cloud, { spot: 3, onDemand: 3 });
        await change(cloud, { DesiredCapacity: 2 });
        await comesTo(cloud, { spot: 1, onDemand: 1 });
      }),
  },
  {
    call: 'UpdateAutoScalingGroup',
    rule: 'with another base or percentage replaces members of a mixed instances policy gradually, and launches before it terminates',
    source: distributionPage,
    ...withoutMarkets,
    check: (cloud) =>
      withGroup(cloud, 2, mix(0, 0), async () => {
        await comesTo(cloud, { spot: 2, onDemand: 0 });
        const held: number[] = [];
        const look = ({ spot, onDemand }: Markets): void => void held.push(spot + onDemand);
        await change(cloud, { mix: mix(1, 0) });
        await comesTo(cloud, { spot: 1, onDemand: 1 }, look);
        await change(cloud, { mix: mix(0, 0) });
        await comesTo(cloud, { spot: 2, onDemand: 0 }, look);
        expect(Math.min(...held)).toBe(2);
        expect(Math.max(...held)).toBe(3);
      }),
  },
];
