import type { TokenBucket } from '../throttle/token-bucket.ts';
import type { Group, Scaling } from './auto-scaling/group.ts';
import { weightsShown } from './auto-scaling/units.ts';
import type { Base } from './base.ts';
import type { BootFates } from './boot-fates.ts';
import type { LaunchTemplates } from './ec2/launch-templates.ts';
import type { Fulfil, Quotas } from './fulfilment.ts';
import type { InstanceRecord } from './instance.ts';
import type { Instances } from './instances.ts';
import { inFlightOf, type TargetGroup } from './load-balancing/target-group.ts';
import type { TargetGroupBook } from './load-balancing/target-group-book.ts';
import type { Targets } from './load-balancing/targets.ts';
import type { Network } from './network.ts';
import type { OfferingBook } from './offerings.ts';
import type { InstanceSnapshot, WorldSnapshot } from './world.ts';

export type Parts = {
  readonly fates: BootFates;
  readonly quotas: Quotas;
  readonly base: Base;
  readonly book: OfferingBook;
  readonly network: Network;
  readonly instances: Instances;
  readonly fulfil: Fulfil;
  readonly templates: LaunchTemplates;
  readonly targetBook: TargetGroupBook;
  readonly targets: Targets;
  readonly budget: TokenBucket;
  readonly scaling: Scaling;
};

const instanceSnapshot = ({ base, targets, scaling }: Parts, instance: InstanceRecord): InstanceSnapshot => {
  const registered = targets.groupsOf(instance.id).flatMap((group) => {
    const target = group.targets.get(instance.id);
    return target === undefined ? [] : [{ group, target }];
  });
  const member = scaling.groups.get(instance.asg ?? '')?.members.get(instance.id);
  const lifecycleState = member?.state;
  return {
    id: instance.id,
    instanceType: instance.instanceType,
    zone: instance.zone,
    subnet: instance.subnet.id,
    market: instance.market,
    state: instance.state,
    launchedAtMs: instance.launchedAtMs,
    ...(instance.takenAtMs === undefined ? {} : { takenAtMs: instance.takenAtMs }),
    ...(instance.asg === undefined || lifecycleState === undefined ? {} : { asg: { name: instance.asg, lifecycleState } }),
    ...(instance.isProtected === true || member?.isProtected === true ? { isProtected: true } : {}),
    ...(instance.bootedAtMs === undefined ? {} : { bootedAtMs: instance.bootedAtMs }),
    targets: Object.fromEntries(registered.map(({ group, target }) => [group.name, target.state])),
    inFlight: registered.reduce((sum, { target }) => sum + inFlightOf(target, base.clock.now()), 0),
    tags: instance.tags,
  };
};

const targetGroupSnapshot = (group: TargetGroup): WorldSnapshot['targetGroups'][number] => {
  const states = [...group.targets.values()].map(({ state }) => state);
  return {
    name: group.name,
    arn: group.arn,
    healthy: states.filter((state) => state === 'healthy').length,
    draining: states.filter((state) => state === 'draining').length,
    served: group.served,
    dropped: group.dropped,
  };
};

const asgSnapshot = (group: Group): WorldSnapshot['autoScalingGroups'][number] => {
  const { name, min, max, desired, suspended, members } = group;
  const weights = weightsShown(group);
  return {
    name,
    min,
    max,
    desired,
    suspended: [...suspended],
    ...(weights && { weights }),
    instances: [...members.values()].map(({ instance, state, healthy }) => ({
      id: instance.id,
      lifecycleState: state,
      health: healthy ? 'Healthy' : 'Unhealthy',
    })),
  };
};

export const createSnapshot = (parts: Parts): WorldSnapshot => ({
  nowMs: parts.base.clock.now(),
  instances: parts.instances.list().map((instance) => instanceSnapshot(parts, instance)),
  offerings: parts.book.list().map(({ instanceType, zone, market, capacity, used, priceUsdPerHour }) => ({
    instanceType,
    zone,
    market,
    capacity,
    used,
    priceUsdPerHour,
  })),
  autoScalingGroups: [...parts.scaling.groups.values()].map(asgSnapshot),
  targetGroups: parts.targetBook.list().map(targetGroupSnapshot),
});
