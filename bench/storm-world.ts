import type { AutoScalingGroupSpec, OfferingSpec, TargetGroupSpec, TimingSpec, WorldSpec } from '../sandbox/world/spec.ts';

/** The three ways to hold a group. */
export const holdings = ['tag', 'attach', 'launch-instances'] as const;
export type HoldingName = (typeof holdings)[number];

const stormName = 'storm';
export const letters = ['a', 'b', 'c'] as const;
export const zoneOf = (letter: string): string => `us-east-1${letter}`;

/** The zone whose spot capacity is gone when the warnings come. */
export const refusedZone = zoneOf('a');

const instanceTypes = ['m7g.large', 'm6g.large', 'c7g.large'];

/** The first type has the most, so that every strategy fills the fleet with it, and EC2's warnings leave the other types to choose from. */
const spotCapacity = [8_000, 4_000, 4_000];

/** Spot and on-demand of every type in every zone, spot `times` as much as one group of 1,000 needs. */
const offerings = (times = 1): readonly OfferingSpec[] =>
  instanceTypes.flatMap((instanceType, index) =>
    letters.flatMap((letter): readonly OfferingSpec[] => [
      { instanceType, zone: zoneOf(letter), market: 'spot', capacity: times * (spotCapacity[index] ?? 0), priceUsdPerHour: 0.03 + index / 1_000 },
      { instanceType, zone: zoneOf(letter), market: 'on-demand', capacity: null, priceUsdPerHour: 0.08 + index / 1_000 },
    ]),
  );

/** The published median of an EC2 launch call (daemonology.net, "EC2 boot time benchmarking", 2021). */
const launchMs = [1_500, 1_500] as const;

/** Launches take their published median, DynamoDB 3 to 10 ms, everything else 20 to 80 ms; instances run after 5 to 17 s and answer 10 to 20 s later. */
export const stormTiming: TimingSpec = {
  pendingSeconds: [5, 17],
  bootSeconds: [10, 20],
  lagSeconds: [0, 2],
  asgPeriodSeconds: 15,
  latencyMs: { 'ec2:CreateFleet': launchMs, 'autoscaling:LaunchInstances': launchMs, 'dynamodb:*': [3, 10], '*': [20, 80] },
};

/** While all of a group is replaced, twice its size is registered. */
const servedBy = ({ name, size }: PlacedGroup): TargetGroupSpec => ({
  name,
  deregistrationDelaySeconds: 30,
  healthCheckIntervalSeconds: 5,
  healthyThreshold: 2,
  mostTargets: Math.max(1_000, 2 * size),
});

/** A group of the bench: its name, how it is held, its size. */
export type PlacedGroup = { readonly name: string; readonly holding: HoldingName; readonly size: number };

const asgBase = (name: string) => ({ launchTemplate: 'storm', instanceTypes, min: 0, desired: 0, targetGroups: [name] });

/** One group over all zones, with no room above the size: Holdfast has to raise its maximum to attach replacements. */
const sharedAsg = ({ name, size }: PlacedGroup): AutoScalingGroupSpec => ({
  ...asgBase(name),
  name,
  market: 'spot',
  subnets: letters.map((letter) => `subnet-${letter}`),
  max: size,
});

/** A group per pool, each of one market and one zone, with room for everything. */
const asgPerPool = ({ name, size }: PlacedGroup): readonly AutoScalingGroupSpec[] =>
  (['spot', 'on-demand'] as const).flatMap((market) =>
    letters.map((letter) => ({ ...asgBase(name), name: `${name}-${market}-${letter}`, market, subnets: [`subnet-${letter}`], max: 4 * size })),
  );

const asgsOf = (group: PlacedGroup): readonly AutoScalingGroupSpec[] => {
  if (group.holding === 'tag') return [];
  return group.holding === 'attach' ? [sharedAsg(group)] : asgPerPool(group);
};

/** Whether the members of a zone do not fit into the subnet that the sandbox makes by default. */
const isHuge = (groups: readonly PlacedGroup[]): boolean => groups.reduce((sum, { size }) => sum + size, 0) > 10_000;

/** Three zones with plenty of everything, and what these groups need. */
export const worldOf = (groups: readonly PlacedGroup[], timing: TimingSpec = stormTiming): WorldSpec => ({
  zones: letters.map(zoneOf),
  subnets: letters.map((letter) => ({ id: `subnet-${letter}`, zone: zoneOf(letter), ...(isHuge(groups) && { freeAddresses: 65_531 }) })),
  offerings: offerings(Math.max(1, Math.ceil(groups.reduce((sum, { size }) => sum + size, 0) / 1_000))),
  launchTemplates: [{ name: 'storm' }],
  autoScalingGroups: groups.flatMap(asgsOf),
  targetGroups: groups.map(servedBy),
  timing,
});

type Pool = Readonly<Record<string, unknown>>;

const poolOf = ({ name, holding }: PlacedGroup, market: 'spot' | 'on-demand', letter: string): Pool =>
  holding === 'launch-instances'
    ? { asg: `${name}-${market}-${letter}` }
    : { market, subnets: [`subnet-${letter}`], launchTemplate: 'storm', instanceTypes };

/** Spot in these zones evenly, then on-demand in them evenly. */
export const policyOf = (group: PlacedGroup, targetGroupArn: string, zones: readonly string[] = letters): Readonly<Record<string, unknown>> => {
  const pools = (['spot', 'on-demand'] as const).flatMap((market) =>
    zones.map((letter): readonly [string, Pool] => [`${market}-${letter}`, poolOf(group, market, letter)]),
  );
  return {
    group: group.name,
    size: group.size,
    capacity: {
      tiered: [{ spread: zones.map((letter) => `spot-${letter}`) }, { spread: zones.map((letter) => `on-demand-${letter}`) }],
    },
    pools: Object.fromEntries(pools),
    ...(group.holding === 'attach' && { asg: group.name }),
    drain: { timeout: '1m', ...(group.holding === 'tag' && { loadBalancers: [targetGroupArn] }) },
  };
};

/** The world of one group. */
export const stormWorld = (holding: HoldingName, size: number): WorldSpec => worldOf([{ name: stormName, holding, size }]);

export const stormPolicy = (holding: HoldingName, size: number, targetGroupArn: string): Readonly<Record<string, unknown>> =>
  policyOf({ name: stormName, holding, size }, targetGroupArn);
