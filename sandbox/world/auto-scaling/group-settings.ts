import type { TemplateSpecification } from '../ec2/launch-templates.ts';
import type { Subnet } from '../network.ts';
import { type DeletionProtection, deletionProtections, type Group, type GroupTag, invalid, type Scaling } from './group.ts';
import type { HookInput } from './hook-operations.ts';
import { weightsIn } from './units.ts';

export type TagInput = { readonly ResourceId?: string; readonly Key?: string; readonly Value?: string; readonly PropagateAtLaunch?: boolean };

export type GroupInput = {
  AutoScalingGroupName: string;
  MinSize?: number;
  MaxSize?: number;
  DesiredCapacity?: number;
  LaunchTemplate?: TemplateSpecification;
  LaunchConfigurationName?: string;
  InstanceId?: string;
  MixedInstancesPolicy?: {
    LaunchTemplate?: { LaunchTemplateSpecification?: TemplateSpecification; Overrides?: { InstanceType?: string; WeightedCapacity?: string }[] };
    InstancesDistribution?: {
      OnDemandBaseCapacity?: number;
      OnDemandPercentageAboveBaseCapacity?: number;
      SpotAllocationStrategy?: string;
      DistributionSegments?: unknown[];
    };
  };
  VPCZoneIdentifier?: string;
  AvailabilityZones?: string[];
  TargetGroupARNs?: string[];
  HealthCheckType?: string;
  HealthCheckGracePeriod?: number;
  NewInstancesProtectedFromScaleIn?: boolean;
  CapacityRebalance?: boolean;
  DeletionProtection?: string;
  DesiredCapacityType?: string;
  Tags?: TagInput[];
  LifecycleHookSpecificationList?: HookInput[];
};

export const toGroupTag = ({ Key = '', Value = '', PropagateAtLaunch = false }: TagInput): GroupTag => ({ Key, Value, PropagateAtLaunch });

export const subnetsOf = ({ network }: Scaling, input: GroupInput): readonly Subnet[] => {
  const ids = input.VPCZoneIdentifier?.split(',').map((id) => id.trim());
  if (ids === undefined) return (input.AvailabilityZones ?? []).flatMap((zone) => network.inZone(zone) ?? []);
  return ids.map((id) => {
    const subnet = network.find(id);
    if (subnet === undefined) throw invalid(`The subnet ID '${id}' does not exist`);
    return subnet;
  });
};

type Launching = Pick<Group, 'template' | 'instanceTypes' | 'isPlain' | 'mixed' | 'weights'>;

/** Which template, types and markets the group launches. AWS's own default for a policy is all on demand. */
export const launchingOf = ({ templates }: Scaling, input: GroupInput, before: Pick<Group, 'weights'> = {}): Launching => {
  const policy = input.MixedInstancesPolicy;
  const weights = weightsIn(policy?.LaunchTemplate?.Overrides ?? [], before.weights);
  const specification = policy?.LaunchTemplate?.LaunchTemplateSpecification ?? input.LaunchTemplate;
  const { reference, data } = templates.resolve(specification);
  // `$Default` and `$Latest` mean the version that is so at each launch (Auto Scaling API Reference, LaunchTemplateSpecification).
  const template = { id: reference.id, name: reference.name, version: specification?.Version ?? '$Default' };
  const overrides = (policy?.LaunchTemplate?.Overrides ?? []).flatMap(({ InstanceType }) => InstanceType ?? []);
  const instanceTypes = overrides.length > 0 ? overrides : [data.InstanceType ?? 'm5.large'];
  const spot = data.InstanceMarketOptions?.MarketType === 'spot';
  if (policy === undefined)
    return {
      template,
      instanceTypes,
      isPlain: true,
      weights,
      ...(spot ? { mixed: { base: 0, percentAbove: 0, spotStrategy: 'lowest-price' } } : {}),
    };
  const distribution = policy.InstancesDistribution ?? {};
  const mixed = {
    base: distribution.OnDemandBaseCapacity ?? 0,
    percentAbove: distribution.OnDemandPercentageAboveBaseCapacity ?? 100,
    spotStrategy: distribution.SpotAllocationStrategy ?? 'lowest-price',
  };
  return { template, instanceTypes, isPlain: false, mixed, weights };
};

/** The setting that a call gives, or else the one that the group has. */
export const protectionOf = ({ DeletionProtection: wanted }: GroupInput, had: DeletionProtection): DeletionProtection => {
  const found = wanted === undefined ? had : deletionProtections.find((one) => one === wanted);
  if (found === undefined) throw invalid(`Invalid deletion protection '${wanted}': expected one of ${deletionProtections.join(', ')}.`);
  return found;
};

export const checkSizes = (min: number, max: number, desired: number): void => {
  if (min > max) throw invalid(`Min size (${min}) must be less than or equal to max size (${max}).`);
  if (desired < min || desired > max) {
    throw invalid(`Desired capacity:${desired} must be between the specified min size:${min} and max size:${max}`);
  }
};

/** What the simulator would ignore is refused by name. */
export const refuseUnknown = (input: GroupInput): void => {
  if (input.LaunchConfigurationName !== undefined) throw invalid('Launch configurations are not simulated: use a launch template.');
  if (input.InstanceId !== undefined) throw invalid('Groups made from an instance are not simulated: use a launch template.');
  if ((input.DesiredCapacityType ?? 'units') !== 'units') throw invalid('Sizes in vCPUs or memory are not simulated: leave out DesiredCapacityType.');
  if ((input.MixedInstancesPolicy?.InstancesDistribution?.DistributionSegments ?? []).length > 0)
    throw invalid('Distribution segments are not simulated: leave out DistributionSegments.');
};

export const buildGroup = (scaling: Scaling, input: GroupInput): Group => {
  const { base, targetBook } = scaling;
  const { MinSize: min = 0, MaxSize: max = 0, AutoScalingGroupName: name } = input;
  const desired = input.DesiredCapacity ?? min;
  checkSizes(min, max, desired);
  const subnets = subnetsOf(scaling, input);
  if (subnets.length === 0) throw invalid('At least one Availability Zone or VPC Subnet is required.');
  for (const arn of input.TargetGroupARNs ?? []) targetBook.byArn(arn);
  return {
    name,
    arn: `arn:aws:autoscaling:${base.place.region}:${base.place.accountId}:autoScalingGroup:${base.ids.uuid()}:autoScalingGroupName/${name}`,
    createdAtMs: base.clock.now(),
    min,
    max,
    desired,
    ...launchingOf(scaling, input),
    subnets,
    targetGroups: [...(input.TargetGroupARNs ?? [])],
    healthCheckType: input.HealthCheckType ?? 'EC2',
    gracePeriodSeconds: input.HealthCheckGracePeriod ?? 0,
    protectsNew: input.NewInstancesProtectedFromScaleIn ?? false,
    deletionProtection: protectionOf(input, 'none'),
    tags: (input.Tags ?? []).map(toGroupTag),
    hooks: new Map(),
    policies: new Map(),
    actions: new Map(),
    suspended: new Set(),
    members: new Map(),
    activities: [],
    deleting: false,
    rebalancesCapacity: input.CapacityRebalance ?? false,
  };
};
