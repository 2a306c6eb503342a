import type { Placement } from './placement.ts';
import type { LeaveReason } from './swap.ts';
import type { RaisedMax } from './view.ts';

/** Why a child of the tree was passed over when a placement was made. */
export type Rejection = {
  /** Where in the tree, for example `tiered[0].spread[1]`. */
  readonly path: string;
  readonly pool: string;
  /** What stood against it, in words an operator can read. */
  readonly why: string;
};

/** A placement and how the tree came to it. */
export type PlacementReason = {
  readonly pool: string;
  readonly count: number;
  /** For example `tiered: tier 2 of 2; weighted: od-1a is 1.6 below its share`. */
  readonly why: string;
};

/** Members that stop being members: each gets a swap item and a drain. */
export type Leaving = { readonly instance: string; readonly reason: LeaveReason; readonly why: string };

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
  /** Leaving instances, drained or dead, that their Auto Scaling group still counts: it lets them go before it replaces what is replaced already. */
  readonly unnoticed: readonly string[];
  /** Last choice of each `cheapest` node, to be remembered. */
  readonly cheapest: Readonly<Record<string, string>>;
  /** When to look again without a signal, if anything is due before the next tick. */
  readonly wakeAtMs?: number;
};
