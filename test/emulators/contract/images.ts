import { ResumeProcessesCommand, SuspendProcessesCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeImagesCommand, DescribeInstanceStatusCommand, DescribeInstanceTypesCommand } from '@aws-sdk/client-ec2';
import { expect } from 'vitest';
import { groups, instanceType } from './cloud.ts';
import type { Expectation } from './expectation.ts';
import { api, launchRunning } from './instances.ts';
import { groupNamed, api as scalingApi } from './members.ts';

/** What runs on what, and whether an instance is well. */
export const imagesAndChecks: readonly Expectation[] = [
  {
    call: 'DescribeImages',
    rule: 'with a filter leaves out images that do not exist, without an error',
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Filtering.html',
    async check({ ec2 }) {
      const Filters = [{ Name: 'image-id', Values: ['ami-00000000000000000'] }];
      const { Images = [] } = await ec2.send(new DescribeImagesCommand({ Filters, IncludeDeprecated: true }));
      expect(Images).toEqual([]);
    },
  },
  {
    call: 'DescribeInstanceTypes',
    rule: 'returns the architectures that a type runs, and leaves out types that do not exist',
    source: api('DescribeInstanceTypes'),
    differs: { ministack: 'the filter instance-type is not known, and a filter that is not known lets everything through' },
    async check({ ec2 }) {
      const Filters = [{ Name: 'instance-type', Values: [instanceType, 'm7g.lrge'] }];
      const { InstanceTypes = [] } = await ec2.send(new DescribeInstanceTypesCommand({ Filters }));
      expect(InstanceTypes.map(({ InstanceType, ProcessorInfo }) => [InstanceType, ProcessorInfo?.SupportedArchitectures])).toEqual([
        [instanceType, ['arm64']],
      ]);
    },
  },
  {
    call: 'DescribeInstanceStatus',
    rule: 'returns the system check and the instance check of a running instance',
    source: api('DescribeInstanceStatus'),
    async check(cloud) {
      const InstanceIds = await launchRunning(cloud);
      const { InstanceStatuses = [] } = await cloud.ec2.send(new DescribeInstanceStatusCommand({ InstanceIds }));
      expect(InstanceStatuses.map(({ InstanceId }) => InstanceId)).toEqual(InstanceIds);
      for (const { SystemStatus, InstanceStatus } of InstanceStatuses)
        for (const status of [SystemStatus?.Status, InstanceStatus?.Status]) expect(['ok', 'initializing']).toContain(status);
    },
  },
];

export const processes: readonly Expectation[] = [
  {
    call: 'SuspendProcesses',
    rule: 'suspends the processes that it names, and no other',
    source: scalingApi('SuspendProcesses'),
    cannot: { ministack: 'the call does not exist there' },
    async check(cloud) {
      const AutoScalingGroupName = groups.full;
      await cloud.autoScaling.send(new SuspendProcessesCommand({ AutoScalingGroupName, ScalingProcesses: ['Launch', 'Terminate'] }));
      const { SuspendedProcesses = [] } = await groupNamed(cloud, AutoScalingGroupName);
      await cloud.autoScaling.send(new ResumeProcessesCommand({ AutoScalingGroupName, ScalingProcesses: ['Launch', 'Terminate'] }));
      expect(SuspendedProcesses.map(({ ProcessName }) => ProcessName).toSorted()).toEqual(['Launch', 'Terminate']);
    },
  },
  {
    call: 'ResumeProcesses',
    rule: 'resumes the processes that it names and leaves the others suspended',
    source: scalingApi('ResumeProcesses'),
    cannot: { ministack: 'the call does not exist there' },
    async check(cloud) {
      const AutoScalingGroupName = groups.full;
      await cloud.autoScaling.send(new SuspendProcessesCommand({ AutoScalingGroupName, ScalingProcesses: ['Launch', 'Terminate'] }));
      await cloud.autoScaling.send(new ResumeProcessesCommand({ AutoScalingGroupName, ScalingProcesses: ['Launch'] }));
      const { SuspendedProcesses = [] } = await groupNamed(cloud, AutoScalingGroupName);
      await cloud.autoScaling.send(new ResumeProcessesCommand({ AutoScalingGroupName, ScalingProcesses: ['Terminate'] }));
      expect(SuspendedProcesses.map(({ ProcessName }) => ProcessName)).toEqual(['Terminate']);
    },
  },
];
