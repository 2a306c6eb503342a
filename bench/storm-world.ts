import type { AutoScalingGroupSpec, OfferingSpec, TargetGroupSpec, TimingSpec, WorldSpec } from '../sandbox/world/spec.ts';

/** The three ways to hold a group. */
export const holdings = ['tag', 'attach', 'launch-instances'] as const;
export type HoldingName = (typeof holdings)[number];

const groupName = 'storm';
const targetGroup = 'storm';
const letters = ['a', 'b', 'c'] as const;
const zoneOf = (letter: string): string => `us-east-1${letter}`;

/** The zone whose spot capacity is gone when the warnings come. */
export const refusedZone = zoneOf('a');

const instanceTypes = ['m7g.large', 'm6g.large', 'c7g.large'];

/** The first type has the most, so that every strategy fills the fleet with it, and EC2's warnings leave the other types to choose from. */
const spotCapacity = [8_000, 4_000, 4_000];

const offerings: readonly OfferingSpec[] = instanceTypes.flatMap((instanceType, index) =>
  letters.flatMap((letter): readonly OfferingSpec[] => [
    { instanceType, zone: zoneOf(letter), market: 'spot', capacity: spotCapacity[index] ?? 0, priceUsdPerHour: 0.03 + index / 1_000 },
    { instanceType, zone: zoneOf(letter), market: 'on-demand', capacity: null, priceUsdPerHour: 0.08 + index / 1_000 },
  ]),
);

/** The published median of an EC2 launch call (daemonology.net, "EC2 boot time benchmarking", 2021). */
const launchMs = [1_500, 1_500] as const;

/** Launches take their published median, DynamoDB 3 to 10 ms, everything else 20 to 80 ms; instances run after 5 to 17 s and answer 10 to 20 s later. */
const timing: TimingSpec = {
  pendingSeconds: [5, 17],
  bootSeconds: [10, 20],
  lagSeconds: [0, 2],
  asgPeriodSeconds: 15,
  latencyMs: { 'ec2:CreateFleet': launchMs, 'autoscaling:LaunchInstances': launchMs, 'dynamodb:*': [3, 10], '*': [20, 80] },
};

const served: TargetGroupSpec = { name: targetGroup, deregistrationDelaySeconds: 30, healthCheckIntervalSeconds: 5, healthyThreshold: 2 };

const asgBase = { launchTemplate: 'storm', instanceTypes, min: 0, desired: 0, targetGroups: [targetGroup] };

/** One group over all zones, with no room above the size: Holdfast has to raise its maximum to attach replacements. */
const sharedAsg = (size: number): AutoScalingGroupSpec => ({
  ...asgBase,
  name: groupName,
  market: 'spot',
  subnets: letters.map((letter) => `subnet-${letter}`),
  max: size,
});

/** A group per pool, each of one market and one zone, with room for everything. */
const asgPerPool = (size: number): readonly AutoScalingGroupSpec[] =>
  (['spot', 'on-demand'] as const).flatMap((market) =>
    letters.map((letter) => ({ ...asgBase, name: `${groupName}-${market}-${letter}`, market, subnets: [`subnet-${letter}`], max: 4 * size })),
  );

const asgsOf = (holding: HoldingName, size: number): readonly AutoScalingGroupSpec[] => {
  if (holding === 'tag') return [];
  return holding === 'attach' ? [sharedAsg(size)] : asgPerPool(size);
};

/** Three zones with plenty of everything, and what the holding needs. */
export const stormWorld = (holding: HoldingName, size: number): WorldSpec => ({
  zones: letters.map(zoneOf),
  subnets: letters.map((letter) => ({ id: `subnet-${letter}`, zone: zoneOf(letter) })),
  offerings,
  launchTemplates: [{ name: 'storm' }],
  autoScalingGroups: asgsOf(holding, size),
  targetGroups: [served],
  timing,
});

type Pool = Readonly<Record<string, unknown>>;

const poolOf = (holding: HoldingName, market: 'spot' | 'on-demand', letter: string): Pool =>
  holding === 'launch-instances'
    ? { asg: `${groupName}-${market}-${letter}` }
    : { market, subnets: [`subnet-${letter}`], launchTemplate: 'storm', instanceTypes };

/** Spot in all zones evenly, then on-demand in all zones evenly. */
export const stormPolicy = (holding: HoldingName, size: number, targetGroupArn: string): Readonly<Record<string, unknown>> => {
  const pools = (['spot', 'on-demand'] as const).flatMap((market) =>
    letters.map((letter): readonly [string, Pool] => [`${market}-${letter}`, poolOf(holding, market, letter)]),
  );
  return {
    group: groupName,
    size,
    capacity: {
      tiered: [{ spread: letters.map((letter) => `spot-${letter}`) }, { spread: letters.map((letter) => `on-demand-${letter}`) }],
    },
    pools: Object.fromEntries(pools),
    ...(holding === 'attach' && { asg: groupName }),
    drain: { timeout: '1m', ...(holding === 'tag' && { loadBalancers: [targetGroupArn] }) },
  };
};
