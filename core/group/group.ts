import type { BreakerRule } from '../breaker/breaker.ts';
import type { LaunchLimit } from '../limits/launch-limit.ts';
import type { OnDemandFloor } from '../placement/on-demand.ts';
import type { MaxShare } from '../placement/shares.ts';
import type { Pool } from '../pool/pool.ts';
import type { Returning } from '../returning/returning.ts';
import type { Selector } from '../selector/selector.ts';
import type { Ready } from '../view/ready.ts';

/** Lower and upper bound of a group's size, and the size it starts with. */
export type Size = {
  readonly min: number;
  readonly max: number;
  readonly desired: number;
  /** Others set the size: it is the desired capacity of the Auto Scaling group that members are attached to. */
  readonly from?: 'asg';
};

export type RemovalOrder = 'dearest-first' | 'oldest-first' | 'newest-first' | 'same-order';

/** How an alarm changes the desired size: by instances or by a share of the present size, always at least one. */
export type Adjustment = { readonly kind: 'instances' | 'percent'; readonly by: number };

/** An adjustment, and the distance beyond the threshold of its alarm from which it applies. */
export type ScalingStep = { readonly beyond: number; readonly adjust: Adjustment };

export type ScalingRule = {
  readonly alarm: string;
  /** The adjustment of the alarm. With steps, the adjustment of the first one. */
  readonly adjust: Adjustment;
  /** Steps by how far the metric is above or below the threshold of the alarm. The farthest step reached applies. */
  readonly steps?: { readonly side: 'above' | 'below'; readonly of: readonly ScalingStep[] };
  readonly cooldownMs: number;
};

/** A size that is set at certain times: the five fields of cron, in a time zone. */
export type ScheduledSize = { readonly at: string; readonly timezone: string; readonly size: number };

/**
 * How the members of a group are held.
 *
 * - `tag`: Holdfast keeps the group itself (CreateFleet, found by tag).
 * - `attach`: launched with CreateFleet, attached to the user's Auto Scaling group when running.
 * - `launch-instances`: each pool is a single-market Auto Scaling group of one zone (LaunchInstances).
 */
export type Holding =
  | { readonly kind: 'tag' }
  | { readonly kind: 'attach'; readonly asg: string }
  | { readonly kind: 'launch-instances' };

/** An accepted policy, ready for decisions: defaults filled in, durations in milliseconds, names resolved. */
export type Group = {
  readonly name: string;
  /** Number of the accepted policy version this was made from. */
  readonly policyVersion: number;
  /** The version with which the policy came back after it was last deleted. Absent: it was never deleted. */
  readonly backWith?: number;
  /** When that version was accepted. */
  readonly backAtMs?: number;
  /** The mode of the group. Absent: it acts. */
  readonly mode?: 'observe' | 'pause';
  /** It acts by its policy, and is treated as paused in this look, because its size counts no instances. */
  readonly countsUnits?: true;
  readonly size: Size;
  readonly capacity: Selector;
  readonly pools: Readonly<Record<string, Pool>>;
  /** USD per hour of an instance type on demand, as the policy states it. */
  readonly onDemandPrices?: Readonly<Record<string, number>>;
  readonly holding: Holding;
  /**
   * Auto Scaling groups that an earlier policy named, until they are empty and put back. They come from the state item
   * and are not part of a policy.
   */
  readonly former?: readonly string[];
  /** Target groups that an earlier policy named. Members that were registered there leave them too. */
  readonly formerTargetGroups?: readonly string[];
  /**
   * Groups that held one of its Auto Scaling groups before, the latest first. This group puts back the maximum sizes
   * that they raised and left raised.
   */
  readonly after?: readonly string[];
  /** How many members are kept on demand. Absent: as many as the tree gives. */
  readonly onDemand?: OnDemandFloor;
  /** The most that one instance type, zone or offering may hold. Absent: no limit. */
  readonly maxShare?: MaxShare;
  /** Members that have never served. They come from the state item too. */
  readonly unserved?: readonly string[];
  /** Members that are kept above the size, on spot alone. Absent: none. */
  readonly spare?: number;
  readonly removal: { readonly order: RemovalOrder };
  readonly swap: { readonly order: 'launch-first' | 'drain-first'; readonly maxSurge: number };
  /** `atMostPerHour`: the most members replaced for advice within an hour. Absent: any number. */
  readonly rebalance: { readonly act: boolean; readonly atMostPerHour?: number };
  /** When members move to better places of the tree. Absent: never. */
  readonly returning?: Returning;
  /** When a member counts as serving, besides its target groups. Absent: once it runs. */
  readonly ready?: Ready;
  /** When spot, or a family of it, is passed over for a while. Absent: never. */
  readonly breaker?: BreakerRule;
  /**
   * The limit of its launches within a time. Absent in versions stored before the limit existed: the default applies.
   */
  readonly launches?: LaunchLimit;
  readonly drain: {
    /** The longest that a drain may take when there is no deadline. */
    readonly timeoutMs: number;
    /**
     * `auto`: the target groups of the Auto Scaling group, or those that the instances are registered with. Otherwise
     * target group ARNs.
     */
    readonly loadBalancers: 'auto' | readonly string[];
    /**
     * The longest deregistration delay when the policy was accepted. A drain uses it until it has read the delays
     * itself. Absent without target groups, and in versions that were accepted before this field existed.
     */
    readonly deregistrationDelayMs?: number;
    /**
     * The target groups of its Auto Scaling groups when the policy was accepted. A drain uses them for members that EC2
     * takes while Auto Scaling cannot be read. Absent in earlier versions, and where there are none.
     */
    readonly asgTargetGroups?: readonly string[];
  };
  readonly scaling: readonly ScalingRule[];
  /** Sizes that are set at certain times. Absent: none. */
  readonly schedule?: readonly ScheduledSize[];
  readonly tags: Readonly<Record<string, string>>;
};
