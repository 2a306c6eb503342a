import {
  CompleteLifecycleActionCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeLifecycleHooksCommand,
  RecordLifecycleActionHeartbeatCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { expect } from 'vitest';
import {
  attachedTo,
  codeOf,
  instancesNamedIn,
  isAboveMax,
  isBelowMin,
  isNoActiveLifecycleAction,
  isNotRunningYet,
  isUnknownInstance,
} from '../../../aws/calls/errors.ts';
import { eventually } from '../eventually.ts';
import { risksAndWeights } from './capacity-rebalancing.ts';
import { type Cloud, groups, instanceType } from './cloud.ts';
import { type Expectation, refusal } from './expectation.ts';
import { processes } from './images.ts';
import { launch, launchRunning } from './instances.ts';
import { launchInstances } from './launch-instances.ts';
import { absentId, api, attach, attaching, end, groupNamed, hooks, hooksHoldNobody, inService, noMembers, tidily } from './members.ts';
import { mixedInstances } from './mixed-instances.ts';

const describing: readonly Expectation[] = [
  {
    call: 'DescribeAutoScalingGroups',
    rule: 'returns sizes, suspended processes, target groups, and each member with its lifecycle state, health and protection',
    source: api('AutoScalingGroup'),
    async check(cloud) {
      await inService(cloud, groups.plain);
      const found = await groupNamed(cloud, groups.plain);
      expect(found).toMatchObject({ AutoScalingGroupName: groups.plain, MinSize: 0, MaxSize: 4, DesiredCapacity: expect.any(Number) });
      expect(found.VPCZoneIdentifier).toBe(cloud.subnets[0]);
      expect(found.SuspendedProcesses ?? []).toEqual([]);
      expect(found.Instances?.[0]).toMatchObject({ LifecycleState: 'InService', HealthStatus: 'Healthy', ProtectedFromScaleIn: false });
      expect(found.Instances?.[0]?.InstanceId).toMatch(/^i-/);
    },
  },
  {
    call: 'DescribeAutoScalingGroups',
    rule: 'leaves out a name that no group has, without an error',
    source: api('DescribeAutoScalingGroups'),
    async check({ autoScaling }) {
      const command = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: ['nobody', groups.plain] });
      const { AutoScalingGroups = [] } = await autoScaling.send(command);
      expect(AutoScalingGroups.map(({ AutoScalingGroupName }) => AutoScalingGroupName)).toEqual([groups.plain]);
    },
  },
  {
    call: 'DescribeAutoScalingGroups',
    rule: 'gives at most MaxRecords groups a page, and NextToken while there are more; each group once',
    source: api('DescribeAutoScalingGroups'),
    differs: { ministack: 'MaxRecords is ignored: everything is one page' },
    async check({ autoScaling }) {
      const seen: (string | undefined)[] = [];
      let pages = 0;
      let NextToken: string | undefined;
      do {
        const page = await autoScaling.send(new DescribeAutoScalingGroupsCommand({ MaxRecords: 1, ...(NextToken && { NextToken }) }));
        seen.push(...(page.AutoScalingGroups ?? []).map(({ AutoScalingGroupName }) => AutoScalingGroupName));
        NextToken = page.NextToken;
        pages += 1;
      } while (NextToken);
      expect(seen.toSorted()).toEqual(Object.values(groups).toSorted());
      expect(pages).toBeGreaterThan(1);
    },
  },
  {
    call: 'DescribeAutoScalingGroups',
    rule: 'reports launch template, instance types and market in the mixed instances policy',
    source: api('MixedInstancesPolicy'),
    differs: { ministack: 'the policy is not kept' },
    async check(cloud) {
      const { MixedInstancesPolicy: mixed } = await groupNamed(cloud, groups.plain);
      expect(mixed?.LaunchTemplate?.LaunchTemplateSpecification?.LaunchTemplateName).toBe(cloud.template.name);
      expect(mixed?.LaunchTemplate?.Overrides).toMatchObject([{ InstanceType: instanceType }]);
      expect(mixed?.InstancesDistribution).toMatchObject({ OnDemandBaseCapacity: 0, OnDemandPercentageAboveBaseCapacity: 0 });
    },
  },
  {
    call: 'DescribeLifecycleHooks',
    rule: 'returns the heartbeat time-out of each hook requested',
    source: api('DescribeLifecycleHooks'),
    async check({ autoScaling }) {
      const command = new DescribeLifecycleHooksCommand({ AutoScalingGroupName: groups.held, LifecycleHookNames: ['drain'] });
      const { LifecycleHooks = [] } = await autoScaling.send(command);
      expect(LifecycleHooks).toMatchObject([{ LifecycleHookName: 'drain', HeartbeatTimeout: 600 }]);
    },
  },
  {
    call: 'UpdateAutoScalingGroup',
    rule: 'changes the sizes that it names and leaves the others',
    source: api('UpdateAutoScalingGroup'),
    async check(cloud) {
      const update = (MaxSize: number) => cloud.autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: groups.held, MaxSize }));
      const before = await groupNamed(cloud, groups.held);
      await update(6);
      expect(await groupNamed(cloud, groups.held)).toMatchObject({ MinSize: before.MinSize, MaxSize: 6, DesiredCapacity: before.DesiredCapacity });
      await update(4);
    },
  },
];

const sizes: readonly Expectation[] = [
  {
    call: 'UpdateAutoScalingGroup',
    rule: 'with a MaxSize below the desired capacity lowers that too',
    source: api('UpdateAutoScalingGroup'),
    differs: { ministack: 'the desired capacity stays' },
    async check(cloud) {
      const update = (change: object) => cloud.autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: groups.held, ...change }));
      await inService(cloud, groups.held);
      await update({ MinSize: 0, MaxSize: 0 });
      const { DesiredCapacity } = await groupNamed(cloud, groups.held);
      await update({ MaxSize: 4, DesiredCapacity: 1 });
      expect(DesiredCapacity).toBe(0);
    },
  },
  {
    call: 'UpdateAutoScalingGroup',
    rule: 'of a group that does not exist fails with a ValidationError',
    source: api('UpdateAutoScalingGroup'),
    async check({ autoScaling }) {
      const error = await refusal(autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: 'nobody', MaxSize: 1 })));
      expect(codeOf(error)).toBe('ValidationError');
    },
  },
];

const attachInstances: readonly Expectation[] = [
  {
    call: 'AttachInstances',
    rule: 'takes a running instance in and raises the desired capacity by one',
    source: attaching,
    cannot: { ministack: noMembers },
    async check(cloud) {
      await inService(cloud, groups.plain);
      await tidily(cloud, groups.plain, async () => {
        const before = (await groupNamed(cloud, groups.plain)).DesiredCapacity ?? 0;
        const { subnets } = cloud;
        const [id = ''] = await launchRunning({ ...cloud, subnets: [subnets[1], subnets[0]] });
        await attach(cloud, groups.plain, [id]);
        const after = await groupNamed(cloud, groups.plain);
        expect(after.DesiredCapacity).toBe(before + 1);
        expect(after.Instances?.map(({ InstanceId }) => InstanceId)).toContain(id);
      });
    },
  },
  {
    call: 'AttachInstances',
    rule: 'above the maximum size fails as a whole with a ValidationError',
    source: attaching,
    cannot: { ministack: noMembers },
    differs: { moto: 'the code is ResourceContention; Auto Scaling returns ValidationError' },
    async check(cloud) {
      const { subnets } = cloud;
      const ids = await launchRunning({ ...cloud, subnets: [subnets[1], subnets[0]] }, 1);
      const error = await refusal(attach(cloud, groups.full, ids));
      await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: ids }));
      expect(isAboveMax(error)).toBe(true);
    },
  },
  {
    call: 'AttachInstances',
    rule: 'of an instance that is in a group already fails with a ValidationError that names the group',
    source: attaching,
    cannot: { ministack: noMembers },
    differs: { moto: 'it is accepted, and the desired capacity rises' },
    async check(cloud) {
      const ids = await inService(cloud, groups.plain);
      expect(attachedTo(await refusal(attach(cloud, groups.held, ids.slice(0, 1))))).toBe(groups.plain);
    },
  },
  {
    call: 'AttachInstances',
    rule: 'repeated for a member fails with a ValidationError that names its own group, and changes nothing',
    source: attaching,
    cannot: { ministack: noMembers },
    differs: { moto: 'it is accepted, and the desired capacity rises' },
    async check(cloud) {
      const ids = await inService(cloud, groups.plain);
      const before = (await groupNamed(cloud, groups.plain)).DesiredCapacity;
      expect(attachedTo(await refusal(attach(cloud, groups.plain, ids.slice(0, 1))))).toBe(groups.plain);
      expect((await groupNamed(cloud, groups.plain)).DesiredCapacity).toBe(before);
    },
  },
  {
    call: 'AttachInstances',
    rule: 'of an id that EC2 does not know fails with a ValidationError that names the id, and changes nothing',
    source: attaching,
    cannot: { ministack: noMembers },
    differs: { moto: 'it fails, but with the desired capacity raised and another code' },
    async check(cloud) {
      const error = await refusal(attach(cloud, groups.held, [absentId]));
      expect(isUnknownInstance(error)).toBe(true);
      expect(instancesNamedIn(error)).toEqual([absentId]);
      expect((await groupNamed(cloud, groups.held)).DesiredCapacity).toBe(1);
    },
  },
  {
    call: 'AttachInstances',
    rule: 'of an instance that is not running yet fails with a ValidationError',
    source: attaching,
    cannot: { ministack: noMembers, moto: 'instances run at once: none is pending' },
    async check(cloud) {
      const [id = ''] = await launch({ ...cloud, subnets: [cloud.subnets[1], cloud.subnets[0]] }, 1);
      const error = await refusal(attach(cloud, groups.held, [id]));
      await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
      expect(isNotRunningYet(error)).toBe(true);
    },
  },
];

const noInstanceIds = { ministack: 'the call does not exist there', moto: 'InstanceIds is not known there: the server fails' };

const terminating: readonly Expectation[] = [
  {
    call: 'TerminateInstanceInAutoScalingGroup',
    rule: 'with decrement takes the instances named in InstanceIds out and lowers the desired capacity by as many',
    source: api('TerminateInstanceInAutoScalingGroup'),
    cannot: noInstanceIds,
    async check(cloud) {
      const [id = ''] = await inService(cloud, groups.plain);
      const before = (await groupNamed(cloud, groups.plain)).DesiredCapacity ?? 0;
      await end(cloud, groups.plain, [id]);
      const after = await groupNamed(cloud, groups.plain);
      const size = (DesiredCapacity: number) => new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: groups.plain, DesiredCapacity });
      await cloud.autoScaling.send(size(before));
      expect(after.DesiredCapacity).toBe(before - 1);
      expect(after.Instances?.find(({ InstanceId }) => InstanceId === id)?.LifecycleState ?? 'Terminated').toMatch(/^Terminat/);
    },
  },
  {
    call: 'TerminateInstanceInAutoScalingGroup',
    rule: 'with decrement at the minimum size fails with a ValidationError and ends nothing',
    source: api('TerminateInstanceInAutoScalingGroup'),
    cannot: noInstanceIds,
    async check(cloud) {
      const [id = ''] = await inService(cloud, groups.full);
      expect(isBelowMin(await refusal(end(cloud, groups.full, [id])))).toBe(true);
      expect(await inService(cloud, groups.full)).toEqual([id]);
    },
  },
  {
    call: 'TerminateInstanceInAutoScalingGroup',
    rule: 'with an id that is in no group fails with a ValidationError that names it',
    source: api('TerminateInstanceInAutoScalingGroup'),
    cannot: noInstanceIds,
    async check(cloud) {
      const error = await refusal(end(cloud, groups.held, [absentId]));
      expect(isUnknownInstance(error)).toBe(true);
      expect(instancesNamedIn(error)).toEqual([absentId]);
    },
  },
];

const action = (InstanceId: string) => ({ AutoScalingGroupName: groups.held, LifecycleHookName: 'drain', InstanceId });
const complete = ({ autoScaling }: Cloud, id: string) =>
  autoScaling.send(new CompleteLifecycleActionCommand({ ...action(id), LifecycleActionResult: 'CONTINUE' }));
const beat = ({ autoScaling }: Cloud, id: string) => autoScaling.send(new RecordLifecycleActionHeartbeatCommand(action(id)));

/** A member of the group with the hook, held by it. */
const heldMember = async (cloud: Cloud): Promise<string> => {
  const [id = ''] = await inService(cloud, groups.held);
  await end(cloud, groups.held, [id]);
  await eventually('Terminating:Wait', async () => {
    const { Instances = [] } = await groupNamed(cloud, groups.held);
    return Instances.find(({ InstanceId }) => InstanceId === id)?.LifecycleState === 'Terminating:Wait';
  });
  await cloud.autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: groups.held, DesiredCapacity: 1 }));
  return id;
};

const lifecycle: readonly Expectation[] = [
  {
    call: 'RecordLifecycleActionHeartbeat',
    rule: 'prolongs the hook of an instance that waits; CompleteLifecycleAction ends it; either, once it is over, fails with a ValidationError',
    source: hooks,
    cannot: { ministack: hooksHoldNobody, moto: hooksHoldNobody },
    async check(cloud) {
      const id = await heldMember(cloud);
      await beat(cloud, id);
      await complete(cloud, id);
      expect(isNoActiveLifecycleAction(await refusal(complete(cloud, id)))).toBe(true);
      expect(isNoActiveLifecycleAction(await refusal(beat(cloud, id)))).toBe(true);
    },
  },
  {
    call: 'CompleteLifecycleAction',
    rule: 'for an instance that no hook holds fails with ValidationError: No active Lifecycle Action found',
    source: hooks,
    differs: { ministack: 'it is accepted', moto: 'the call does not exist there: the server fails' },
    async check(cloud) {
      const [id = ''] = await inService(cloud, groups.held);
      expect(isNoActiveLifecycleAction(await refusal(complete(cloud, id)))).toBe(true);
    },
  },
];

export const autoScaling: readonly Expectation[] = [
  ...describing,
  ...sizes,
  ...attachInstances,
  ...launchInstances,
  ...mixedInstances,
  ...risksAndWeights,
  ...terminating,
  ...lifecycle,
  ...processes,
];
