import type { BreakerRule } from '../breaker/breaker.ts';
import type { Group, Holding } from '../group/group.ts';
import type { LaunchLimit } from '../limits/launch-limit.ts';
import type { MaxShare } from '../placement/shares.ts';
import type { Pool } from '../pool/pool.ts';
import type { Returning } from '../returning/returning.ts';
import { parseWindow, type Window } from '../returning/window.ts';
import { accepted, durationMs, floorOf, shareOf } from './accepted.ts';
import { launchLimitOf } from './launches-schema.ts';
import { limitProblems, limitWarnings } from './limit-rules.ts';
import { steeringProblems, steeringWarnings } from './outside-rules.ts';
import { priced, priceProblems } from './price-rules.ts';
import { type Problem, problemOf, showFound, sortedProblems } from './problem.ts';
import { fieldOf } from './reading.ts';
import { type LookedUp, mergedPools, targetGroupsIn } from './resolution.ts';
import { selectorOf } from './resolve-capacity.ts';
import {
  type FieldPath,
  type ResolvedPool,
  resolvePool,
  typeWarnings,
  unitProblems,
  unknownAsg,
} from './resolve-pool.ts';
import { scalingOf } from './resolve-scaling.ts';
import { scalerWarnings } from './scaler-rules.ts';
import type { Policy } from './schema.ts';
import { sizeOf } from './size-of.ts';
import { zoneWarnings } from './zone-rules.ts';

export type Resolved =
  | { readonly kind: 'resolved'; readonly group: Group }
  | { readonly kind: 'unresolved'; readonly problems: readonly Problem[] };

/**
 * Makes a group ready for decisions: defaults merged into every pool, durations in milliseconds, subnets and Auto
 * Scaling groups as AWS returned them.
 * @param version number that the policy is stored under when accepted
 */
export const resolveGroup = (policy: Policy, resolution: LookedUp, version: number): Resolved => {
  const resolved = resolvePools(policy, resolution);
  const pools = poolsIn(resolved);
  const problems = [
    ...resolved.flatMap((one) => ('pool' in one ? [] : one.problems)),
    ...groupAsgProblems(policy, pools, resolution),
    ...steeringProblems(policy, resolution),
    ...targetGroupProblems(policy, resolution),
    ...priceProblems(policy, pools),
  ];
  const all = problems.length > 0 ? problems : limitProblems(policy, pools);
  if (all.length > 0) return { kind: 'unresolved', problems: sortedProblems(all) };
  return { kind: 'resolved', group: groupOf(policy, pools, resolution, version) };
};

const resolvePools = (policy: Policy, resolution: LookedUp): readonly ResolvedPool[] =>
  Object.entries(mergedPools(policy)).map(([name, document]) =>
    resolvePool(name, document, resolution, fieldPath(policy, name)),
  );

const poolsIn = (resolved: readonly ResolvedPool[]): readonly Pool[] =>
  resolved.flatMap((one) => ('pool' in one ? [one.pool] : []));

/** Warnings that need facts from AWS: a part of the policy that is accepted and has no effect. */
export const resolutionWarnings = (policy: Policy, resolution: LookedUp): readonly Problem[] => {
  const pools = poolsIn(resolvePools(policy, resolution));
  return sortedProblems([
    ...warningsOfTypes(policy, resolution),
    ...unreadImages(resolution),
    ...steeringWarnings(policy, resolution),
    ...scalerWarnings(policy, resolution),
    ...zoneWarnings(policy, resolution, pools),
    ...limitWarnings(policy, pools),
  ]);
};

const unreadImages = ({ images }: LookedUp): readonly Problem[] =>
  images === undefined || !('unread' in images)
    ? []
    : [
        problemOf({
          path: ['pools'],
          found: `images that could not be checked (${images.unread})`,
          allowed: 'images that run on the instance types of their pools',
        }),
      ];

const warningsOfTypes = (policy: Policy, resolution: LookedUp): readonly Problem[] => {
  const { sold } = resolution;
  if (sold !== undefined && 'unread' in sold) {
    const found = `instance types that could not be checked (${sold.unread})`;
    return [problemOf({ path: ['pools'], found, allowed: 'types that EC2 sells in the zones of their pools' })];
  }
  return Object.entries(mergedPools(policy)).flatMap(([name, document]) =>
    typeWarnings(document, resolution, fieldPath(policy, name)),
  );
};

const fieldPath =
  (policy: Policy, name: string): FieldPath =>
  (field) => {
    const own = fieldOf(policy.pools[name], field);
    return own === undefined ? ['defaults', field] : ['pools', name, field];
  };

/**
 * AttachInstances requires that the Auto Scaling group has the instance's zone (Auto Scaling User Guide, attach
 * instances).
 */
const groupAsgProblems = ({ asg }: Policy, pools: readonly Pool[], resolution: LookedUp): readonly Problem[] => {
  if (asg === undefined) return [];
  const facts = resolution.asgs[asg];
  if (facts === undefined) return [unknownAsg(['asg'], asg)];
  const zoneProblems = pools.flatMap((pool) => {
    const outside = pool.subnets.find(({ zone }) => !facts.zones.includes(zone));
    if (outside === undefined) return [];
    const found = `${showFound(outside.id)} in ${outside.zone}`;
    return [
      problemOf({
        path: ['pools', pool.name, 'subnets'],
        found,
        allowed: `subnets in a zone of Auto Scaling group ${asg}: ${facts.zones.join(', ')}`,
      }),
    ];
  });
  return [...unitProblems(['asg'], asg, facts), ...zoneProblems];
};

const targetGroupProblems = (policy: Policy, { unknownTargetGroups }: LookedUp): readonly Problem[] =>
  targetGroupsIn(policy).flatMap((arn, index) =>
    unknownTargetGroups?.includes(arn)
      ? [
          problemOf({
            path: ['drain', 'loadBalancers', index],
            found: `${showFound(arn)}, which Elastic Load Balancing does not know`,
            allowed: 'a target group of this account and region',
          }),
        ]
      : [],
  );

const groupOf = (policy: Policy, pools: readonly Pool[], resolution: LookedUp, version: number): Group => ({
  name: policy.group,
  policyVersion: version,
  // Absent where it is `act`, as in versions that were stored before there were modes.
  ...(policy.mode !== 'act' && { mode: policy.mode }),
  size: sizeOf(policy),
  capacity: selectorOf(policy.capacity, pools),
  pools: Object.fromEntries(pools.map((pool) => [pool.name, priced(pool, policy)])),
  ...(policy.onDemandPrices !== undefined && { onDemandPrices: policy.onDemandPrices }),
  holding: holdingOf(policy, pools),
  ...(policy.onDemand !== undefined && { onDemand: floorOf(policy.onDemand) }),
  ...(policy.maxShare !== undefined && { maxShare: maxShareOf(policy.maxShare) }),
  ...(policy.spare > 0 && { spare: policy.spare }),
  removal: policy.removal,
  swap: policy.swap,
  rebalance: rebalanceOf(policy.rebalance),
  ...(policy.return !== false && { returning: returningOf(policy.return) }),
  ...readyOf(policy.ready),
  launches: launchesOf(policy.launches),
  ...(policy.breaker && { breaker: breakerOf(policy.breaker) }),
  drain: drainOf(policy, resolution),
  scaling: scalingOf(policy),
  ...(policy.schedule.length > 0 && { schedule: policy.schedule }),
  tags: policy.tags,
});

const maxShareOf = ({ instanceType, zone, offering }: NonNullable<Policy['maxShare']>): MaxShare => ({
  ...(instanceType !== undefined && { instanceType: shareOf(instanceType) }),
  ...(zone !== undefined && { zone: shareOf(zone) }),
  ...(offering !== undefined && { offering: shareOf(offering) }),
});

const drainOf = ({ drain }: Policy, { deregistrationDelayMs, asgTargetGroups }: LookedUp): Group['drain'] => ({
  timeoutMs: durationMs(drain.timeout),
  loadBalancers: drain.loadBalancers,
  ...(deregistrationDelayMs !== undefined && { deregistrationDelayMs }),
  ...(asgTargetGroups && { asgTargetGroups }),
});

const returningOf = ({ after, atMost, every, window, timezone }: Exclude<Policy['return'], false>): Returning => ({
  afterMs: durationMs(after),
  everyMs: durationMs(every),
  atMost: typeof atMost === 'number' ? { kind: 'count', by: atMost } : { kind: 'share', percent: shareOf(atMost) },
  ...(window !== undefined && { windows: [window].flat().map(windowOf) }),
  timezone,
});

/** Absent where the policy says nothing, as in versions that were stored before there was `ready`. */
const readyOf = ({ after, checks, within }: Policy['ready']): Pick<Group, 'ready'> => {
  if (after === undefined && checks === undefined && within === undefined) return {};
  return {
    ready: {
      ...(after !== undefined && { afterMs: durationMs(after) }),
      ...(checks && { checks }),
      ...(within !== undefined && { withinMs: durationMs(within) }),
    },
  };
};

const rebalanceOf = ({ act, atMostPerHour }: Policy['rebalance']): Group['rebalance'] => ({
  act,
  ...(atMostPerHour !== undefined && { atMostPerHour }),
});

const breakerOf = ({ interruptions, within, hold }: NonNullable<Policy['breaker']>): BreakerRule => ({
  interruptions,
  withinMs: durationMs(within),
  holdMs: durationMs(hold),
});

const launchesOf = ({ atMost, within }: Policy['launches']): LaunchLimit => ({
  atMost: accepted(launchLimitOf(atMost), String(atMost)),
  withinMs: durationMs(within),
});

const holdingOf = ({ asg }: Policy, pools: readonly Pool[]): Holding => {
  if (asg !== undefined) return { kind: 'attach', asg };
  return pools.some((pool) => pool.asg !== undefined) ? { kind: 'launch-instances' } : { kind: 'tag' };
};

const windowOf = (text: string): Window => accepted(parseWindow(text), text);
