import {
  AttachInstancesCommand,
  type AutoScalingGroup,
  DescribeAutoScalingGroupsCommand,
  LaunchInstancesCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { eventually } from '../eventually.ts';
import { type Cloud, groups } from './cloud.ts';

export const api = (operation: string): string => `https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_${operation}.html`;
export const attaching = 'https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-detach-attach-instances.html';
export const hooks = 'https://docs.aws.amazon.com/autoscaling/ec2/userguide/lifecycle-hooks.html';
export const absentId = 'i-0bbbbbbbbbbbbbbbb';

export const groupNamed = async ({ autoScaling }: Cloud, name: string): Promise<AutoScalingGroup> => {
  const { AutoScalingGroups = [] } = await autoScaling.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name], MaxRecords: 100 }));
  const [found] = AutoScalingGroups;
  if (found === undefined) throw new Error(`There is no group ${name}`);
  return found;
};

export const inService = (cloud: Cloud, name: string): Promise<readonly string[]> =>
  eventually(
    `members of ${name} in service`,
    async () => {
      const { Instances = [] } = await groupNamed(cloud, name);
      const ready = Instances.filter(({ LifecycleState }) => LifecycleState === 'InService').map(({ InstanceId }) => InstanceId ?? '');
      return ready.length > 0 && ready;
    },
    20_000,
  );

export const attach = ({ autoScaling }: Cloud, name: string, InstanceIds: readonly string[]) =>
  autoScaling.send(new AttachInstancesCommand({ AutoScalingGroupName: name, InstanceIds: [...InstanceIds] }));

export const end = ({ autoScaling }: Cloud, name: string, InstanceIds: readonly string[]) =>
  autoScaling.send(
    new TerminateInstanceInAutoScalingGroupCommand({
      AutoScalingGroupName: name,
      InstanceIds: [...InstanceIds],
      ShouldDecrementDesiredCapacity: true,
    }),
  );

export const bringIn = async (cloud: Cloud, count: number, token = `in-${Math.random()}`): Promise<string[]> => {
  const command = new LaunchInstancesCommand({
    AutoScalingGroupName: groups.plain,
    RequestedCapacity: count,
    ClientToken: token,
    RetryStrategy: 'none',
  });
  const { Instances = [] } = await cloud.autoScaling.send(command);
  return Instances.flatMap(({ InstanceIds = [] }) => InstanceIds);
};

/** Leaves the group as it was found, so that the next check has the same room. */
export const tidily = async (cloud: Cloud, name: string, work: () => Promise<void>): Promise<void> => {
  const before = new Set((await groupNamed(cloud, name)).Instances?.map(({ InstanceId }) => InstanceId));
  try {
    await work();
  } finally {
    const now = (await groupNamed(cloud, name)).Instances ?? [];
    const added = now.flatMap(({ InstanceId = '', LifecycleState = '' }) =>
      before.has(InstanceId) || /^Terminat/.test(LifecycleState) ? [] : [InstanceId],
    );
    for (const InstanceId of added) {
      await cloud.autoScaling.send(new TerminateInstanceInAutoScalingGroupCommand({ InstanceId, ShouldDecrementDesiredCapacity: true }));
    }
  }
};

export const noLaunchInstances = 'the call does not exist there';
export const noMembers = 'the call does not exist there, and members are no instances of EC2';
export const hooksHoldNobody = 'a hook holds nobody there';
