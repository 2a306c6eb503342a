import type { BreakerMemory } from '../breaker/breaker.ts';
import type { BreakerNews } from '../breaker/learn.ts';
import type { Chosen } from '../decision/chosen-members.ts';
import type { Group } from '../group/group.ts';
import type { UnfitAsg, UnfitSetting } from '../group/unfit.ts';
import type { Reservation } from '../launch/reservation.ts';
import type { LaunchMemory } from '../limits/launch-limit.ts';
import type { NotDone } from '../observe/not-done.ts';
import type { Offering, OfferingKey } from '../pool/offering.ts';
import type { BootMemory, Deaths } from '../pool-memory/boot-memory.ts';
import type { Denials } from '../pool-memory/denials.ts';
import type { BootNews, EndedWhy } from '../pool-memory/failed-boots.ts';
import type { RefillMemory } from '../pool-memory/failing-refills.ts';
import type { GivenUp } from '../pool-memory/given-up.ts';
import type { PoolMemory } from '../pool-memory/pool-memory.ts';
import type { RefusedReleases } from '../removal/refused-releases.ts';
import type { Returns } from '../returning/memory.ts';
import type { KnownAlarms } from '../scaling/lasting-alarms.ts';
import type { Swap } from '../swap/swap.ts';
import type { Added } from './added.ts';
import type { GoneMemory } from './gone-asgs.ts';
import type { NewMembers } from './new-members.ts';
import type { RaisedMax } from './raised-max.ts';
import type { Suspension } from './suspension.ts';
import type { Unserved } from './unserved.ts';

/** One living instance of the group. It is counted once, however many describes showed it. */
export type Member = {
  readonly instance: string;
  /** The pool it was launched from (by tag), or the pool whose offering it matches. Undefined when there is neither. */
  readonly pool: string | undefined;
  readonly offering: Offering;
  /** The Auto Scaling group that holds it, if any. */
  readonly asg?: string;
  /** Each pool is an Auto Scaling group, and it is in none: an earlier policy launched it, or its user detached it. */
  readonly isOutside?: true;
  readonly state: 'pending' | 'running';
  readonly launchedAtMs: number;
  /** Reservation it was launched under, from its tag. */
  readonly reservation?: string;
  /** The group that its tag names, where that is another one, from which it came with its Auto Scaling group. */
  readonly launchedFor?: string;
  /**
   * Holdfast has nothing left to join it to: it is in its Auto Scaling group (which registers its own target groups)
   * and in every target group that the policy names.
   */
  readonly admitted: boolean;
  /** It has joined its Auto Scaling group, or was launched by it, and is not shown there. It may have left again. */
  readonly unshown?: boolean;
  /** Admitted, and healthy in every target group that it is in: it takes work. */
  readonly serving: boolean;
  /** No target group checks it: it counts as serving as soon as it runs. Nothing shows when its software is up. */
  readonly unchecked?: true;
  /** Its policy does not count it as serving yet: it warms up, or EC2's status checks have not passed. */
  readonly unready?: 'warm-up' | 'status-checks';
  /**
   * It could not be read whether it serves. It does not count as serving, so no other member leaves because of it. It
   * does not count as idle either.
   */
  readonly mayServe?: true;
  /**
   * Never chosen for removal: protected from scale-in, or protected from termination when a drain last read that. A
   * look does not read termination protection, because EC2 returns it for only one instance in each call.
   */
  readonly protected: boolean;
  /**
   * It was attached to its Auto Scaling group, and describes show no tag that says so. `long`: the function that
   * attached it died, or the response was lost. `lately`: its tag may be written already.
   */
  readonly unnoted?: 'long' | 'lately';
  /** Describes show no tag of its launch. Its reservation is known from the state alone. */
  readonly isUntagged?: true;
  /** Known to fail its health checks: chosen for removal before all others. */
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
  /** The ids of these. One that EC2 has ended stays among them until the group notices, and then replaces it. */
  readonly holds: readonly string[];
  /**
   * Those that EC2 launched within `refillGraceMs` and shows without the tag of a reservation, and when, epoch ms: the
   * group launched them itself, or their tags are not shown yet. Absent: none.
   */
  readonly untagged?: Readonly<Record<string, number>>;
  /** Those in it that do not count: terminating, in standby, or in its warm pool. Absent: none. */
  readonly aside?: readonly string[];
  /** Instances in it in any state, also terminating and standby ones. Absent: as many as it holds. */
  readonly inside?: number;
  readonly suspended: readonly string[];
  /** Settings with which acceptance would refuse a policy for it. Absent: none. */
  readonly unfit?: readonly UnfitSetting[];
  /** What instances that it holds count towards its sizes, by their ids. Absent: one. */
  readonly units?: Readonly<Record<string, number>>;
  /** What instances that join it count, by their types. Absent: one. */
  readonly weights?: Readonly<Record<string, number>>;
  /** Where others set the size: the desired capacity as the describe shows it. */
  readonly shown?: number;
};

/** A tagged instance that no reservation accounts for: adopted, or removed once it was seen twice and is old enough. */
export type Stray = { readonly firstSeenAtMs: number; readonly sightings: number };

type Memories = BootMemory & RefillMemory & BreakerMemory & GoneMemory & LaunchMemory & NewMembers;

/**
 * The group's state item: the facts about a group that Holdfast stores itself. Unknown fields are kept as they are.
 */
export type GroupState = Memories & {
  /** Number of writes. Every write is conditional on the number that was read. */
  readonly version: number;
  /** When the item was last found to be lost or restored, epoch ms. Absent: this is the group's first item. */
  readonly renewedAtMs?: number;
  /** Marks of the latest writes, by which their authors recognise them. The state store makes and reads them. */
  readonly marks?: readonly string[];
  /** The desired size in force. */
  readonly desired: number;
  /** The size that others set, where it is larger than the maximum of the policy. No decision uses it. */
  readonly beyondMax?: number;
  /**
   * The policy version of the last converge, and its size section, which tells a change of size from other changes.
   * Empty once the group was let go.
   */
  readonly policyVersion: number;
  readonly policySize: string;
  readonly reservations: readonly Reservation[];
  /**
   * The id of the latest reservation ever made. Ids sort by time, so a member with a later id shows that this state was
   * restored from an older time.
   */
  readonly lastReservation?: string;
  readonly memory: PoolMemory;
  /** When each alarm last acted, epoch ms, for its cooldown. */
  readonly alarms: Readonly<Record<string, number>>;
  /**
   * Up to when the schedule of the policy was followed, and its text: a schedule counts from when it comes into force.
   */
  readonly scheduled?: { readonly schedule: string; readonly atMs: number };
  /** The last known states of the alarms of the policy. Absent: none. */
  readonly alarmStates?: KnownAlarms;
  readonly raised: readonly RaisedMax[];
  /** What attaching added to a desired capacity that others set. */
  readonly added?: readonly Added[];
  readonly suspended?: readonly Suspension[];
  /** Auto Scaling groups that this policy or an earlier one named, until they are empty and put back. */
  readonly holders?: readonly string[];
  /** Target groups that this policy or an earlier one named, the latest last. */
  readonly targetGroups?: readonly string[];
  readonly strays: Readonly<Record<string, Stray>>;
  /** New members that do not serve. Absent: none. */
  readonly unserved?: Unserved;
  /** Instances that a user took out of their Auto Scaling group and that were reported as let go. */
  readonly detached?: readonly string[];
  /** How many members above the desired size were kept by minimum sizes, as last reported. */
  readonly keptByMinimum?: number;
  /** Auto Scaling groups that the policy would be refused with, as the last look found them. Absent: none. */
  readonly unfit?: readonly UnfitAsg[];
  /** How many members on demand were missing because no pool gave them, as last reported. */
  readonly onDemandShort?: number;
  /** How many spares were missing when the last decision was made. Absent: none. */
  readonly sparesMissing?: number;
  /** Actions that the last look left out because of the group's mode. No decision uses it. */
  readonly notDone?: NotDone;
  /** Members that decisions let leave and whose swaps may not be written yet. They make a removal binding. */
  readonly chosen?: readonly Chosen[];
  /** Draining members whose place is no longer wanted, because the size fell meanwhile. Absent: none. */
  readonly unreplaced?: readonly string[];
  /** Members reported as ended, and when we received that, epoch ms. An older describe may show them as running. */
  readonly ended?: Readonly<Record<string, number>>;
  /**
   * Since when each Auto Scaling group has held fewer than its desired capacity, by name: it may be launching
   * replacements itself. `closed`: Holdfast lowered the desired capacity to what the group held.
   */
  readonly asgGaps: Readonly<
    Record<string, { readonly sinceMs: number; readonly refused: boolean; readonly closed?: true }>
  >;
  /** Last choice of each `cheapest` node by its path in the tree, for hysteresis. */
  readonly cheapest: Readonly<Record<string, string>>;
  /** Spot prices, and when they were read. Where the last read failed, `readAtMs` says when, and `atMs` is later. */
  readonly prices: {
    readonly atMs: number;
    readonly readAtMs?: number;
    readonly usdPerHour: Readonly<Record<OfferingKey, number>>;
  };
  /**
   * EC2 has throttled launches since `sinceMs`, `streak` times in a row: nothing is requested before `untilMs`. Absent
   * when the last request was not throttled. Items of earlier versions lack `sinceMs`.
   */
  readonly throttle?: { readonly sinceMs?: number; readonly untilMs: number; readonly streak: number };
  /** Members that began to leave for advice within the last hour, where the policy bounds them. */
  readonly advised?: readonly Deaths[];
  /** Ids of members whose warnings were counted, the latest last. */
  readonly counted?: readonly string[];
  /** Moves to better places, and interruptions that count for them. Absent while there is nothing to remember. */
  readonly returns?: Returns;
  /** Auto Scaling groups that did not let a surplus go. Absent: none. */
  readonly refusedReleases?: RefusedReleases;
  /** Launches that EC2 denied because of how they are configured, by pool. */
  readonly denials?: Denials;
  /** Missing members that nothing could give when the last decision was made. Absent: none. */
  readonly uncovered?: number;
  /** How many of the writes noted only what signals say, and followed no decision. Absent: none. */
  readonly notes?: number;
  /** When the launches of policy version `checksOf` are tried with dry runs again. Absent: they are due. */
  readonly checksDueAtMs?: number;
  readonly checksOf?: number;
  /** In a group that was let go: when to report again that a maximum stays raised. */
  readonly wakeAtMs: number;
};

/** Everything that a decision may look at. */
export type View = {
  readonly nowMs: number;
  readonly group: Group;
  readonly state: GroupState;
  readonly members: readonly Member[];
  /** Swaps that are not `gone`, and those that went recently (a describe may still show them). */
  readonly swaps: readonly Swap[];
  readonly asgs: readonly AsgView[];
  /** Instances of this group that EC2 shows as ended. */
  readonly ended: readonly string[];
  /** How many instances that EC2 shows as ended carry the tag of each reservation. Absent: none. */
  readonly endedUnder?: Readonly<Record<string, number>>;
  /** Instances that are shown and hold no place: in standby, taken out by their user, or in a foreign group. */
  readonly aside?: readonly string[];
  /** Facts that this look found for the first time. They are reported, and change no decision. */
  readonly news?: {
    readonly detached: readonly string[];
    readonly adviceNotFollowed: readonly string[];
    /** Advised members that stay, because the budget for advice is spent. */
    readonly adviceOverBudget?: readonly string[];
    /** Members that are in service again, because EC2 warned about them and did not take them. */
    readonly putBack?: readonly string[];
    /** Launched instances that this look finds serving for the first time. */
    readonly serves?: readonly string[];
    readonly failedBoots?: readonly BootNews[];
    readonly breakers?: readonly BreakerNews[];
    /** Why instances of the group ended without an order to end them, the most frequent reason first. */
    readonly ends?: readonly EndedWhy[];
    readonly givenUp?: readonly GivenUp[];
  };
  /** The most that may be launched now by the account's buckets. Absent: no bound. */
  readonly mayLaunch?: number;
};
