import type { DecisionRecord } from './decision-record.ts';
import type { Group } from './group.ts';
import type { LaunchRequest } from './launch-request.ts';
import type { Offering, OfferingKey } from './offering.ts';
import type { Reservation } from './reservation.ts';
import type { LifecycleHook, Swap } from './swap.ts';
import type { AsgView, GroupState, Member, RaisedMax } from './view.ts';

/** Milliseconds since the epoch. */
export type Clock = { now(): number };

/** What EC2 or Auto Scaling said to one reservation. Partial success is success with refusals. */
export type LaunchResult =
  | {
      readonly kind: 'answered';
      readonly instances: readonly LaunchedInstance[];
      readonly refusals: readonly Refusal[];
    }
  /**
   * Certain to have launched nothing, and nothing is known about capacity: place anew, later, under a new token (EC2
   * answers a token that it throttled inside a fleet's `Errors[]` with the same throttle again).
   */
  | { readonly kind: 'throttled'; readonly code: string }
  /** The request may have been carried out: repeat with the same token. */
  | { readonly kind: 'ambiguous'; readonly code: string }
  /** The request itself is wrong (a template that is gone, a right that is missing): no retry will mend it. */
  | { readonly kind: 'invalid'; readonly code: string; readonly message: string }
  /** Another request was made under this token already: what it launched is found by its tag. */
  | { readonly kind: 'made-before'; readonly code: string }
  /** The lease ran out before the request could be made: it is for others to make now. */
  | { readonly kind: 'not-asked'; readonly code: string };

/** A request to be made, or made again. */
export type LaunchOrder = {
  readonly request: LaunchRequest;
  readonly isRepeat: boolean;
  /** After this time, by the clock of whoever asks, no attempt of it may begin. */
  readonly leaseUntilMs: number;
};

export type LaunchedInstance = { readonly instance: string; readonly offering: Offering };

/** EC2's no to an offering. `scope` says how far it reaches. */
export type Refusal = {
  readonly offering: Offering;
  readonly code: string;
  readonly message: string;
  /**
   * `offering`: this one. `subnet`: this subnet, for every type; another one of the zone may have room.
   * `zone-permanent`: this type is not sold in this zone. `market`: an account quota for the whole market.
   */
  readonly scope: 'offering' | 'subnet' | 'zone-permanent' | 'market';
  /** With scope `subnet`: which. */
  readonly subnet?: string;
};

/** Outcome of an action on a list of instances: what could not be done, and why; gone already is success. */
export type ActionResult = {
  readonly done: readonly string[];
  readonly failed: readonly { readonly instance: string; readonly code: string; readonly retry: 'later' | 'never' }[];
};

/** What a look at a group's instances and their holders gave. */
export type Holdings = {
  readonly members: readonly Member[];
  readonly asgs: readonly AsgView[];
  /**
   * Instances of this group that run and hold no place in it: their Auto Scaling group ends them, or keeps them in
   * standby or warm.
   */
  readonly aside: readonly string[];
  /**
   * Instances that somebody took out of their Auto Scaling group. They keep our tags, and are no longer this group's:
   * they are let go.
   */
  readonly detached?: readonly string[];
  /**
   * Of those that ended, the ones that are stopped or about to be: they are there still, and EC2 or somebody may start
   * them again.
   */
  readonly stopped: readonly string[];
  /**
   * Instances of this group that EC2 shows as shutting down, terminated or stopped: their end is known, not merely
   * unseen.
   */
  readonly ended: readonly string[];
};

/** Where capacity comes from and is held: one implementation per way of holding a group. */
export type CapacityProvider = {
  /**
   * Everything of this group that is pending or running: tagged instances, members of its Auto Scaling groups, target
   * health. Reads every page.
   */
  describe(group: Group): Promise<Holdings>;
  /**
   * The request of a reservation, as the policy has it now. Undefined when the policy has nothing for it: no such pool,
   * or no subnet for any offering.
   */
  requestOf(group: Group, reservation: Reservation): LaunchRequest | undefined;
  /**
   * Makes requests, each under its own token. A result per order, in the same order. Never throws for what EC2 says
   * about capacity.
   */
  launch(orders: readonly LaunchOrder[]): Promise<readonly LaunchResult[]>;
  /** Attaches running members to the Auto Scaling group, or registers them with target groups. */
  admit(group: Group, instances: readonly string[]): Promise<ActionResult>;
  /**
   * Takes leaving members out of service at the start of a drain: deregisters targets, lets an Auto Scaling group end
   * them with decrement.
   */
  release(group: Group, swaps: readonly Swap[]): Promise<ActionResult>;
  /** Where work on leaving instances stands: still connected somewhere until (by deregistration delay) which time. */
  inspectDrain(group: Group, swaps: readonly Swap[]): Promise<readonly DrainProgress[]>;
  /** Ends instances that are ours to end. Never touches one without this group's tag or Auto Scaling group. */
  end(group: Group, swaps: readonly Swap[]): Promise<ActionResult>;
  /** `refused`: the group stays as it is for now, and what does not fit cannot join it. */
  raiseMax(raised: RaisedMax): Promise<'done' | 'changed-by-others' | 'refused'>;
  /**
   * Puts a maximum back, only while it still has the value that we gave it. `not-yet`: the group wants more than the
   * old maximum now.
   */
  restoreMax(raised: RaisedMax): Promise<'done' | 'changed-by-others' | 'not-yet'>;
  /** Lowers an Auto Scaling group's desired capacity to what it holds. */
  takeOver(asg: string, desired: number): Promise<'done' | 'refused'>;
};

/**
 * What converging a group needs of it. It releases members that are dead already, so that their Auto Scaling group
 * notices; it ends none.
 */
export type CapacityIn = Pick<
  CapacityProvider,
  'describe' | 'requestOf' | 'launch' | 'admit' | 'release' | 'raiseMax' | 'restoreMax' | 'takeOver'
>;

/** What draining needs of it. Nothing here can launch. */
export type CapacityOut = Pick<CapacityProvider, 'describe' | 'release' | 'inspectDrain' | 'end'>;

export type DrainProgress = {
  readonly instance: string;
  /** No target group has it any more, or EC2 no longer runs it. */
  readonly drained: boolean;
  readonly gone: boolean;
  /** Latest time at which a deregistration delay that is running ends, epoch ms. */
  readonly busyUntilMs?: number;
  /**
   * Longest deregistration delay of the target groups that have it, running or not: what a drain that has not begun
   * must leave time for.
   */
  readonly deregistrationDelayMs?: number;
};

/** Finds whose an instance is. Instances without our tag and without a known Auto Scaling group belong to nobody. */
export type Owners = {
  /** A result per instance that EC2 knows; an instance that no describe shows is missing from the map. */
  ownersOf(instances: readonly string[]): Promise<ReadonlyMap<string, Owner>>;
};

export type Owner = {
  readonly group?: string;
  readonly asg?: string;
  readonly pool?: string;
  /** The launch that it came from; its id begins with the decision's. */
  readonly reservation?: string;
  readonly offering: Offering;
  readonly state: string;
};

export type Prices = {
  /**
   * Current spot prices of these offerings in USD per hour; an offering without a price is missing. Undefined: they
   * could not be read now.
   */
  spotPrices(offerings: readonly Offering[]): Promise<Readonly<Record<OfferingKey, number>> | undefined>;
};

/** Completes and prolongs lifecycle actions. An action that is no longer active is done. */
export type LifecycleActions = {
  complete(instance: string, hook: LifecycleHook): Promise<'done' | 'not-active'>;
  heartbeat(instance: string, hook: LifecycleHook): Promise<'done' | 'not-active'>;
  /** Heartbeat time-outs in milliseconds by hook name; a hook that its group no longer has is missing. */
  timeouts(asg: string, hooks: readonly string[]): Promise<ReadonlyMap<string, number>>;
};

/** One group in the registry: enough to route signals without reading policies. */
export type RegistryEntry = {
  readonly group: string;
  readonly policyVersion: number;
  readonly asgs: readonly string[];
  /** Auto Scaling groups that an earlier policy named and that were not empty when this entry was written. */
  readonly former?: readonly string[];
  readonly alarms: readonly string[];
};

/** The state table. Every write is conditional; a lost race is a value. */
export type StateStore = {
  group(name: string): Promise<Group | undefined>;
  registry(): Promise<readonly RegistryEntry[]>;
  state(group: string): Promise<GroupState | undefined>;
  /** Writes when the stored version is `state.version - 1` (0: no item yet). */
  putState(group: string, state: GroupState): Promise<'done' | 'conflict'>;
  /** Keeps a launch request under its reservation's id, before it is made. */
  putRequest(group: string, reservation: string, request: LaunchRequest): Promise<void>;
  /** The request that was kept; undefined when there is none (of the first version, or removed by hand). */
  request(group: string, reservation: string): Promise<LaunchRequest | undefined>;
  swaps(group: string): Promise<readonly Swap[]>;
  swapOf(instance: string): Promise<Swap | undefined>;
  /** First writer wins: 'exists' gives back what is stored. */
  claim(swap: Swap): Promise<{ readonly kind: 'claimed' } | { readonly kind: 'exists'; readonly swap: Swap }>;
  /**
   * Changes fields of a swap when its state is one of `from` (and its drain is `drain` where given). Never moves
   * backwards.
   */
  advance(swap: Pick<Swap, 'group' | 'instance'>, change: SwapChange): Promise<'done' | 'conflict'>;
  /**
   * Moves a swap that is gone for good, or was a mistake, out of the active ones into history, where `swapOf` still
   * finds it until it expires.
   */
  retire(swap: Swap): Promise<void>;
  putDecision(record: DecisionRecord): Promise<void>;
};

export type SwapChange = {
  readonly from: readonly Swap['state'][];
  readonly drain?: string;
  readonly set: Partial<Omit<Swap, 'group' | 'instance'>>;
  /**
   * The change is made only while the swap has so many hooks: they are only added, so whoever writes the list has seen
   * all that are in it.
   */
  readonly hooksSeen?: number;
  /** Fields that hold no longer, and are taken away. */
  readonly clear?: readonly ('releaseAskedAtMs' | 'shortfall')[];
};

/**
 * Input of the drain workflow: which drain. Its members, their deadlines and what it waits for stand in the swap items
 * that name it, so an order is as small for ten thousand instances as for one, and whoever starts a drain again asks
 * for the very same.
 */
export type DrainOrder = { readonly group: string; readonly drain: string };

export type Drains = {
  /**
   * `running`: it runs now, whoever started it. `over`: a drain of this name came to its end before, and starts no
   * more.
   */
  start(order: DrainOrder): Promise<'running' | 'over'>;
};

/** Sends a message to ourselves: look at this group again at that time. */
export type Wakes = { wake(group: string, atMs: number): Promise<void> };

/** Tells the world on the event bus. */
export type Announcer = { announce(events: readonly Announcement[]): Promise<void> };

export type Announcement = {
  readonly detailType: string;
  readonly group: string;
  readonly detail: Readonly<Record<string, unknown>>;
};
