import { describeTemplate, type Group, type GroupTag, type Member, type Scaling, zonesOf } from './group.ts';
import { weightOf } from './units.ts';

export const describeMember = (group: Group, member: Member, zoneId: (zone: string) => string) => ({
  InstanceId: member.instance.id,
  InstanceType: member.instance.instanceType,
  AvailabilityZone: member.instance.zone,
  AvailabilityZoneId: zoneId(member.instance.zone),
  LifecycleState: member.state,
  HealthStatus: member.healthy ? 'Healthy' : 'Unhealthy',
  LaunchTemplate: describeTemplate(group),
  ProtectedFromScaleIn: member.isProtected,
  ...(group.weights && { WeightedCapacity: String(weightOf(group, member.instance.instanceType)) }),
});

export const describeTag = (group: Group, { Key, Value, PropagateAtLaunch }: GroupTag) => ({
  ResourceId: group.name,
  ResourceType: 'auto-scaling-group',
  Key,
  Value,
  PropagateAtLaunch,
});

const describePolicy = (group: Group) => {
  if (group.isPlain || group.mixed === undefined) return { LaunchTemplate: describeTemplate(group) };
  const { base, percentAbove, spotStrategy } = group.mixed;
  return {
    MixedInstancesPolicy: {
      LaunchTemplate: {
        LaunchTemplateSpecification: describeTemplate(group),
        Overrides: group.instanceTypes.map((InstanceType) => ({
          InstanceType,
          ...(group.weights && { WeightedCapacity: String(weightOf(group, InstanceType)) }),
        })),
      },
      InstancesDistribution: {
        OnDemandAllocationStrategy: 'prioritized',
        OnDemandBaseCapacity: base,
        OnDemandPercentageAboveBaseCapacity: percentAbove,
        SpotAllocationStrategy: spotStrategy,
      },
    },
  };
};

export const describeGroup = ({ base, network }: Scaling, group: Group) => ({
  AutoScalingGroupName: group.name,
  AutoScalingGroupARN: group.arn,
  ...describePolicy(group),
  MinSize: group.min,
  MaxSize: group.max,
  DesiredCapacity: group.desired,
  DefaultCooldown: 300,
  AvailabilityZones: zonesOf(group),
  LoadBalancerNames: [],
  TargetGroupARNs: group.targetGroups,
  HealthCheckType: group.healthCheckType,
  HealthCheckGracePeriod: group.gracePeriodSeconds,
  Instances: [...group.members.values()].map((member) => describeMember(group, member, network.zoneId)),
  CreatedTime: new Date(group.createdAtMs),
  SuspendedProcesses: [...group.suspended].map((ProcessName) => ({ ProcessName, SuspensionReason: 'User suspended' })),
  VPCZoneIdentifier: group.subnets.map(({ id }) => id).join(','),
  EnabledMetrics: [],
  ...(group.deleting ? { Status: 'Delete in progress' } : {}),
  Tags: group.tags.map((tag) => describeTag(group, tag)),
  TerminationPolicies: ['Default'],
  NewInstancesProtectedFromScaleIn: group.protectsNew,
  DeletionProtection: group.deletionProtection,
  ServiceLinkedRoleARN: `arn:aws:iam::${base.place.accountId}:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling`,
  CapacityRebalance: group.rebalancesCapacity,
  ...(group.warmPool && {
    WarmPoolConfiguration: { MinSize: group.warmPool.size, PoolState: group.warmPool.state },
    WarmPoolSize: [...group.members.values()].filter(({ state }) => state.startsWith('Warmed:')).length,
  }),
  TrafficSources: group.targetGroups.map((Identifier) => ({ Identifier, Type: 'elbv2' })),
});
