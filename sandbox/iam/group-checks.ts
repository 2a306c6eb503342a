import { arnOf, type CheckDeps, type DeriveChecks, resourceTags, strings } from './access-check.ts';

const groupOfInstance = (deps: CheckDeps, id: string | undefined): string | undefined =>
  id === undefined ? undefined : deps.tagsOf(id)?.['aws:autoscaling:groupName'];

/** Calls that name an instance alone act on the group that it is in. */
const onGroup =
  (operation: string): DeriveChecks =>
  (input, deps) => {
    const instance = typeof input.InstanceId === 'string' ? input.InstanceId : strings(input.InstanceIds)[0];
    const name = typeof input.AutoScalingGroupName === 'string' ? input.AutoScalingGroupName : groupOfInstance(deps, instance);
    const resource = arnOf(deps, 'autoscaling', `autoScalingGroup:*:autoScalingGroupName/${name ?? '*'}`);
    const context = resourceTags('autoscaling', deps.tagsOf(resource));
    return [{ action: `autoscaling:${operation}`, resourceType: 'autoScalingGroup', resource, context }];
  };

const groupOperations = [
  'AttachInstances',
  'DetachInstances',
  'EnterStandby',
  'ExitStandby',
  'LaunchInstances',
  'SetDesiredCapacity',
  'SetInstanceHealth',
  'SetInstanceProtection',
  'SuspendProcesses',
  'ResumeProcesses',
  'TerminateInstanceInAutoScalingGroup',
  'UpdateAutoScalingGroup',
  'CompleteLifecycleAction',
  'RecordLifecycleActionHeartbeat',
];

/** LaunchInstances needs two rights of EC2 beside its own, and passes none of the caller's tags (EC2 Auto Scaling User Guide, synchronous provisioning). */
const launchInstances: DeriveChecks = (input, deps) => [
  ...onGroup('LaunchInstances')(input, deps),
  { action: 'ec2:CreateFleet', resourceType: 'instance', resource: arnOf(deps, 'ec2', 'instance/*'), context: {} },
  { action: 'ec2:DescribeLaunchTemplateVersions', resource: '*', context: {} },
];

export const autoScalingChecks: Readonly<Record<string, DeriveChecks>> = {
  ...Object.fromEntries(groupOperations.map((operation) => [operation, onGroup(operation)])),
  LaunchInstances: launchInstances,
};

const onTargetGroup =
  (operation: string): DeriveChecks =>
  (input, deps) => {
    const resource = String(input.TargetGroupArn);
    const context = resourceTags('elasticloadbalancing', deps.tagsOf(resource));
    return [{ action: `elasticloadbalancing:${operation}`, resourceType: 'targetgroup', resource, context }];
  };

export const loadBalancingChecks: Readonly<Record<string, DeriveChecks>> = {
  RegisterTargets: onTargetGroup('RegisterTargets'),
  DeregisterTargets: onTargetGroup('DeregisterTargets'),
};
