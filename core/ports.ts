import type { DecisionRecord } from './decision/decision-record.ts';
import type { Group } from './group/group.ts';
import type { LaunchCheck, Trial } from './launch/launch-checks.ts';
import type { LaunchRequest } from './launch/launch-request.ts';
import type { Reservation } from './launch/reservation.ts';
import type { AccountBudget } from './limits/account-budget.ts';
import type { AsgClaim } from './policy/ports.ts';
import type { Offering, OfferingKey } from './pool/offering.ts';
import type { Ending } from './pool-memory/failed-boots.ts';
import type { LifecycleHook, Swap } from './swap/swap.ts';
import type { Added, AsgView, GroupState, Member, RaisedMax, Suspension } from './view/view.ts';

/** Milliseconds since the epoch. */
export type Clock = { now(): number };

/** How EC2 or Auto Scaling answered one reservation. Partial success is success with refusals. */
export type LaunchResult =
  | {
      readonly kind: 'answered';
      readonly instances: readonly LaunchedInstance[];
      readonly refusals: readonly Refusal[];
    }
  /**
   * Certainly nothing was launched, and nothing is known about capacity: place anew, later, under a new token. (When
   * EC2 throttles inside a fleet's `Errors[]`, it returns the same throttle for every repeat under that token.)
   */
  | { readonly kind: 'throttled'; readonly code: string }
  /** The request may have been carried out: repeat with the same token. */
  | { readonly kind: 'ambiguous'; readonly code: string }
  /** The request itself is wrong (a template that is gone, a right that is missing): repeating it cannot succeed. */
  | { readonly kind: 'invalid'; readonly code: string; readonly message: string }
  /** Another request used this token already. What it launched is found by its tag. */
  | { readonly kind: 'made-before'; readonly code: string }
  /** The lease ended before the request was sent: another invocation has to send it now. */
  | { readonly kind: 'not-asked'; readonly code: string };

/** A request to send, for the first time or again. */
export type LaunchOrder = {
  readonly request: LaunchRequest;
  readonly isRepeat: boolean;
  /** No attempt may begin after this time, by the clock of the caller. */
  readonly leaseUntilMs: number;
};

export type LaunchedInstance = { readonly instance: string; readonly offering: Offering };

/** A refusal of an offering by EC2. `scope` says how far it reaches. */
export type Refusal = {
  readonly offering: Offering;
  readonly code: string;
  readonly message: string;
  /**
   * `offering`: this one. `subnet`: this subnet, for every type; another subnet of the zone may have addresses.
   * `zone-permanent`: this type is not offered in this zone. `market`: an account quota for the whole market.
   */
  readonly scope: 'offering' | 'subnet' | 'zone-permanent' | 'market';
  /** Which subnet, with scope `subnet`. */
  readonly subnet?: string;
};

/**
 * Outcome of an action on a list of instances: what failed, and why. An instance that is gone already counts as
 * success.
 */
export type ActionResult = {
  readonly done: readonly string[];
  readonly failed: readonly { readonly instance: string; readonly code: string; readonly retry: 'later' | 'never' }[];
};

/** What a look at a group's instances and their Auto Scaling groups returned. */
export type Holdings = {
  readonly members: readonly Member[];
  readonly asgs: readonly AsgView[];
  /**
   * Instances of this group that run and hold no place in it: their Auto Scaling group terminates them, or keeps them
   * in standby or in its warm pool.
   */
  readonly aside: readonly string[];
  /**
   * Instances that a user took out of their Auto Scaling group. They keep our tags, but no longer belong to this group
   * and are let go.
   */
  readonly detached?: readonly string[];
  /**
   * Of those that ended, the ones that are stopped or stopping: they still exist, and EC2 or a user may start them
   * again.
   */
  readonly stopped: readonly string[];
  /**
   * Instances of this group that EC2 shows as shutting down, terminated or stopped: they have certainly ended, and are
   * not merely missing from a describe.
   */
  readonly ended: readonly string[];
  /** What EC2 says of the ends of those that ended. Absent: nothing. */
  readonly endings?: Readonly<Record<string, Ending>>;
};

/** Where capacity comes from and is held. One implementation for each way of holding a group. */
export type CapacityProvider = {
  /**
   * Everything of this group that is pending or running: tagged instances, members of its Auto Scaling groups, target
   * health. Reads every page.
   */
  describe(group: Group): Promise<Holdings>;
  /**
   * The request of a reservation under the present policy. Undefined when the policy cannot make it: no such pool, or
   * no subnet for any offering.
   */
  requestOf(group: Group, reservation: Reservation): LaunchRequest | undefined;
  /**
   * Sends requests, each under its own token. Returns one result per request, in the same order. Does not throw for
   * capacity errors.
   */
  launch(orders: readonly LaunchOrder[]): Promise<readonly LaunchResult[]>;
  /** Tries a launch without carrying it out. Undefined: AWS would carry it out. */
  tryLaunch(group: Group, trial: Trial): Promise<LaunchCheck | undefined>;
  /**
   * Attaches running members to the Auto Scaling group, or registers them with target groups.
   *
   * @param added the note of this attach, where others set the size: nobody is attached when it has changed since.
   */
  admit(group: Group, instances: readonly string[], added?: Added): Promise<ActionResult>;
  /** Tags members that are in the Auto Scaling group that this group attaches to, so that a later detach is seen. */
  noteJoined(group: Group, instances: readonly string[]): Promise<void>;
  /** Registers members again that a drain has deregistered, because EC2 announced to take them and did not. */
  putBack(group: Group, instances: readonly string[]): Promise<ActionResult>;
  /**
   * Takes leaving members out of service at the start of a drain: deregisters targets, or terminates through the Auto
   * Scaling group with a decrement of its desired capacity. Of those that EC2 takes, as many as are `uncovered` have no
   * replacement and get none now: they are only deregistered, and their Auto Scaling group replaces them.
   */
  release(group: Group, swaps: readonly Swap[], uncovered?: number): Promise<ActionResult>;
  /** The state of leaving instances: whether they still have connections, and until when (by deregistration delay). */
  inspectDrain(group: Group, swaps: readonly Swap[]): Promise<readonly DrainProgress[]>;
  /**
   * Terminates instances that Holdfast has to terminate. Never touches one without this group's tag or Auto Scaling
   * group.
   */
  end(group: Group, swaps: readonly Swap[]): Promise<ActionResult>;
  /** `refused`: the maximum cannot be raised now, and members beyond it cannot join. */
  raiseMax(raised: RaisedMax): Promise<'done' | 'changed-by-others' | 'refused'>;
  /**
   * Puts a maximum back, only while it still has the value that we set. `not-yet`: the group's desired capacity is
   * above the old maximum now.
   *
   * @param sizedOutside an Auto Scaling group whose size others set: beyond its maximum it falls back to that.
   */
  restoreMax(raised: RaisedMax, sizedOutside?: string): Promise<'done' | 'changed-by-others' | 'not-yet'>;
  /** Suspends processes of an Auto Scaling group. */
  suspend(suspension: Suspension): Promise<void>;
  /** Resumes those of these processes that are still suspended. `gone`: there is no such group any more. */
  resume(suspension: Suspension): Promise<'done' | 'gone'>;
  /**
   * Lowers a desired capacity by what attaching added. `unseen`: it is done, and a describe does not show it yet, or
   * somebody has written the same number again. `changed-by-others`: it is not what it was before the attach and
   * what the attach added, so somebody else has set it. `not-yet`: no describe shows the members, or it is refused now.
   */
  takeDown(added: Added): Promise<'done' | 'unseen' | 'changed-by-others' | 'not-yet'>;
  /** Lowers an Auto Scaling group's desired capacity. */
  takeOver(asg: string, desired: number): Promise<'done' | 'refused'>;
  /** Raises a desired capacity again that was lowered to `from`, where nothing was launched in its place. */
  giveBack(asg: string, desired: { readonly from: number; readonly to: number }): Promise<void>;
};

/**
 * What converging a group needs from a provider. It terminates, through their Auto Scaling group, only members that are
 * dead already, so that the group notices.
 */
export type CapacityIn = Pick<
  CapacityProvider,
  | 'describe'
  | 'requestOf'
  | 'launch'
  | 'tryLaunch'
  | 'admit'
  | 'noteJoined'
  | 'putBack'
  | 'release'
  | 'raiseMax'
  | 'restoreMax'
  | 'takeOver'
  | 'suspend'
  | 'resume'
  | 'takeDown'
  | 'giveBack'
>;

/** What a drain needs from a provider. Nothing here can launch. */
export type CapacityOut = Pick<CapacityProvider, 'describe' | 'release' | 'inspectDrain' | 'end'>;

/** What a target has of a leaving member. */
export type TargetStanding = {
  /** The target still has it: work goes on there, or could come. */
  readonly isHeld: boolean;
  /** Latest time until which it is busy there, epoch ms. */
  readonly busyUntilMs?: number;
  /** How long it stays busy once it is taken out of service. */
  readonly delayMs: number;
};

/** One kind of thing that gives work to members, or that members belong to: a drain takes them out of each. */
export type DrainTarget = {
  /**
   * Takes leaving members out of service. `failed` names those that it could not, and those that it holds back, with
   * the reason. `uncovered`: see `CapacityProvider.release`.
   */
  release(group: Group, swaps: readonly Swap[], uncovered: number): Promise<ActionResult>;
  /** What it has of them. A member that is missing is not held. */
  standings(group: Group, swaps: readonly Swap[]): Promise<ReadonlyMap<string, TargetStanding>>;
  /** Puts members into service again that a drain took out. */
  putBack(group: Group, instances: readonly string[]): Promise<ActionResult>;
};

export type DrainProgress = {
  readonly instance: string;
  /** No target group has it any more, or EC2 no longer runs it. */
  readonly drained: boolean;
  readonly gone: boolean;
  /** Latest time at which a deregistration delay that is running ends, epoch ms. */
  readonly busyUntilMs?: number;
  /**
   * Longest deregistration delay of the target groups that it is registered with, running or not: a drain that has not
   * begun must leave time for it.
   */
  readonly deregistrationDelayMs?: number;
};

/** Finds the group of an instance. Instances without our tag and without a known Auto Scaling group belong to none. */
export type Owners = {
  /** One result for each instance that EC2 knows. An instance that no describe shows is missing from the map. */
  ownersOf(instances: readonly string[]): Promise<ReadonlyMap<string, Owner>>;
};

export type Owner = {
  readonly group?: string;
  readonly asg?: string;
  readonly pool?: string;
  /** The launch that it came from. Its id begins with the id of the decision. */
  readonly reservation?: string;
  readonly offering: Offering;
  readonly state: string;
  /** When it was last started. */
  readonly launchedAtMs?: number;
};

export type Prices = {
  /**
   * Current spot prices of these offerings in USD per hour. An offering without a price is missing. Undefined when they
   * could not be read.
   */
  spotPrices(offerings: readonly Offering[]): Promise<Readonly<Record<OfferingKey, number>> | undefined>;
};

/** Completes lifecycle actions and sends their heartbeats. An action that is no longer active counts as done. */
export type LifecycleActions = {
  complete(instance: string, hook: LifecycleHook): Promise<'done' | 'not-active'>;
  heartbeat(instance: string, hook: LifecycleHook): Promise<'done' | 'not-active'>;
  /** Heartbeat time-outs in milliseconds by hook name. A hook that its group no longer has is missing. */
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
  /**
   * Its policy is gone: it is ticked until then, so that what is open of it comes to its end. It names no Auto Scaling
   * group and no alarm.
   */
  readonly letGoUntilMs?: number;
};

/** The state table. Every write is conditional. A lost race returns a value. */
export type StateStore = {
  group(name: string): Promise<Group | undefined>;
  /** The group as its latest policy made it, whether that is still in force or not. */
  lastGroup(name: string): Promise<Group | undefined>;
  registry(): Promise<readonly RegistryEntry[]>;
  /** Which group holds an Auto Scaling group, or held it last. Undefined when no policy ever named it. */
  claimOf(asg: string): Promise<AsgClaim | undefined>;
  state(group: string): Promise<GroupState | undefined>;
  /** Writes when the stored version is `state.version - 1` (0: no item yet). */
  putState(group: string, state: GroupState): Promise<'done' | 'conflict'>;
  /** Stores a launch request under its reservation's id, before it is sent. */
  putRequest(group: string, reservation: string, request: LaunchRequest): Promise<void>;
  /** The stored request. Undefined when there is none (an item of the first version, or removed by hand). */
  request(group: string, reservation: string): Promise<LaunchRequest | undefined>;
  swaps(group: string): Promise<readonly Swap[]>;
  swapOf(instance: string): Promise<Swap | undefined>;
  /** The first writer wins: `exists` returns what is stored. */
  claim(swap: Swap): Promise<{ readonly kind: 'claimed' } | { readonly kind: 'exists'; readonly swap: Swap }>;
  /**
   * Changes fields of a swap when its state is one of `from` (and its drain is `drain`, where given). States never move
   * backwards.
   */
  advance(swap: Pick<Swap, 'group' | 'instance'>, change: SwapChange): Promise<'done' | 'conflict'>;
  /**
   * Moves a swap that is gone for good out of the active ones into history. `swapOf` still finds it there until it
   * expires. A swap whose instance is not gone was an error, or is over: it becomes `withdrawn`.
   */
  retire(swap: Swap): Promise<void>;
  putDecision(record: DecisionRecord): Promise<void>;
  /** Stores what checks of launches found beside the status of this policy version, if that is still the status. */
  putChecks(group: string, policyVersion: number, checks: readonly LaunchCheck[], atMs: number): Promise<void>;
  /** What is spent of the account's buckets. Empty where there is no item. */
  budget(): Promise<AccountBudget>;
  /** Writes when the stored version is `version - 1` (0: no item yet). */
  putBudget(budget: AccountBudget): Promise<'done' | 'conflict'>;
};

export type SwapChange = {
  readonly from: readonly Swap['state'][];
  readonly drain?: string;
  readonly set: Partial<Omit<Swap, 'group' | 'instance'>>;
  /**
   * The change is made only while the swap has this number of hooks. Hooks are only added, so a writer that has seen
   * this number has seen them all.
   */
  readonly hooksSeen?: number;
  /** Fields that no longer apply and are removed. */
  readonly clear?: readonly ('releaseAskedAtMs' | 'shortfall')[];
};

/**
 * Input of the drain workflow: the drain's name. Its members, their deadlines and what it waits for are in the swap
 * items that name it. So an order has the same size for ten thousand instances as for one, and every start of a drain
 * has the same input.
 */
export type DrainOrder = { readonly group: string; readonly drain: string };

export type Drains = {
  /**
   * `running`: it runs now, whoever started it. `over`: a drain of this name has ended before, and cannot be started
   * again.
   */
  start(order: DrainOrder): Promise<'running' | 'over'>;
};

/** Sends ourselves a message to look at these groups again at that time. */
export type Wakes = { wake(groups: readonly string[], atMs: number): Promise<void> };

/** Puts events on the event bus. */
export type Announcer = { announce(events: readonly Announcement[]): Promise<void> };

export type Announcement = {
  readonly detailType: string;
  readonly group: string;
  readonly detail: Readonly<Record<string, unknown>>;
};
