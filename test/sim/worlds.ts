import type { AutoScalingGroupSpec, WorldSpec } from '../../sandbox/world/spec.ts';

/** The three ways of holding a group. */
export const holdings = ['tag', 'attach', 'launch-instances'] as const;
export type HoldingKind = (typeof holdings)[number];

/** A world for one group, and the policy of that group. */
export type Setting = { readonly spec: WorldSpec; readonly policy: Readonly<Record<string, unknown>> };

export const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'] as const;
const type = 'm7g.large';
const letterOf = (zone: string): string => zone.at(-1) ?? '';
const subnetIn = (zone: string): string => `subnet-${letterOf(zone)}`;

export type Size = number | { readonly min: number; readonly max: number; readonly desired: number };
export type SettingOptions = {
  readonly size?: Size;
  /** Spot instances that each zone can give. */
  readonly spot?: number;
  readonly lagSeconds?: readonly [number, number];
  readonly pendingSeconds?: readonly [number, number];
  readonly bootSeconds?: readonly [number, number];
  /** Deregistration delay of the target group. */
  readonly delaySeconds?: number;
  readonly asgLagSeconds?: readonly [number, number];
  /** More of the policy: swap, rebalance, drain, scaling. */
  readonly policy?: Readonly<Record<string, unknown>>;
  readonly hooks?: AutoScalingGroupSpec['hooks'];
  /** Maximum size of the Auto Scaling group that members are attached to; the size itself, when nothing is said, so that it must be raised. */
  readonly max?: number;
  readonly min?: number;
  /** Whether the Auto Scaling group that members are attached to evens out its zones by itself. */
  readonly rebalancesZones?: boolean;
};

const desiredOf = (size: Size): number => (typeof size === 'number' ? size : size.desired);
const largestOf = (size: Size): number => (typeof size === 'number' ? size : size.max);

const asg = (
  name: string,
  market: AutoScalingGroupSpec['market'],
  subnets: readonly string[],
  more: Partial<AutoScalingGroupSpec> = {},
): AutoScalingGroupSpec => ({
  name,
  launchTemplate: 'web',
  subnets,
  instanceTypes: [type],
  market,
  min: 0,
  max: 20,
  desired: 0,
  ...more,
});

/** Instances that no policy names: two in an Auto Scaling group of its own. */
const strangers = asg('strangers', 'on-demand', [subnetIn(zones[1])], { min: 2, max: 2, desired: 2 });

const base = ({
  spot = 6,
  lagSeconds = [0, 1],
  asgLagSeconds = [0, 0],
  delaySeconds = 20,
  pendingSeconds = [5, 12],
  bootSeconds = [5, 15],
}: SettingOptions): Omit<WorldSpec, 'autoScalingGroups'> => ({
  zones,
  subnets: zones.map((zone) => ({ id: subnetIn(zone), zone })),
  offerings: zones.flatMap((zone) => [
    { instanceType: type, zone, market: 'spot' as const, capacity: spot, priceUsdPerHour: 0.03 },
    { instanceType: type, zone, market: 'on-demand' as const, capacity: null, priceUsdPerHour: 0.08 },
  ]),
  launchTemplates: [{ name: 'web' }],
  targetGroups: [{ name: 'web', deregistrationDelaySeconds: delaySeconds, healthCheckIntervalSeconds: 10, healthyThreshold: 2 }],
  timing: {
    pendingSeconds,
    bootSeconds,
    lagSeconds,
    asgLagSeconds,
    asgPeriodSeconds: 15,
    latencyMs: { 'ec2:CreateFleet': [1_000, 2_500], 'autoscaling:LaunchInstances': [1_000, 2_500], 'dynamodb:*': [3, 10], '*': [20, 80] },
  },
});

const spotPools = zones.map((zone) => `spot-${letterOf(zone)}`);
const tree = { tiered: [{ spread: spotPools }, { spread: ['od-b', 'od-c'] }] };
const fleetPools = {
  ...Object.fromEntries(zones.map((zone) => [`spot-${letterOf(zone)}`, { market: 'spot', subnets: [subnetIn(zone)] }])),
  'od-b': { market: 'on-demand', subnets: ['subnet-b'] },
  'od-c': { market: 'on-demand', subnets: ['subnet-c'] },
};
const fleetDefaults = { launchTemplate: 'web', instanceTypes: [type] };

const byHolding: Readonly<Record<HoldingKind, (options: SettingOptions & { readonly size: Size }) => Setting>> = {
  tag: (options) => ({
    spec: { ...base(options), autoScalingGroups: [strangers] },
    policy: {
      group: 'web',
      size: options.size,
      capacity: tree,
      defaults: fleetDefaults,
      pools: fleetPools,
      ...options.policy,
      drain: { timeout: '30s', ...(options.policy?.drain as object | undefined), loadBalancers: [`\${targetGroup:web}`] },
    },
  }),
  attach: (options) => ({
    spec: {
      ...base(options),
      autoScalingGroups: [
        strangers,
        asg('web-asg', 'mixed', zones.map(subnetIn), {
          min: options.min ?? 2,
          max: options.max ?? largestOf(options.size),
          desired: desiredOf(options.size),
          targetGroups: ['web'],
          ...(options.rebalancesZones && { rebalancesZones: true }),
          ...(options.hooks && { hooks: options.hooks }),
        }),
      ],
    },
    policy: {
      group: 'web',
      size: options.size,
      asg: 'web-asg',
      capacity: tree,
      defaults: fleetDefaults,
      pools: fleetPools,
      drain: { timeout: '30s' },
      ...options.policy,
    },
  }),
  'launch-instances': (options) => {
    const own = [
      ...zones.map((zone) => [`spot-${letterOf(zone)}`, 'spot', zone] as const),
      ['od-b', 'on-demand', zones[1]] as const,
      ['od-c', 'on-demand', zones[2]] as const,
    ];
    return {
      spec: {
        ...base(options),
        autoScalingGroups: [
          strangers,
          ...own.map(([name, market, zone]) =>
            asg(name, market, [subnetIn(zone)], { targetGroups: ['web'], ...(options.hooks && { hooks: options.hooks }) }),
          ),
        ],
      },
      policy: {
        group: 'web',
        size: options.size,
        capacity: tree,
        pools: Object.fromEntries(own.map(([name, market]) => [name, { market, asg: name }])),
        drain: { timeout: '30s' },
        ...options.policy,
      },
    };
  },
};

/** A world of three zones with spot and on-demand capacity, a target group, strangers, and one group held in this way. */
export const settingOf = (holding: HoldingKind, options: SettingOptions = {}): Setting => byHolding[holding]({ ...options, size: options.size ?? 6 });
