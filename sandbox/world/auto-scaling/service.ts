import type { ApiService } from '../../api.ts';
import type { AutoScalingGroupSpec } from '../spec.ts';
import type { Scaling } from './group.ts';
import { createGroup, sizeOperations } from './group-operations.ts';
import { hookOperations, mustBeHeartbeat } from './hook-operations.ts';
import { createWake, followInstances } from './keeper.ts';
import { launchOperations } from './launch-instances.ts';
import { memberOperations, moveOperations } from './member-operations.ts';
import { tellingNumbers } from './numbers.ts';
import { scalingOperations } from './scaling-operations.ts';
import { settingOperations } from './setting-operations.ts';
import { tagOperations } from './tag-operations.ts';

const percentOf = { spot: 0, 'on-demand': 100, mixed: 50 } as const;

const launchesOf = (spec: AutoScalingGroupSpec) => {
  const template = { LaunchTemplateName: spec.launchTemplate, Version: '$Default' };
  if (spec.isPlain) return { LaunchTemplate: template };
  return {
    MixedInstancesPolicy: {
      LaunchTemplate: {
        LaunchTemplateSpecification: template,
        Overrides: spec.instanceTypes.map((InstanceType) => ({ InstanceType })),
      },
      InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: percentOf[spec.market], SpotAllocationStrategy: 'price-capacity-optimized' },
    },
  };
};

/** A group of the scenario, as if an operator had created it. */
const createFromSpec = (scaling: Scaling, spec: AutoScalingGroupSpec): void => {
  const group = createGroup(scaling, {
    AutoScalingGroupName: spec.name,
    MinSize: spec.min,
    MaxSize: spec.max,
    DesiredCapacity: spec.desired,
    ...launchesOf(spec),
    VPCZoneIdentifier: spec.subnets.join(','),
    TargetGroupARNs: (spec.targetGroups ?? []).map((name) => scaling.targetBook.byName(name).arn),
  });
  for (const { name, transition, heartbeatSeconds, defaultResult } of spec.hooks ?? []) {
    mustBeHeartbeat(heartbeatSeconds);
    const full = transition === 'launching' ? 'autoscaling:EC2_INSTANCE_LAUNCHING' : 'autoscaling:EC2_INSTANCE_TERMINATING';
    group.hooks.set(name, { name, transition: full, heartbeatSeconds, defaultResult });
  }
  group.rebalancesZones = spec.rebalancesZones ?? false;
  group.healthCheckType = spec.healthChecks ?? 'EC2';
  group.protectsNew = spec.protectsNew ?? false;
  if (spec.retains) group.retains = true;
  if (spec.warmPool !== undefined) group.warmPool = spec.warmPool;
  for (const name of spec.suspended ?? []) group.suspended.add(name);
};

export type ScalingDeps = Omit<Scaling, 'groups' | 'wake'>;

export const createScaling = (deps: ScalingDeps, specs: readonly AutoScalingGroupSpec[]): Scaling => {
  const scaling: Scaling = { ...deps, groups: new Map(), wake: createWake(() => scaling) };
  followInstances(scaling);
  for (const spec of specs) createFromSpec(scaling, spec);
  return scaling;
};

export const createAutoScaling = (scaling: Scaling): ApiService => ({
  service: 'autoscaling',
  operations: tellingNumbers(scaling, {
    ...sizeOperations(scaling),
    ...settingOperations(scaling),
    ...scalingOperations(scaling),
    ...tagOperations(scaling),
    ...hookOperations(scaling),
    ...moveOperations(scaling),
    ...memberOperations(scaling),
    ...launchOperations(scaling),
  }),
});
