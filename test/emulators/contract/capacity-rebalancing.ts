import {
  CompleteLifecycleActionCommand,
  CreateAutoScalingGroupCommand,
  DeleteAutoScalingGroupCommand,
  type MixedInstancesPolicy,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import { type Cloud, instanceType } from './cloud.ts';
import { type Expectation, refusal } from './expectation.ts';
import { api, groupNamed } from './members.ts';

const guide = 'https://docs.aws.amazon.com/autoscaling/ec2/userguide';
const rebalancing = `${guide}/ec2-auto-scaling-capacity-rebalancing.html`;
const maintenance = `${guide}/instance-maintenance-policy-overview-and-considerations.html`;
const weighting = `${guide}/ec2-auto-scaling-mixed-instances-groups-instance-weighting.html`;
const withoutRisk = { cannot: { ministack: 'nobody advises to replace an instance there', moto: 'nobody advises to replace an instance there' } };

const name = 'at-risk';
const hook = 'drain';

type Sizes = { readonly desired: number; readonly max: number };

const policyOf = ({ template }: Cloud, weight?: string): MixedInstancesPolicy => ({
  LaunchTemplate: {
    LaunchTemplateSpecification: { LaunchTemplateName: template.name, Version: '$Default' },
    Overrides: [{ InstanceType: instanceType, ...(weight && { WeightedCapacity: weight }) }],
  },
  InstancesDistribution: { OnDemandBaseCapacity: 0, OnDemandPercentageAboveBaseCapacity: 0, SpotAllocationStrategy: 'price-capacity-optimized' },
});

const create = (cloud: Cloud, { desired, max }: Sizes, weight?: string) =>
  cloud.autoScaling.send(
    new CreateAutoScalingGroupCommand({
      AutoScalingGroupName: name,
      MinSize: 0,
      MaxSize: max,
      DesiredCapacity: desired,
      VPCZoneIdentifier: cloud.subnets[0],
      MixedInstancesPolicy: policyOf(cloud, weight),
      ...(weight === undefined && {
        CapacityRebalance: true,
        LifecycleHookSpecificationList: [
          { LifecycleHookName: hook, LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING', HeartbeatTimeout: 7_200 },
        ],
      }),
    }),
  );

const remove = (cloud: Cloud) => cloud.autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: name, ForceDelete: true }));

const membersOf = async (cloud: Cloud) => (await groupNamed(cloud, name)).Instances ?? [];
const idsIn = async (cloud: Cloud, state: RegExp): Promise<readonly string[]> =>
  (await membersOf(cloud)).flatMap(({ InstanceId = '', LifecycleState = '' }) => (state.test(LifecycleState) ? [InstanceId] : []));

const comesTo = (cloud: Cloud, state: RegExp, count: number): Promise<readonly string[]> =>
  eventually(
    `${count} members in ${state.source}`,
    async () => {
      const ids = await idsIn(cloud, state);
      return ids.length === count && ids;
    },
    20_000,
  );
/** Long enough for two more looks of the group at itself. */
const twoLooks = (): Promise<void> => new Promise((done) => setTimeout(done, 700));

const withGroup = async (cloud: Cloud, sizes: Sizes, weight: string | undefined, work: (first: readonly string[]) => Promise<void>) => {
  await create(cloud, sizes, weight);
  try {
    await work(await comesTo(cloud, /^InService$/, Math.ceil(sizes.desired / Number(weight ?? 1))));
  } finally {
    await remove(cloud);
  }
};

const risks: readonly Expectation[] = [
  {
    call: 'CreateAutoScalingGroup',
    rule: 'with Capacity Rebalancing launches another spot member for one that EC2 recommends to rebalance, and ends that one with its hook once the new one is in service',
    source: rebalancing,
    ...withoutRisk,
    check: (cloud) =>
      withGroup(cloud, { desired: 2, max: 4 }, undefined, async ([id = '']) => {
        cloud.world?.recommendRebalance([id]);
        await comesTo(cloud, /^Pending/, 1);
        expect(await idsIn(cloud, /^InService$/)).toContain(id);
        expect(await comesTo(cloud, /^Terminating:Wait$/, 1)).toEqual([id]);
        expect(await idsIn(cloud, /^InService$/)).toHaveLength(2);
        const action = { AutoScalingGroupName: name, LifecycleHookName: hook, InstanceId: id };
        await cloud.autoScaling.send(new CompleteLifecycleActionCommand({ ...action, LifecycleActionResult: 'CONTINUE' }));
        await eventually('the member is gone', async () => (await membersOf(cloud)).length === 2, 20_000);
      }),
  },
  {
    call: 'CreateAutoScalingGroup',
    rule: 'with Capacity Rebalancing exceeds its maximum size for that by up to 10 percent of its desired capacity',
    source: maintenance,
    ...withoutRisk,
    check: (cloud) =>
      withGroup(cloud, { desired: 10, max: 10 }, undefined, async (ids) => {
        cloud.world?.recommendRebalance(ids.slice(0, 3));
        await comesTo(cloud, /^Pending/, 1);
        await twoLooks();
        expect((await idsIn(cloud, /^(Pending|InService)/)).length).toBeLessThanOrEqual(11);
      }),
  },
  {
    call: 'CreateAutoScalingGroup',
    rule: 'with Capacity Rebalancing begins the end of a member with its hook when EC2 gives notice, and launches another one at once',
    source: rebalancing,
    ...withoutRisk,
    check: (cloud) =>
      withGroup(cloud, { desired: 1, max: 2 }, undefined, async ([id = '']) => {
        cloud.world?.interrupt([id], { noticeMs: 120_000 });
        expect(await comesTo(cloud, /^Terminating:Wait$/, 1)).toEqual([id]);
        expect(await idsIn(cloud, /^(Pending|InService)/)).toHaveLength(1);
      }),
  },
];

const weights: readonly Expectation[] = [
  {
    call: 'CreateAutoScalingGroup',
    rule: 'with weights launches until its desired capacity is there in units, also where that exceeds it, and shows the weight of each member',
    source: weighting,
    cannot: { ministack: 'the policy is not kept' },
    differs: { moto: 'no member has a weight' },
    check: (cloud) =>
      withGroup(cloud, { desired: 5, max: 6 }, '2', async () => {
        expect((await membersOf(cloud)).map(({ WeightedCapacity }) => WeightedCapacity)).toEqual(['2', '2', '2']);
      }),
  },
  {
    call: 'UpdateAutoScalingGroup',
    rule: 'with weights and a smaller desired capacity keeps at least that many units',
    source: weighting,
    cannot: { ministack: 'the policy is not kept' },
    differs: { moto: 'once its size changes, each member counts as one unit' },
    check: (cloud) =>
      withGroup(cloud, { desired: 6, max: 6 }, '2', async () => {
        const resize = (DesiredCapacity: number) =>
          cloud.autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: name, DesiredCapacity }));
        await resize(5);
        await twoLooks();
        expect(await idsIn(cloud, /^InService$/)).toHaveLength(3);
        await resize(4);
        await comesTo(cloud, /^InService$/, 2);
      }),
  },
  {
    call: 'CreateAutoScalingGroup',
    rule: 'with weights for some of its instance types and none for others fails with a ValidationError',
    source: api('LaunchTemplateOverrides'),
    cannot: { ministack: 'the policy is not kept' },
    differs: { moto: 'it is accepted' },
    async check(cloud) {
      const policy = policyOf(cloud, '2');
      const Overrides = [...(policy.LaunchTemplate?.Overrides ?? []), { InstanceType: 'm6g.large' }];
      const command = new CreateAutoScalingGroupCommand({
        AutoScalingGroupName: name,
        MinSize: 0,
        MaxSize: 4,
        VPCZoneIdentifier: cloud.subnets[0],
        MixedInstancesPolicy: { ...policy, LaunchTemplate: { ...policy.LaunchTemplate, Overrides } },
      });
      expect(await refusal(cloud.autoScaling.send(command).finally(() => remove(cloud).catch(() => undefined)))).toMatchObject({
        name: 'ValidationError',
      });
    },
  },
];

/** How a group replaces members at risk, and what instances with weights count. */
export const risksAndWeights: readonly Expectation[] = [...risks, ...weights];
