import type { AutoScalingGroup, LaunchTemplateSpecification, MixedInstancesPolicy } from '@aws-sdk/client-auto-scaling';
import type { AsgFacts } from '../core/policy/resolution.ts';

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

/**
 * What the sizes of an Auto Scaling group count, where that is not instances: weights of its instance types, or units
 * of attribute-based selection (Auto Scaling API, LaunchTemplateOverrides and DesiredCapacityType).
 */
export const unitOf = ({
  DesiredCapacityType: type,
  MixedInstancesPolicy: mixed,
}: AutoScalingGroup): AsgFacts['unit'] => {
  if (type === 'vcpu' || type === 'memory-mib') return type;
  const weights = (mixed?.LaunchTemplate?.Overrides ?? []).map(({ WeightedCapacity = '1' }) =>
    Number(WeightedCapacity),
  );
  return weights.some((weight) => weight !== 1) ? 'weights' : undefined;
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
