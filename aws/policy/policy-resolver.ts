import {
  type AutoScalingClient,
  type AutoScalingGroup,
  DescribeLifecycleHooksCommand,
} from '@aws-sdk/client-auto-scaling';
import { type EC2Client, paginateDescribeSubnets } from '@aws-sdk/client-ec2';
import type { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { PolicyResolver } from '../../core/policy/ports.ts';
import { type AsgFacts, type Names, type Steering, templateReference } from '../../core/policy/resolution.ts';
import { asgShape, subnetIdsOf, unitOf } from '../asg-shape.ts';
import { allOf } from '../calls/all-of.ts';
import { chunks } from '../calls/chunks.ts';
import { codeOf, troubleOf } from '../calls/errors.ts';
import { allSettled, inParallel } from '../calls/in-parallel.ts';
import { groupsNamed, ownTargetGroups, suspendedIn } from '../providers/auto-scaling-groups.ts';
import { readDelay } from '../providers/target-groups.ts';
import { imagesOf } from './images.ts';
import { createLaunchTemplates, type LaunchTemplates } from './launch-templates.ts';
import { scalersOf } from './scalers.ts';
import { filterValues, soldTypes } from './sold-types.ts';

const targetGroupsAtOnce = 5;

export type PolicyResolverDeps = {
  readonly ec2: EC2Client;
  readonly autoScaling: AutoScalingClient;
  readonly elb: ElasticLoadBalancingV2Client;
};

/**
 * Begins to read Auto Scaling groups. Where Auto Scaling throttled the last look-up of this environment, other reads
 * beside it would be in vain again. So the read has succeeded then before they begin.
 */
const readsOfGroups = (client: AutoScalingClient) => {
  let wasThrottled = false;
  const read = async (names: readonly string[]): Promise<readonly AutoScalingGroup[]> => {
    if (names.length === 0) return [];
    try {
      const groups = await groupsNamed(client, names);
      wasThrottled = false;
      return groups;
    } catch (error) {
      wasThrottled = troubleOf(error) === 'throttled';
      throw error;
    }
  };
  return async (names: readonly string[]) => {
    const isDoubtful = wasThrottled;
    const reading = read(names);
    if (isDoubtful) await reading;
    return { reading };
  };
};

/**
 * Looks up the names in a policy. By filter wherever EC2 has one: an unknown name is then absent instead of an error
 * for the whole call.
 */
export const createPolicyResolver = ({ ec2, autoScaling, elb }: PolicyResolverDeps): PolicyResolver => {
  const templates = createLaunchTemplates(ec2);
  const templatesOf = async ({ launchTemplates: named, templateVersions, instanceTypes }: Names) => {
    const launchTemplates = await templates.latestVersions(named);
    const known = templateVersions.filter((text) => Object.hasOwn(launchTemplates, templateReference(text).template));
    return { launchTemplates, images: known.length === 0 ? undefined : await imagesOf(ec2, known, instanceTypes) };
  };
  const beginGroups = readsOfGroups(autoScaling);
  return {
    async lookUp(names) {
      const [groups, { launchTemplates, images }, targetGroups, sold] = await allSettled([
        (await beginGroups(names.asgs)).reading,
        templatesOf(names),
        delaysOf(elb, names.targetGroups),
        names.instanceTypes.length === 0 ? undefined : soldTypes(ec2, names.instanceTypes),
      ]);
      const unknownTargetGroups = names.targetGroups.filter((arn) => !targetGroups.has(arn));
      const asgTargetGroups = [...new Set(groups.flatMap(ownTargetGroups))];
      const own = asgTargetGroups.filter((arn) => !targetGroups.has(arn));
      const delays = [...targetGroups, ...(await delaysOf(elb, own))];
      const subnets = await zonesOf(ec2, [...new Set([...names.subnets, ...groups.flatMap(subnetIdsOf)])]);
      const scalers = await scalersIn(autoScaling, groups, names.sizes);
      const closed = closedIn(groups);
      const evensOut = evenedOutIn(groups);
      const facts = await allSettled(
        groups.map(async (group) => {
          const name = group.AutoScalingGroupName ?? '';
          const steering = name === names.sizedBy ? { steering: await steeringOf(autoScaling, group) } : {};
          return [name, { ...(await factsOf(group, subnets, templates)), ...steering }] as const;
        }),
      );
      return {
        subnets: Object.fromEntries(subnets),
        asgs: Object.fromEntries(facts),
        launchTemplates,
        ...(sold && { sold }),
        ...(images && { images }),
        ...(closed.length > 0 && { closed }),
        ...(evensOut.length > 0 && { evensOut }),
        ...(scalers.length > 0 && { scalers: Object.fromEntries(scalers) }),
        ...(delays.length > 0 && { deregistrationDelayMs: Math.max(...delays.map(([, delayMs]) => delayMs)) }),
        ...(asgTargetGroups.length > 0 && { asgTargetGroups }),
        ...(unknownTargetGroups.length > 0 && { unknownTargetGroups }),
      };
    },
  };
};

const namesOf = (groups: readonly AutoScalingGroup[]): readonly string[] =>
  groups.map(({ AutoScalingGroupName = '' }) => AutoScalingGroupName);

/** The Auto Scaling groups whose process `Launch` is suspended. */
const closedIn = (groups: readonly AutoScalingGroup[]): readonly string[] =>
  namesOf(groups.filter((group) => suspendedIn(group).includes('Launch')));

/** The Auto Scaling groups of several zones that even out their zones. */
const evenedOutIn = (groups: readonly AutoScalingGroup[]): readonly string[] =>
  namesOf(
    groups.filter((group) => (group.AvailabilityZones ?? []).length > 1 && !suspendedIn(group).includes('AZRebalance')),
  );

/** What else sets the desired capacity, by Auto Scaling group, of those that the policy sizes. */
const scalersIn = (client: AutoScalingClient, groups: readonly AutoScalingGroup[], sized: readonly string[]) =>
  allSettled(
    groups
      .filter(({ AutoScalingGroupName = '' }) => sized.includes(AutoScalingGroupName))
      .map(async (group) => [group.AutoScalingGroupName ?? '', await scalersOf(client, group)] as const),
  );

/** Deregistration delays in milliseconds, by ARN, of the target groups that exist in this account and region. */
const delaysOf = async (
  elb: ElasticLoadBalancingV2Client,
  arns: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const found = await inParallel(arns, targetGroupsAtOnce, async (arn) => {
    const delayMs = await readOurDelay(elb, arn);
    return delayMs === undefined ? [] : [[arn, delayMs] as const];
  });
  return new Map(found.flat());
};

/** In milliseconds. AWS refuses an ARN of another region or account as invalid, not as unknown: undefined. */
const readOurDelay = (elb: ElasticLoadBalancingV2Client, arn: string): Promise<number | undefined> =>
  readDelay(elb, arn).catch((error: unknown) => {
    if (codeOf(error) === 'ValidationError') return undefined;
    throw error;
  });

const zonesOf = async (ec2: EC2Client, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const zones = new Map<string, string>();
  for (const part of chunks(ids, filterValues)) {
    const Filters = [{ Name: 'subnet-id', Values: [...part] }];
    const subnets = await allOf(paginateDescribeSubnets({ client: ec2 }, { Filters }), ({ Subnets }) => Subnets);
    for (const { SubnetId, AvailabilityZone } of subnets)
      if (SubnetId && AvailabilityZone) zones.set(SubnetId, AvailabilityZone);
  }
  return zones;
};

const steeringOf = async (client: AutoScalingClient, group: AutoScalingGroup): Promise<Steering> => {
  const { AutoScalingGroupName, MinSize = 0, MaxSize, CapacityRebalance = false, WarmPoolConfiguration } = group;
  const { LifecycleHooks = [] } = await client.send(new DescribeLifecycleHooksCommand({ AutoScalingGroupName }));
  return {
    min: MinSize,
    ...(MaxSize !== undefined && { max: MaxSize }),
    rebalancesCapacity: CapacityRebalance,
    hasWarmPool: WarmPoolConfiguration !== undefined,
    hasDrainHook: LifecycleHooks.some(
      ({ LifecycleTransition }) => LifecycleTransition === 'autoscaling:EC2_INSTANCE_TERMINATING',
    ),
  };
};

const factsOf = async (
  group: AutoScalingGroup,
  zones: ReadonlyMap<string, string>,
  templates: LaunchTemplates,
): Promise<AsgFacts> => {
  const { template, market, instanceTypes } = asgShape(group);
  const unit = unitOf(group);
  const needed = market === undefined || instanceTypes.length === 0 ? await templates.contentsOf(template) : undefined;
  return {
    market: market ?? needed?.market ?? 'unknown',
    zones: [...(group.AvailabilityZones ?? [])].sort(),
    subnets: subnetIdsOf(group).flatMap((id) => ({ id, zone: zones.get(id) ?? group.AvailabilityZones?.[0] ?? '' })),
    instanceTypes: instanceTypes.length > 0 ? instanceTypes : (needed?.instanceTypes ?? []),
    ...(unit && { unit }),
  };
};
