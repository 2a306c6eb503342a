import type { RemovalOrder } from './group.ts';
import type { OfferingKey } from './offering.ts';
import type { Placement } from './placement.ts';
import type { SpreadBy } from './selector.ts';
import type { Prose } from './shortfall.ts';
import type { LeaveReason } from './swap.ts';
import type { RaisedMax } from './view.ts';

/** What stands against a pool, or against one of its offerings, where a placement was made. */
export type Against =
  | { readonly code: 'at-cap'; readonly held: number; readonly cap: number }
  /** The Auto Scaling group of the pool is as large as its owner lets it be. */
  | { readonly code: 'at-maximum'; readonly held: number; readonly max: number }
  /** The pool has no instance type or no zone where the tree asks for it. */
  | { readonly code: 'no-offering' }
  | {
      readonly code: 'over-price';
      readonly offering: OfferingKey;
      readonly priceUsdPerHour: number;
      readonly limitUsdPerHour: number;
    }
  | { readonly code: 'refused'; readonly offering: OfferingKey; readonly awsCode: string; readonly untilMs: number }
  /** EC2 took instances of this offering, or advises to leave it (`advised`): it is a last resort until then. */
  | { readonly code: 'interrupted' | 'advised'; readonly offering: OfferingKey; readonly untilMs: number }
  /** Further offerings of this pool that something stands against, and that are not named one by one. */
  | { readonly code: 'more-offerings'; readonly count: number }
  | Prose;

/**
 * Why a child of the tree was passed over when a placement was made. `path` is where in the tree, for example
 * `tiered[0].spread[1]`.
 */
export type Rejection = { readonly path: string; readonly pool: string } & Against;

/** One turn on the way down the tree, as it stood before the first instance of the placement was counted. */
export type Turn =
  | { readonly kind: 'tiered'; readonly tier: number; readonly of: number }
  | { readonly kind: 'spread'; readonly by: SpreadBy; readonly name: string; readonly held: number }
  | { readonly kind: 'weighted'; readonly name: string; readonly belowShare: number }
  | { readonly kind: 'cheapest'; readonly name: string; readonly priceUsdPerHour?: number };

/** A placement and how the tree came to it. */
export type PlacementReason = {
  readonly pool: string;
  readonly count: number;
  /** From the root down; empty for a tree that is one pool. */
  readonly turns: readonly Turn[];
  /**
   * Nothing else in the whole tree was eligible: offerings were used that EC2 took instances of, or advises to leave.
   */
  readonly lastResort?: 'advised' | 'interrupted';
  /** What the first version stored in place of turns. */
  readonly prose?: string;
};

/** Where a member stands in the order of removal. */
export type RemovalRank =
  /** Members within a tenth of this price are of one rank; absent: its price is not known. */
  | { readonly order: 'dearest-first'; readonly aboutUsdPerHour?: number }
  | { readonly order: Extract<RemovalOrder, 'oldest-first' | 'newest-first'>; readonly launchedAtMs: number }
  | { readonly order: 'same-order' };

/** Why Holdfast removes a member by its own choice. */
export type RemovalReason =
  /** The group has more members than its desired size. */
  | { readonly code: 'surplus'; readonly rank: RemovalRank; readonly unhealthy?: true }
  /** It carries the group's tag, and no reservation and no pool explains it. */
  | { readonly code: 'stray'; readonly firstSeenAtMs: number; readonly sightings: number }
  | Prose;

/** Members that stop being members: each gets a swap item and a drain. */
export type Leaving = { readonly instance: string; readonly reason: LeaveReason; readonly why: RemovalReason };

/** The pure result of looking at a view. */
export type Decision = {
  readonly group: string;
  readonly desired: number;
  /** Members that stay, launches in flight included. */
  readonly staying: number;
  readonly placements: readonly Placement[];
  /** Instances still missing that nothing eligible can give. */
  readonly unplaced: number;
  readonly reasons: readonly PlacementReason[];
  readonly rejected: readonly Rejection[];
  readonly removals: readonly Leaving[];
  /** Claimed swaps whose drain begins now, surge budget allowing. */
  readonly drains: readonly string[];
  /** Running members to attach to the Auto Scaling group or register with target groups. */
  readonly admissions: readonly string[];
  /** Maximum sizes to raise before admissions, and ones to put back. */
  readonly raise: readonly RaisedMax[];
  readonly restore: readonly RaisedMax[];
  /** Auto Scaling groups whose own attempt to refill is taken over: their desired capacity is set to what they hold. */
  readonly takeOver: readonly { readonly asg: string; readonly desired: number }[];
  /**
   * Leaving instances, drained or dead, that their Auto Scaling group still counts: it lets them go before it replaces
   * what is replaced already.
   */
  readonly unnoticed: readonly string[];
  /** Last choice of each `cheapest` node, to be remembered. */
  readonly cheapest: Readonly<Record<string, string>>;
  /** When to look again without a signal, if anything is due before the next tick. */
  readonly wakeAtMs?: number;
};
