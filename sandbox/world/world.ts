import type { Market } from '../../core/pool/offering.ts';
import type { ApiService } from '../api.ts';
import type { WorldEvent } from '../judge/history.ts';
import type { BootFailure, BootFate, BootFilter } from './boot-fates.ts';
import type { TemplateSpecification } from './ec2/launch-templates.ts';
import type { TemplateContents } from './spec.ts';

/** EC2, Auto Scaling and Elastic Load Balancing as one simulated world. */
export type World = {
  /** `ec2`, `autoscaling` and `elasticloadbalancing`, ready to be called. */
  readonly services: readonly ApiService[];
  /**
   * EC2 takes spot instances: a warning now (unless `silent`), the end after `noticeMs` (with `spares`, they run on). With `reserved` it takes instances of
   * any market, because the owner of their interruptible capacity reservation takes it back. Returns which ids were none of these, or did not run.
   */
  interrupt(
    instances: readonly string[],
    how: {
      readonly noticeMs: number;
      readonly silent?: boolean;
      readonly spares?: boolean;
      readonly reserved?: boolean;
      readonly action?: 'terminate' | 'stop' | 'hibernate';
    },
  ): {
    readonly unknown: readonly string[];
  };
  /** EC2 recommends to rebalance these. */
  recommendRebalance(instances: readonly string[]): { readonly unknown: readonly string[] };
  /** AWS Health announces that EC2 retires these after this time. EC2 then retires those that still run. */
  scheduleRetirement(instances: readonly string[], inMs: number): { readonly unknown: readonly string[] };
  /** Ends an instance without any warning (a hardware failure, or a failure while it is pending). */
  kill(instance: string): boolean;
  /**
   * Changes the capacity of an offering. If more instances run than that and `reclaim` is set, EC2 takes the youngest of the surplus with this notice. Returns
   * false if there is no such offering.
   */
  setOffering(
    offering: { readonly instanceType: string; readonly zone: string; readonly market: Market },
    change: { readonly capacity?: number | null; readonly priceUsdPerHour?: number; readonly reclaim?: { readonly noticeMs: number } },
  ): boolean;
  /** Instances that stop answering health checks, or answer them again. Returns which ids were not running. */
  setServing(instances: readonly string[], isServing: boolean): { readonly unknown: readonly string[] };
  /** The fate of matching launches, from now on, and EC2's reason for those that end (default: `Client.InternalError`). */
  setBoots(filter: BootFilter, fate: BootFate, reason?: BootFailure): void;
  /** EC2 starts spot instances again that it stopped or hibernated, where there is capacity. Returns which ids were not stopped, or found none. */
  restart(instances: readonly string[]): { readonly unknown: readonly string[] };
  /** Sets the number of free addresses of a subnet. Returns false if there is no such subnet. */
  setFreeAddresses(subnet: string, free: number): boolean;
  /** Fills the bucket of launched instances, as if the account had launched nothing for a long time. */
  restLaunches(): void;
  /** How many instances of a market the account may have from now on; `null` is without limit. */
  setQuota(market: Market, most: number | null): void;
  /** Changes the requests per second of a target group, by name. False when there is no such target group. */
  setLoad(targetGroup: string, requestsPerSecond: number): boolean;
  /** Tags by ARN or instance id, for conditions of IAM policies. */
  tagsOf(resource: string): Readonly<Record<string, string>> | undefined;
  /** What a launch template holds, for the rights that a launch from it needs. */
  templateOf(specification: TemplateSpecification): TemplateContents | undefined;
  snapshot(): WorldSnapshot;
  /** Events of the history, as they happen; first what offerings and Auto Scaling groups are as the following begins. */
  follow(listener: (event: WorldEvent) => void): void;
  /** Every change of an instance and every request, as it happens. */
  observe(listener: (fact: WorldFact) => void): void;
  /** Instance hours so far in USD, and what the same hours would have cost on demand. */
  cost(): { readonly usd: number; readonly onDemandUsd: number };
};

export type InstanceSnapshot = {
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly subnet: string;
  readonly market: Market;
  readonly state: 'pending' | 'running' | 'shutting-down' | 'terminated' | 'stopping' | 'stopped';
  readonly launchedAtMs: number;
  /** The time at which EC2 takes it, if it was warned. */
  readonly takenAtMs?: number;
  readonly asg?: { readonly name: string; readonly lifecycleState: string };
  /** Protected by its user: from scale-in of its Auto Scaling group, or from termination by EC2. */
  readonly isProtected?: true;
  /** The time since which it answers health checks. */
  readonly bootedAtMs?: number;
  /** Health by target group name: `initial`, `healthy`, `unhealthy`, `draining`. */
  readonly targets: Readonly<Record<string, string>>;
  /** Requests being served right now. */
  readonly inFlight: number;
  readonly tags: Readonly<Record<string, string>>;
};

export type WorldSnapshot = {
  readonly nowMs: number;
  readonly instances: readonly InstanceSnapshot[];
  readonly offerings: readonly {
    readonly instanceType: string;
    readonly zone: string;
    readonly market: Market;
    readonly capacity: number | null;
    readonly used: number;
    readonly priceUsdPerHour: number;
  }[];
  readonly autoScalingGroups: readonly {
    readonly name: string;
    readonly min: number;
    readonly max: number;
    readonly desired: number;
    readonly suspended: readonly string[];
    /** What an instance of each type counts towards the sizes. Absent: each counts as one. */
    readonly weights?: Readonly<Record<string, number>>;
    readonly instances: readonly { readonly id: string; readonly lifecycleState: string; readonly health: string }[];
  }[];
  readonly targetGroups: readonly {
    readonly name: string;
    readonly arn: string;
    readonly healthy: number;
    readonly draining: number;
    readonly served: number;
    readonly dropped: number;
  }[];
};

/** Why an Auto Scaling group launches without a request for just that instance: to hold its desired capacity, to even out its zones, to follow a changed distribution, or to replace a member at risk. */
export type OwnAccord = 'size' | 'zones' | 'distribution' | 'risk';

/**
 * What happened in the world; times are world time in epoch milliseconds.
 * `serving`: answers requests, told when it turns healthy in a target group, or at the end of its boot when it is in none.
 * `retired`: its Auto Scaling group ends it of its own accord, because it holds more than its desired capacity, or because the member is at risk.
 * `draining`, `drained`: taken off its first target group; the last request that was in flight has ended.
 */
export type WorldFact =
  | { readonly kind: 'launched'; readonly instance: string; readonly atMs: number; readonly ownAccord?: OwnAccord }
  | { readonly kind: 'retired'; readonly instance: string; readonly atMs: number }
  | {
      readonly kind: 'running' | 'serving' | 'draining' | 'drained' | 'shutting-down' | 'terminated';
      readonly instance: string;
      readonly atMs: number;
    }
  | { readonly kind: 'warned' | 'rebalance'; readonly instance: string; readonly atMs: number; readonly takenAtMs?: number }
  | { readonly kind: 'served' | 'dropped'; readonly targetGroup: string; readonly count: number; readonly atMs: number };
