import { nothing, type Operations, operation } from '../operation.ts';
import { findGroup, invalid, type Scaling } from './group.ts';
import { deregisterTargets, registerTargets } from './member-life.ts';
import { noteResumed } from './numbers.ts';

type Named = { AutoScalingGroupName: string };

const allProcesses = [
  'Launch',
  'Terminate',
  'AddToLoadBalancer',
  'AlarmNotification',
  'AZRebalance',
  'HealthCheck',
  'InstanceRefresh',
  'ReplaceUnhealthy',
  'ScheduledActions',
];

type Processes = Named & { ScalingProcesses?: string[] };

/** Without names all processes are meant. */
const processesOf = ({ ScalingProcesses: names }: Processes): readonly string[] => {
  const unknown = names?.find((name) => !allProcesses.includes(name));
  if (unknown !== undefined) throw invalid(`Invalid scaling process: ${unknown}`);
  return names?.length ? names : allProcesses;
};

export const settingOperations = (scaling: Scaling): Operations => ({
  SuspendProcesses: operation<Processes>((input) => {
    const group = findGroup(scaling, input.AutoScalingGroupName);
    for (const name of processesOf(input)) group.suspended.add(name);
    return nothing;
  }),
  ResumeProcesses: operation<Processes>((input) => {
    const group = findGroup(scaling, input.AutoScalingGroupName);
    const resumed = processesOf(input);
    for (const name of resumed) group.suspended.delete(name);
    noteResumed(scaling, group, resumed);
    scaling.wake(group);
    return nothing;
  }),
  AttachLoadBalancerTargetGroups: operation<Named & { TargetGroupARNs: string[] }>((input) => {
    const group = findGroup(scaling, input.AutoScalingGroupName);
    for (const arn of input.TargetGroupARNs) scaling.targetBook.byArn(arn);
    group.targetGroups = [...new Set([...group.targetGroups, ...input.TargetGroupARNs])];
    for (const member of group.members.values()) if (member.state === 'InService') registerTargets(scaling, group, member);
    return nothing;
  }),
  DetachLoadBalancerTargetGroups: operation<Named & { TargetGroupARNs: string[] }>((input) => {
    const group = findGroup(scaling, input.AutoScalingGroupName);
    const detached = { ...group, targetGroups: input.TargetGroupARNs };
    for (const member of group.members.values()) deregisterTargets(scaling, detached, member);
    group.targetGroups = group.targetGroups.filter((arn) => !input.TargetGroupARNs.includes(arn));
    return nothing;
  }),
  DescribeLoadBalancerTargetGroups: operation<Named>((input) => ({
    LoadBalancerTargetGroups: findGroup(scaling, input.AutoScalingGroupName).targetGroups.map((LoadBalancerTargetGroupARN) => ({
      LoadBalancerTargetGroupARN,
      State: 'InService',
    })),
  })),
});
