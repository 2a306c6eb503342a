import type { Market } from '../../core/pool/offering.ts';

/** Lower and upper bound of a uniform draw. */
export type Range = readonly [number, number];

/** What exists in the world when it begins: the `world` section of a scenario, validated. */
export type WorldSpec = {
  readonly zones: readonly string[];
  readonly subnets: readonly { readonly id: string; readonly zone: string; readonly freeAddresses?: number }[];
  readonly offerings: readonly OfferingSpec[];
  readonly launchTemplates: readonly LaunchTemplateSpec[];
  readonly autoScalingGroups: readonly AutoScalingGroupSpec[];
  readonly targetGroups: readonly TargetGroupSpec[];
  readonly timing: TimingSpec;
  /** The account's limits per market, counted in instances where AWS counts vCPUs (default: none). */
  readonly quotas?: Readonly<Partial<Record<Market, number>>>;
  /** The most that one page of instances or Auto Scaling groups holds, however many were requested (default: as many as were requested). */
  readonly longestPage?: number;
  /** How Lambda treats the account (default: as it treats one of a usual age, its pollers aside). */
  readonly lambda?: LambdaSpec;
  /** How pages of instances after the first differ from it (default: they do not). */
  readonly stalePages?: StalePagesSpec;
};

/** What an account's Lambda allows, and how it reads queues. */
export type LambdaSpec = {
  /** Most calls of functions at once (default 1,000; a new account begins with 10). */
  readonly concurrency?: number;
  /** Pollers compete for a queue's messages, five at first and five more a second; otherwise one gathers for all (default: one). */
  readonly pollers?: 'one' | 'ramp';
};

/** EC2 promises no order for lists, and the pages of a list may show different moments. */
export type StalePagesSpec = {
  /** The age of the state that a page shows. */
  readonly lagSeconds: Range;
  /** The chance that two neighbours change places at the start of a page. Then one of them is listed twice, and the other on no page. */
  readonly moves: number;
};

/** What EC2 can give: a capacity of `null` is without limit. */
export type OfferingSpec = {
  readonly instanceType: string;
  readonly zone: string;
  readonly market: Market;
  readonly capacity: number | null;
  readonly priceUsdPerHour: number;
};

export type Architecture = 'arm64' | 'x86_64';

export type LaunchTemplateSpec = {
  readonly name: string;
  readonly imageId?: string;
  readonly instanceType?: string;
  /** What its image runs (default: it runs on every type). */
  readonly architecture?: Architecture;
  /** What else is in it, in EC2's own form (default: nothing). It decides which rights a launch needs. */
  readonly data?: TemplateContents;
};

/** What a launch template holds beside its image and type, as far as rights and markets depend on it (EC2 API Reference, RequestLaunchTemplateData). */
export type TemplateContents = {
  readonly ImageId?: string;
  readonly IamInstanceProfile?: { readonly Arn?: string; readonly Name?: string };
  readonly TagSpecifications?: readonly {
    readonly ResourceType?: string;
    readonly Tags?: readonly { readonly Key?: string; readonly Value?: string }[];
  }[];
  readonly InstanceMarketOptions?: { readonly MarketType?: string };
  readonly LicenseSpecifications?: readonly { readonly LicenseConfigurationArn?: string }[];
  readonly Placement?: { readonly GroupName?: string; readonly GroupId?: string };
  readonly CapacityReservationSpecification?: {
    readonly CapacityReservationTarget?: { readonly CapacityReservationId?: string; readonly CapacityReservationResourceGroupArn?: string };
  };
};

export type AutoScalingGroupSpec = {
  readonly name: string;
  readonly launchTemplate: string;
  readonly subnets: readonly string[];
  readonly instanceTypes: readonly string[];
  readonly market: Market | 'mixed';
  readonly min: number;
  readonly max: number;
  readonly desired: number;
  readonly targetGroups?: readonly string[];
  readonly hooks?: readonly HookSpec[];
  readonly suspended?: readonly string[];
  /** It has a launch template in place of a mixed instances policy. The template names the type and the market (default: it has not). */
  readonly isPlain?: boolean;
  /** Whether `AZRebalance` runs: it launches in a zone that is two or more behind, then ends one in the fullest (default: it is suspended). */
  readonly rebalancesZones?: boolean;
  /** The health check that decides which members are replaced (default: EC2's own state). */
  readonly healthChecks?: 'EC2' | 'ELB';
  /** New members are protected from scale-in (default: they are not). */
  readonly protectsNew?: boolean;
  /** Which deletions of it Auto Scaling refuses (default: none). */
  readonly deletionProtection?: 'none' | 'prevent-force-deletion' | 'prevent-all-deletion';
  /** Its instance lifecycle policy keeps an instance whose terminating hook is abandoned (default: such an instance is terminated). */
  readonly retains?: boolean;
  /** Instances that it keeps ready beside its members (default: none). */
  readonly warmPool?: { readonly size: number; readonly state: 'Stopped' | 'Running' };
  /** It replaces spot members at risk by itself: Capacity Rebalancing (default: it does not). */
  readonly rebalancesCapacity?: boolean;
  /** What an instance of each type counts towards its sizes (default: each instance counts as one; a type that is missing here, too). */
  readonly weights?: Readonly<Record<string, number>>;
};

/** The processes that an Auto Scaling group of a scenario has suspended at first. On AWS, `AZRebalance` runs unless its owner suspends it. */
export const firstSuspended = ({ suspended = [], rebalancesZones = false }: AutoScalingGroupSpec): readonly string[] => [
  ...new Set([...suspended, ...(rebalancesZones ? [] : ['AZRebalance'])]),
];

type HookSpec = {
  readonly name: string;
  readonly transition: 'launching' | 'terminating';
  readonly heartbeatSeconds: number;
  readonly defaultResult: 'CONTINUE' | 'ABANDON';
};

export type TargetGroupSpec = {
  readonly name: string;
  readonly deregistrationDelaySeconds: number;
  readonly healthCheckIntervalSeconds: number;
  readonly healthyThreshold: number;
  /** The account's quota of targets in it (default: 1,000). */
  readonly mostTargets?: number;
  /** Simulated requests: arrivals spread over healthy targets; a request is dropped when its instance ends, or when no target is healthy. */
  readonly load?: LoadSpec;
};

export type LoadSpec = {
  readonly requestsPerSecond: number;
  readonly requestSeconds: Range;
  /** More than this on one instance in one second is dropped. */
  readonly perInstancePerSecond?: number;
  /** Seconds after the world began. Without it the load begins when the first target is healthy. */
  readonly startsAtSeconds?: number;
};

export type TimingSpec = {
  /** `pending` to `running`. */
  readonly pendingSeconds: Range;
  /** `running` until the instance answers health checks. */
  readonly bootSeconds: Range;
  /** From there until EC2's status checks have a result: they run each minute, and begin with `initializing` (default 60 to 120 seconds). */
  readonly statusCheckSeconds?: Range;
  /** How long describes may show the state before a write (EC2 is eventually consistent). */
  readonly lagSeconds: Range;
  /** How old the state is that a `DescribeAutoScalingGroups` shows. Each call draws it anew (default: none). */
  readonly asgLagSeconds?: Range;
  /** `shutting-down` to `terminated` (default 2 to 10 seconds). */
  readonly shutdownSeconds?: Range;
  /** The interval at which an Auto Scaling group checks its size and health. */
  readonly asgPeriodSeconds: number;
  /** Latency of a call, by `service:operation` or `service:*` or `*`. */
  readonly latencyMs: Readonly<Record<string, Range>>;
  /** What each instance in an answer adds to the time until the caller has read it, by `service:operation` (default: nothing). */
  readonly latencyPerInstanceMs?: Readonly<Record<string, number>>;
};
