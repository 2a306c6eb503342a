import type { AutoScalingGroup, LaunchTemplateSpecification, MixedInstancesPolicy } from '@aws-sdk/client-auto-scaling';
import type { AsgFacts } from '../core/policy/resolution.ts';
import type { AsgView } from '../core/view/view.ts';

/** The facts about launches in an Auto Scaling group itself. The others are in its launch template. */
export type AsgShape = {
  readonly template: LaunchTemplateSpecification | undefined;
  /** Undefined when the launch template decides. */
  readonly market: AsgFacts['market'] | undefined;
  /** Empty when the launch template decides. */
  readonly instanceTypes: readonly string[];
};

export const subnetIdsOf = (group: AutoScalingGroup): readonly string[] =>
  (group.VPCZoneIdentifier ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');

export const asgShape = ({ MixedInstancesPolicy: mixed, LaunchTemplate: template }: AutoScalingGroup): AsgShape => {
  if (mixed === undefined)
    return { template, market: template === undefined ? 'unknown' : undefined, instanceTypes: [] };
  const types = (mixed.LaunchTemplate?.Overrides ?? []).flatMap(({ InstanceType }) => InstanceType ?? []);
  return {
    template: mixed.LaunchTemplate?.LaunchTemplateSpecification,
    market: marketOf(mixed),
    instanceTypes: [...new Set(types)],
  };
};

type Weighed = { readonly WeightedCapacity?: string | undefined };

const weightOf = ({ WeightedCapacity = '1' }: Weighed): number => Number(WeightedCapacity);

/** What a part of the group counts towards its sizes, by name, where that is not one. */
const countsIn = <T extends Weighed>(all: readonly T[], nameOf: (one: T) => string | undefined) => {
  const found = all.map((one) => [nameOf(one) ?? '', weightOf(one)] as const).filter(([, weight]) => weight !== 1);
  return found.length === 0 ? undefined : Object.fromEntries(found);
};

/**
 * What its instances count, by id, and what further ones of its types would, where that is not one. Instances of a type
 * that is no longer in the policy keep their last weight (User Guide, instance weights).
 */
export const countsOf = ({
  Instances: instances = [],
  MixedInstancesPolicy: mixed,
}: AutoScalingGroup): Pick<AsgView, 'units' | 'weights'> => {
  const units = countsIn(instances, ({ InstanceId }) => InstanceId);
  const types = [...instances, ...(mixed?.LaunchTemplate?.Overrides ?? [])];
  const weights = countsIn(types, ({ InstanceType }) => InstanceType);
  return { ...(units && { units }), ...(weights && { weights }) };
};

/**
 * What the sizes of an Auto Scaling group count, where that is not instances: weights of its instance types, or units
 * of attribute-based selection (Auto Scaling API, LaunchTemplateOverrides and DesiredCapacityType).
 */
export const unitOf = (asg: AutoScalingGroup): AsgFacts['unit'] => {
  const { DesiredCapacityType: type } = asg;
  if (type === 'vcpu' || type === 'memory-mib') return type;
  return countsOf(asg).weights === undefined ? undefined : 'weights';
};

/**
 * Without a distribution a mixed instances policy launches on-demand only: its percentage is 100 by default (Auto
 * Scaling API, InstancesDistribution).
 */
const marketOf = ({ InstancesDistribution: distribution }: MixedInstancesPolicy): AsgFacts['market'] => {
  const base = distribution?.OnDemandBaseCapacity ?? 0;
  const percentage = distribution?.OnDemandPercentageAboveBaseCapacity ?? 100;
  if (percentage === 100) return 'on-demand';
  return percentage === 0 && base === 0 ? 'spot' : 'mixed';
};
