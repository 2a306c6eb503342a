import type { Chosen } from './chosen.ts';
import type { Group } from './group.ts';
import type { Offering, OfferingKey } from './offering.ts';
import type { PoolMemory } from './pool-memory.ts';
import type { Reservation } from './reservation.ts';
import type { Swap } from './swap.ts';

/** One living instance of the group, counted once however many describes showed it. */
export type Member = {
  readonly instance: string;
  /** The pool it was launched from (tag), or the pool whose offering it matches, or undefined when none does. */
  readonly pool: string | undefined;
  readonly offering: Offering;
  /** The Auto Scaling group that has it, where one has. */
  readonly asg?: string;
  readonly state: 'pending' | 'running';
  readonly launchedAtMs: number;
  /** Reservation it was launched under, from its tag. */
  readonly reservation?: string;
  /**
   * The group that its tag names, where that is another one: it was launched for that one, and came with its Auto
   * Scaling group.
   */
  readonly launchedFor?: string;
  /**
   * Nothing is left for Holdfast to join it to: it is in its Auto Scaling group (which registers its own target groups)
   * and in every target group that the policy names.
   */
  readonly admitted: boolean;
  /** Admitted, and healthy in every target group it is in: it takes work. */
  readonly serving: boolean;
  /**
   * Whether it serves could not be read: it is not known to serve, so nobody leaves on its account, and it is not known
   * to be idle either.
   */
  readonly mayServe?: true;
  /**
   * Never chosen for removal: protected from scale-in, or its end was refused a while ago. Termination protection
   * itself is not looked at: EC2 tells it for one instance a call.
   */
  readonly protected: boolean;
  /** Known to fail its checks: chosen for removal before all others. */
  readonly unhealthy: boolean;
};

/** The state of an Auto Scaling group that holds members. */
export type AsgView = {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly desired: number;
  /** Instances that count towards its desired capacity (pending and in service). */
  readonly held: number;
  /** Which these are. One that EC2 has ended stays among them until the group notices, and then replaces it. */
  readonly holds: readonly string[];
  /** Instances in it in any state: those that terminate or stand by too. Absent: as many as it holds. */
  readonly inside?: number;
  readonly suspended: readonly string[];
};

/** A maximum size that we raised and must put back. */
export type RaisedMax = {
  readonly asg: string;
  /** The owner's value. */
  readonly fromMax: number;
  /** The value that we gave it last. */
  readonly toMax: number;
  /** Values that we gave it before: what was noted last may never have been carried out. */
  readonly earlier?: readonly number[];
};

/** A tagged instance that no reservation accounts for: adopted, or removed once seen twice and old enough. */
export type Stray = { readonly firstSeenAtMs: number; readonly sightings: number };

/**
 * What Holdfast itself wrote down about a group: the group's state item. Fields that it does not know (of another
 * version) are kept as they are.
 */
export type GroupState = {
  /** Counts writes: every write is conditional on the number it read. */
  readonly version: number;
  /** The desired size in force. */
  readonly desired: number;
  /**
   * Policy version that was last converged to, and its size section, so that a change of size is told from other
   * changes; empty once let go.
   */
  readonly policyVersion: number;
  readonly policySize: string;
  readonly reservations: readonly Reservation[];
  /**
   * The latest reservation ever made, by id: ids sort by time. A member under a later one shows that this state was
   * restored from an older time.
   */
  readonly lastReservation?: string;
  readonly memory: PoolMemory;
  /** Last time each alarm acted, epoch ms, for its cooldown. */
  readonly alarms: Readonly<Record<string, number>>;
  readonly raised: readonly RaisedMax[];
  /** Auto Scaling groups that this policy or an earlier one named, until they are empty and put back. */
  readonly holders?: readonly string[];
  readonly strays: Readonly<Record<string, Stray>>;
  /** Instances that somebody took out of their Auto Scaling group, as far as it was said that they are let go. */
  readonly detached?: readonly string[];
  /**
   * Members that decisions let leave and whose swaps may not be written yet: this makes a removal binding, as a
   * reservation makes a launch.
   */
  readonly chosen?: readonly Chosen[];
  /**
   * Members that EC2 told us have ended, and when we heard, epoch ms: a describe that lags behind may still show them
   * as running.
   */
  readonly ended?: Readonly<Record<string, number>>;
  /**
   * Since when an Auto Scaling group has held fewer than its desired capacity, by name: it may be replacing by itself.
   */
  readonly asgGaps: Readonly<Record<string, { readonly sinceMs: number; readonly refused: boolean }>>;
  /** Last choice of each `cheapest` node by its path in the tree, for hysteresis. */
  readonly cheapest: Readonly<Record<string, string>>;
  /** Spot prices, and when they were read. */
  readonly prices: { readonly atMs: number; readonly usdPerHour: Readonly<Record<OfferingKey, number>> };
  /**
   * EC2 throttled launches, `streak` times in a row: nothing is asked for before `untilMs`. Absent when the last
   * request was not throttled.
   */
  readonly throttle?: { readonly untilMs: number; readonly streak: number };
  /** When the next wake message for this group is due; avoids sending many. */
  readonly wakeAtMs: number;
};

/** What a decision may look at, and all it may look at. */
export type View = {
  readonly nowMs: number;
  readonly group: Group;
  readonly state: GroupState;
  readonly members: readonly Member[];
  /** Swaps that are not `gone`, and those that went recently (a describe may still show them). */
  readonly swaps: readonly Swap[];
  readonly asgs: readonly AsgView[];
  /** Instances of this group whose end EC2 shows. */
  readonly ended: readonly string[];
};
