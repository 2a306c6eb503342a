import type { ApiService } from '../../api.ts';
import type { Operations } from '../operation.ts';
import { type AutoScalingGroupSpec, firstSuspended } from '../spec.ts';
import type { Scaling } from './group.ts';
import { createGroup, sizeOperations } from './group-operations.ts';
import { hookOperations, mustBeHeartbeat } from './hook-operations.ts';
import { createWake, followInstances } from './keeper.ts';
import { createPast, followedBy, operationsFollowedBy } from './late-describes.ts';
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
        Overrides: spec.instanceTypes.map((InstanceType) => ({
          InstanceType,
          ...(spec.weights && { WeightedCapacity: String(spec.weights[InstanceType] ?? 1) }),
        })),
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
  group.healthCheckType = spec.healthChecks ?? 'EC2';
  group.protectsNew = spec.protectsNew ?? false;
  group.rebalancesCapacity = spec.rebalancesCapacity ?? false;
  if (spec.retains) group.retains = true;
  group.deletionProtection = spec.deletionProtection ?? 'none';
  if (spec.warmPool !== undefined) group.warmPool = spec.warmPool;
  for (const name of firstSuspended(spec)) group.suspended.add(name);
};

export type ScalingDeps = Omit<Scaling, 'groups' | 'wake' | 'past'> & {
  /** How far a describe of groups may lie in the past at the most. */
  readonly mostLagMs: number;
};

/** Groups of which describes may be late: what they show is noted after everything that may change it. */
const withPast = (scaling: Scaling, mostLagMs: number): Scaling => {
  const { clock } = scaling.base;
  const past = createPast(clock, mostLagMs);
  const later: Scaling = { ...scaling, past, base: { ...scaling.base, clock: followedBy(clock, () => past.note(later)) } };
  return later;
};

export const createScaling = ({ mostLagMs, ...deps }: ScalingDeps, specs: readonly AutoScalingGroupSpec[]): Scaling => {
  const simple: Scaling = { ...deps, groups: new Map(), wake: createWake(() => scaling) };
  const scaling = mostLagMs > 0 ? withPast(simple, mostLagMs) : simple;
  followInstances(scaling);
  for (const spec of specs) createFromSpec(scaling, spec);
  const note = (): void => scaling.past?.note(scaling);
  scaling.instances.subscribe({ running: note, health: note, leaving: note, ended: note });
  note();
  return scaling;
};

const operationsOf = (scaling: Scaling): Operations =>
  tellingNumbers(scaling, {
    ...sizeOperations(scaling),
    ...settingOperations(scaling),
    ...scalingOperations(scaling),
    ...tagOperations(scaling),
    ...hookOperations(scaling),
    ...moveOperations(scaling),
    ...memberOperations(scaling),
    ...launchOperations(scaling),
  });

export const createAutoScaling = (scaling: Scaling): ApiService => {
  const { past } = scaling;
  const operations = operationsOf(scaling);
  return { service: 'autoscaling', operations: past === undefined ? operations : operationsFollowedBy(operations, () => past.note(scaling)) };
};
