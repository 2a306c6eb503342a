import type { AutoScalingGroupSpec, TargetGroupSpec, TimingSpec, WorldSpec } from '../../sandbox/world/spec.ts';

/** The three ways of holding a group. */
export const holdings = ['tag', 'attach', 'launch-instances'] as const;
export type HoldingKind = (typeof holdings)[number];

export const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'] as const;
const letterOf = (zone: string): string => zone.at(-1) ?? '';

/** Instance types beyond the usual one, by what they cost: each has a place where it is the cheapest. */
export const catalogue = [
  { name: 'm7g.large', spotUsd: 0.03, onDemandUsd: 0.08 },
  { name: 'm6g.large', spotUsd: 0.028, onDemandUsd: 0.077 },
  { name: 'c7g.xlarge', spotUsd: 0.05, onDemandUsd: 0.145 },
  { name: 'r7g.large', spotUsd: 0.041, onDemandUsd: 0.107 },
] as const;
export type TypeTerms = { readonly name: string; readonly spotUsd: number; readonly onDemandUsd: number };

/** What several groups stand on together. */
export type Landscape = {
  readonly types: readonly TypeTerms[];
  /** Spot instances of each type that each zone can give. */
  readonly spot: number;
  readonly subnetsPerZone: number;
  /** Types that a zone does not sell (default: each sells all). */
  readonly notSold?: readonly { readonly instanceType: string; readonly zone: string }[];
  readonly targetGroups: readonly Pick<TargetGroupSpec, 'name' | 'deregistrationDelaySeconds' | 'mostTargets'>[];
  readonly timing: Partial<TimingSpec>;
};

export const plainLandscape: Landscape = {
  types: [catalogue[0]],
  spot: 6,
  subnetsPerZone: 1,
  targetGroups: [{ name: 'web', deregistrationDelaySeconds: 20 }],
  timing: {},
};

/** The first subnet of a zone bears the zone's letter alone. */
export const subnetsIn = ({ subnetsPerZone }: Pick<Landscape, 'subnetsPerZone'>, zone: string): readonly string[] =>
  Array.from({ length: subnetsPerZone }, (_, index) => `subnet-${letterOf(zone)}${index === 0 ? '' : index + 1}`);

export const usualTiming: TimingSpec = {
  pendingSeconds: [5, 12],
  bootSeconds: [5, 15],
  lagSeconds: [0, 1],
  asgLagSeconds: [0, 0],
  asgPeriodSeconds: 15,
  latencyMs: { 'ec2:CreateFleet': [1_000, 2_500], 'autoscaling:LaunchInstances': [1_000, 2_500], 'dynamodb:*': [3, 10], '*': [20, 80] },
};

export const asgSpec = (
  name: string,
  market: AutoScalingGroupSpec['market'],
  subnets: readonly string[],
  more: Partial<AutoScalingGroupSpec> = {},
): AutoScalingGroupSpec => ({
  name,
  launchTemplate: 'web',
  subnets,
  instanceTypes: [catalogue[0].name],
  market,
  min: 0,
  max: 20,
  desired: 0,
  ...more,
});

/** Instances that no policy names: two in an Auto Scaling group of its own. */
const strangers = asgSpec('strangers', 'on-demand', ['subnet-b'], { min: 2, max: 2, desired: 2 });

const soldIn = ({ types, notSold = [] }: Landscape, zone: string): readonly TypeTerms[] =>
  types.filter(({ name }) => !notSold.some((one) => one.instanceType === name && one.zone === zone));

/** As the CDK writes launch templates, with tags of volumes and an image by its parameter: each needs a right of whoever launches. */
const usualTemplate = {
  ImageId: 'resolve:ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-arm64',
  IamInstanceProfile: { Name: 'web' },
  TagSpecifications: ['instance', 'volume'].map((ResourceType) => ({ ResourceType, Tags: [{ Key: 'Name', Value: 'web' }] })),
};

/** Templates of one type and one market, for Auto Scaling groups without a mixed instances policy. */
const plainTemplates = (['spot', 'on-demand'] as const).map((market) => ({
  name: `plain-${market}`,
  instanceType: catalogue[0].name,
  data: { ...usualTemplate, ...(market === 'spot' && { InstanceMarketOptions: { MarketType: market } }) },
}));

/** The templates that these Auto Scaling groups and the pools of policies name. */
export const templatesFor = (groups: readonly AutoScalingGroupSpec[]): WorldSpec['launchTemplates'] => [
  { name: 'web', data: usualTemplate },
  ...plainTemplates.filter(({ name }) => groups.some(({ launchTemplate }) => launchTemplate === name)),
];

/** The group with a plain launch template. A group that launches in both markets needs its mixed instances policy. */
export const withPlainTemplate = (group: AutoScalingGroupSpec): AutoScalingGroupSpec =>
  group.market === 'mixed' ? group : { ...group, isPlain: true, launchTemplate: `plain-${group.market}`, instanceTypes: [catalogue[0].name] };

/** A world of three zones with spot and on-demand capacity, strangers, and these Auto Scaling groups. */
export const specOf = (landscape: Landscape, autoScalingGroups: readonly AutoScalingGroupSpec[]): WorldSpec => ({
  zones,
  subnets: zones.flatMap((zone) => subnetsIn(landscape, zone).map((id) => ({ id, zone }))),
  offerings: zones.flatMap((zone) =>
    soldIn(landscape, zone).flatMap(({ name: instanceType, spotUsd, onDemandUsd }) => [
      { instanceType, zone, market: 'spot' as const, capacity: landscape.spot, priceUsdPerHour: spotUsd },
      { instanceType, zone, market: 'on-demand' as const, capacity: null, priceUsdPerHour: onDemandUsd },
    ]),
  ),
  launchTemplates: templatesFor(autoScalingGroups),
  targetGroups: landscape.targetGroups.map((group) => ({ ...group, healthCheckIntervalSeconds: 10, healthyThreshold: 2 })),
  timing: { ...usualTiming, ...landscape.timing },
  autoScalingGroups: [strangers, ...autoScalingGroups],
});

export type Size = number | { readonly min: number; readonly max: number; readonly desired: number };
export const desiredOf = (size: Size): number => (typeof size === 'number' ? size : size.desired);
const largestOf = (size: Size): number => (typeof size === 'number' ? size : size.max);

type Document = Readonly<Record<string, unknown>>;

export type GroupOptions = {
  readonly name: string;
  readonly holding: HoldingKind;
  readonly size: Size;
  /** Names of the target groups that its members serve. */
  readonly targetGroups: readonly string[];
  /** Begins the names of its Auto Scaling groups, where several groups have such of one name. */
  readonly prefix?: string;
  /** More of its policy. */
  readonly policy?: Document;
  /** More of its pools, by their names. */
  readonly pools?: Readonly<Record<string, Document>>;
  /** More of its Auto Scaling groups. */
  readonly asg?: Partial<AutoScalingGroupSpec>;
};

/** A group in a landscape: its policy, and the Auto Scaling groups that it lives in. */
export type PlacedGroup = { readonly policy: Document; readonly asgs: readonly AutoScalingGroupSpec[] };

export const spotPools = zones.map((zone) => `spot-${letterOf(zone)}`);
export const onDemandPools = ['od-b', 'od-c'];
const tree = { tiered: [{ spread: spotPools }, { spread: onDemandPools }] };

/** Pools of every setting: spot in each zone, on demand in two. */
const placesIn = (landscape: Landscape) => [
  ...zones.map((zone) => ({ name: `spot-${letterOf(zone)}`, market: 'spot', subnets: subnetsIn(landscape, zone) }) as const),
  ...zones.slice(1).map((zone) => ({ name: `od-${letterOf(zone)}`, market: 'on-demand', subnets: subnetsIn(landscape, zone) }) as const),
];

const fleetPolicy = (landscape: Landscape, { name, size, pools = {} }: GroupOptions): Document => ({
  group: name,
  size,
  capacity: tree,
  defaults: { launchTemplate: 'web', instanceTypes: landscape.types.map((type) => type.name) },
  pools: Object.fromEntries(placesIn(landscape).map(({ name: pool, ...place }) => [pool, { ...place, ...pools[pool] }])),
});

const byTag = (landscape: Landscape, options: GroupOptions): PlacedGroup => ({
  policy: {
    ...fleetPolicy(landscape, options),
    ...options.policy,
    drain: {
      timeout: '30s',
      ...(options.policy?.drain as object | undefined),
      loadBalancers: options.targetGroups.map((name) => `\${targetGroup:${name}}`),
    },
  },
  asgs: [],
});

const attached = (landscape: Landscape, options: GroupOptions): PlacedGroup => {
  const name = `${options.prefix ?? ''}${options.name}-asg`;
  const sizes = { min: 2, max: largestOf(options.size), desired: desiredOf(options.size) };
  const subnets = zones.flatMap((zone) => subnetsIn(landscape, zone));
  const instanceTypes = landscape.types.map((type) => type.name);
  return {
    policy: { ...fleetPolicy(landscape, options), asg: name, drain: { timeout: '30s' }, ...options.policy },
    asgs: [asgSpec(name, 'mixed', subnets, { instanceTypes, ...sizes, targetGroups: options.targetGroups, ...options.asg })],
  };
};

const throughAsgs = (landscape: Landscape, options: GroupOptions): PlacedGroup => {
  const { name, size, prefix = '', pools = {}, targetGroups } = options;
  const places = placesIn(landscape);
  const instanceTypes = landscape.types.map((type) => type.name);
  const pool = (place: (typeof places)[number]) => [place.name, { market: place.market, asg: `${prefix}${place.name}`, ...pools[place.name] }];
  return {
    policy: {
      group: name,
      size,
      capacity: tree,
      pools: Object.fromEntries(places.map(pool)),
      drain: { timeout: '30s' },
      ...options.policy,
    },
    asgs: places.map((place) =>
      asgSpec(`${prefix}${place.name}`, place.market, place.subnets, {
        instanceTypes,
        max: Math.max(20, largestOf(size)),
        targetGroups,
        ...options.asg,
        // They come up empty, whatever one group's bounds would be.
        min: 0,
      }),
    ),
  };
};

const byHolding: Readonly<Record<HoldingKind, (landscape: Landscape, options: GroupOptions) => PlacedGroup>> = {
  tag: byTag,
  attach: attached,
  'launch-instances': throughAsgs,
};

export const groupIn = (landscape: Landscape, options: GroupOptions): PlacedGroup => byHolding[options.holding](landscape, options);

/** A world for one group, and the policy of that group. */
export type Setting = { readonly spec: WorldSpec; readonly policy: Readonly<Record<string, unknown>> };

export type SettingOptions = {
  readonly size?: Size;
  /** Spot instances that each zone can give. */
  readonly spot?: number;
  readonly lagSeconds?: readonly [number, number];
  readonly pendingSeconds?: readonly [number, number];
  readonly bootSeconds?: readonly [number, number];
  /** Whether members serve a target group (default: they do). */
  readonly isServed?: boolean;
  /** Deregistration delay of the target group. */
  readonly delaySeconds?: number;
  /** The account's quota of targets in it. */
  readonly mostTargets?: number;
  readonly asgLagSeconds?: readonly [number, number];
  /** More of the policy: swap, rebalance, drain, scaling. */
  readonly policy?: Readonly<Record<string, unknown>>;
  readonly hooks?: AutoScalingGroupSpec['hooks'];
  /** Maximum size of the Auto Scaling group that members are attached to; the size itself, when nothing is said, so that it must be raised. */
  readonly max?: number;
  readonly min?: number;
  /** Whether the Auto Scaling group that members are attached to evens out its zones by itself. */
  readonly rebalancesZones?: boolean;
  /** Market of the Auto Scaling group that members are attached to. */
  readonly market?: AutoScalingGroupSpec['market'];
};

const given = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;

/** Bounds and zones are the one group's that members are attached to. */
const asgOf = (holding: HoldingKind, { min, max, rebalancesZones, hooks, market }: SettingOptions): Partial<AutoScalingGroupSpec> =>
  given(holding === 'attach' ? { min, max, rebalancesZones: rebalancesZones || undefined, hooks, market } : { hooks });

/** A world of three zones with spot and on-demand capacity, a target group, strangers, and one group held in this way. */
export const settingOf = (holding: HoldingKind, options: SettingOptions = {}): Setting => {
  const {
    size = 6,
    spot = 6,
    delaySeconds = 20,
    mostTargets,
    lagSeconds,
    asgLagSeconds,
    pendingSeconds,
    bootSeconds,
    policy,
    isServed = true,
  } = options;
  const landscape = {
    ...plainLandscape,
    spot,
    targetGroups: [{ name: 'web', deregistrationDelaySeconds: delaySeconds, ...given({ mostTargets }) }],
    timing: given({ pendingSeconds, bootSeconds, lagSeconds, asgLagSeconds }),
  };
  const placed = groupIn(landscape, {
    name: 'web',
    holding,
    size,
    targetGroups: isServed ? ['web'] : [],
    asg: asgOf(holding, options),
    ...(policy && { policy }),
  });
  return { spec: specOf(landscape, placed.asgs), policy: placed.policy };
};
