import type { OverOffering } from '../breaker/breaker.ts';
import type { RemovalOrder } from '../group/group.ts';
import type { Placement } from '../placement/placement.ts';
import type { AtShare, ShareOf } from '../placement/shares.ts';
import type { OfferingKey } from '../pool/offering.ts';
import type { LeaveReason } from '../removal/leave-reason.ts';
import type { MoveReason } from '../returning/plan-return.ts';
import type { NotMoved } from '../returning/rule.ts';
import type { SpreadBy } from '../selector/selector.ts';
import type { Prose } from '../swap/shortfall.ts';
import type { Added } from '../view/added.ts';
import type { GoneAsgs } from '../view/gone-asgs.ts';
import type { RaisedMax } from '../view/raised-max.ts';
import type { Suspension } from '../view/suspension.ts';
import type { Remark } from './remark.ts';

/** Why a pool, or one of its offerings, could not be used when a placement was made. */
export type Against =
  | { readonly code: 'at-cap'; readonly held: number; readonly cap: number }
  /** The Auto Scaling group of the pool has reached its maximum size. */
  | { readonly code: 'at-maximum'; readonly held: number; readonly max: number }
  /** The Auto Scaling group of the pool was deleted, and there is no other one of that name. */
  | { readonly code: 'asg-gone'; readonly offering: OfferingKey; readonly asg: string }
  /** The pool has no instance type or no zone at this place of the tree. */
  | { readonly code: 'no-offering' }
  | {
      readonly code: 'over-price';
      readonly offering: OfferingKey;
      readonly priceUsdPerHour: number;
      readonly limitUsdPerHour: number;
    }
  | { readonly code: 'refused'; readonly offering: OfferingKey; readonly awsCode: string; readonly untilMs: number }
  /**
   * Instances of the pool ended before they served, the last one for this reason. Or EC2 denied a launch because of its
   * configuration, for example a missing right or a deleted template.
   */
  | {
      readonly code: 'boots-failed' | 'denied';
      readonly offering: OfferingKey;
      readonly awsCode: string;
      readonly awsMessage: string;
      readonly untilMs: number;
    }
  /** EC2 took instances of this offering, or advises to leave it (`advised`): it comes last in its tier until then. */
  | { readonly code: 'interrupted' | 'advised'; readonly offering: OfferingKey; readonly untilMs: number }
  /** One more member would be more than the policy's `maxShare` allows. */
  | AtShare
  /** A breaker covers it: it is open, is being tested by one launch, or may be tested now. */
  | ({ readonly code: 'breaker'; readonly offering: OfferingKey } & OverOffering)
  /** Further offerings of this pool that cannot be used and are not named one by one. */
  | { readonly code: 'more-offerings'; readonly count: number }
  | Prose;

/**
 * Why a child of the tree was passed over when a placement was made. `path` is its place in the tree, for example
 * `tiered[0].spread[1]`.
 */
export type Rejection = { readonly path: string; readonly pool: string } & Against;

/** One step on the way down the tree, as it stood before the first instance of the placement was counted. */
export type Turn =
  | { readonly kind: 'tiered'; readonly tier: number; readonly of: number }
  | { readonly kind: 'spread'; readonly by: SpreadBy; readonly name: string; readonly held: number }
  | { readonly kind: 'weighted'; readonly name: string; readonly belowShare: number }
  | { readonly kind: 'cheapest'; readonly name: string; readonly priceUsdPerHour?: number };

/** A placement, and how the tree chose it. */
export type PlacementReason = {
  readonly pool: string;
  readonly count: number;
  /** From the root down. Empty when the tree is a single pool. */
  readonly turns: readonly Turn[];
  /**
   * Nothing better in its tier was eligible, so offerings were used that EC2 took instances of or advises to leave.
   * `trial`: one launch that tests whether a breaker can be closed. `breaker`: used although its breaker is open.
   */
  readonly lastResort?: 'advised' | 'interrupted' | 'trial' | 'refused' | 'breaker';
  /** Placed on demand because the group owed this many and had fewer. Earlier tiers did not matter. */
  readonly owed?: { readonly onDemand: number; readonly held: number };
  /** These are members above the size, on spot alone. */
  readonly spare?: true;
  /** The first version stored a sentence here instead of turns. */
  readonly prose?: string;
};

/** The position of a member in the order of removal. */
export type RemovalRank =
  /** Members whose prices differ by less than a tenth share one rank. Absent when the price is not known. */
  | { readonly order: 'dearest-first'; readonly aboutUsdPerHour?: number }
  | { readonly order: Extract<RemovalOrder, 'oldest-first' | 'newest-first'>; readonly launchedAtMs: number }
  | { readonly order: 'same-order' };

/** Why Holdfast removes a member that neither EC2 nor Auto Scaling takes. */
export type RemovalReason =
  /** A member above the size serves in an earlier tier and takes its place. */
  | { readonly code: 'stand-in'; readonly pool: string }
  /** The group has more members than its desired size. */
  | {
      readonly code: 'surplus';
      readonly rank: RemovalRank;
      readonly unhealthy?: true;
      /** Its instance type, zone or offering holds more than the policy's `maxShare` allows at this size. */
      readonly overShare?: ShareOf;
    }
  /** Its replacement serves in a better place: that reservation launched it, from that pool. */
  | { readonly code: 'return'; readonly reservation: string; readonly pool?: string }
  /** It has the group's tag, but no reservation and no pool explains it. */
  | { readonly code: 'stray'; readonly firstSeenAtMs: number; readonly sightings: number }
  | Prose;

/** Members that leave the group: each gets a swap item and a drain. */
export type Leaving = { readonly instance: string; readonly reason: LeaveReason; readonly why: RemovalReason };

/** The pure result of looking at a view. */
export type Decision = {
  readonly group: string;
  readonly desired: number;
  /** Members that stay, launches in flight included. */
  readonly staying: number;
  readonly placements: readonly Placement[];
  /** Missing instances that no eligible pool can give. Spares are not among them. */
  readonly unplaced: number;
  /** Spares that are launched, and those that spot does not give now. Absent: none is missing. */
  readonly spares?: { readonly placed: number; readonly missing: number };
  readonly reasons: readonly PlacementReason[];
  readonly rejected: readonly Rejection[];
  readonly removals: readonly Leaving[];
  /** Claimed swaps whose drain begins now, within the surge budget. */
  readonly drains: readonly string[];
  /** Running members to attach to the Auto Scaling group or register with target groups. */
  readonly admissions: readonly string[];
  /** Maximum sizes to raise before admissions, and ones to put back. */
  readonly raise: readonly RaisedMax[];
  readonly restore: readonly RaisedMax[];
  /** Raised maximum sizes to lower to what still has to fit. Absent: none. */
  readonly lower?: readonly RaisedMax[];
  /** Processes to suspend while members join or are replaced in a group whose size others set, and ones to resume. */
  readonly suspend?: readonly Suspension[];
  readonly resume?: readonly Suspension[];
  /** Additions of attaches to a desired capacity that others set, to be taken off now. */
  readonly takeDown?: readonly Added[];
  /**
   * Auto Scaling groups that failed to refill themselves and that we refill in their place: their desired capacity is
   * lowered to the members that they hold.
   */
  readonly takeOver: readonly { readonly asg: string; readonly desired: number }[];
  /**
   * Ended instances that nothing can replace now. Their Auto Scaling group keeps its desired capacity and replaces them
   * itself. Absent: none.
   */
  readonly leftToGroups?: readonly string[];
  /** Missing members that no pool gives now, or only pools whose last launch failed. Absent: none. */
  readonly uncovered?: number;
  /**
   * Leaving instances, drained or dead, that their Auto Scaling group still counts. They are terminated through the
   * group, so that it does not launch a second replacement.
   */
  readonly unnoticed: readonly string[];
  /** The last choice of each `cheapest` node, to be stored. */
  readonly cheapest: Readonly<Record<string, string>>;
  /** Members that move to better places: each leaves once its replacement serves. Absent: none. */
  readonly moves?: readonly MoveReason[];
  /** Why no member moves now, although a better place may exist. */
  readonly notMoved?: NotMoved;
  /** Facts that were found and not acted on. Absent in decisions that were stored before there were remarks. */
  readonly remarks?: readonly Remark[];
  /** Members above the desired size that stay because of minimum sizes. Absent: none. */
  readonly keptByMinimum?: number;
  /** Auto Scaling groups of the policy that this look did not find. Absent: none. */
  readonly goneAsgs?: GoneAsgs;
  /** How many members are missing on demand, because no pool gives them. Absent: none. */
  readonly onDemandShort?: number;
  /** When to look again without a signal, if anything is due before the next tick. */
  readonly wakeAtMs?: number;
};
