import type { Group } from '../group/group.ts';
import type { LaunchCheck, Trial } from '../launch/launch-checks.ts';
import type { LaunchRequest } from '../launch/launch-request.ts';
import type { Reservation } from '../launch/reservation.ts';
import type { Ending } from '../pool-memory/boot-memory.ts';
import type { Swap } from '../swap/swap.ts';
import type { Added } from '../view/added.ts';
import type { Changes } from '../view/changes.ts';
import type { RaisedMax } from '../view/raised-max.ts';
import type { Suspension } from '../view/suspension.ts';
import type { AsgView, Member } from '../view/view.ts';
import type { DrainProgress } from './drain-target.ts';
import type { LaunchOrder, LaunchResult } from './launches.ts';

/** Further facts for putting members into service. */
export type Admitting = {
  /**
   * The note of this attach, where others set the size. If they have set another one since, or if another function
   * found that they did and dropped the note, no member is attached: nothing would show what the attach adds.
   */
  readonly added?: Added;
  /** Other new members are coming, so that one call may tag them together. */
  readonly moreCome?: boolean;
  /** Members that joined before, and of which describes show no tag. A call that tags others tags them too. */
  readonly unnoted?: readonly string[];
};

/** Further facts for taking members out of service. */
export type Releasing = {
  /**
   * How many members that EC2 takes get no replacement from Holdfast now. They are only deregistered, and their Auto
   * Scaling group replaces them.
   */
  readonly uncovered?: number;
  /** How many members the group wants, its spares included. */
  readonly wanted?: number;
  /**
   * Called after all reads, right before these members are terminated through their Auto Scaling group. Returns those
   * that may be terminated.
   */
  readonly beforeEnding?: (instances: readonly string[]) => Promise<readonly string[]>;
};

/**
 * Outcome of an action on a list of instances: what failed, and why. An instance that is gone already counts as
 * success.
 */
export type ActionResult = {
  readonly done: readonly string[];
  readonly failed: readonly { readonly instance: string; readonly code: string; readonly retry: 'later' | 'never' }[];
};

/** The result of putting members into service. `mayBeDone`: an attach of some in `failed` may have been carried out. */
export type Admitted = ActionResult & { readonly mayBeDone?: true };

/**
 * The result of lowering a desired capacity by what attaching added. `unseen`: it is done, and a describe does not show
 * it yet, or others have written the same number again. `changed-by-others`: the number is not its value before the
 * attach plus the attached members, so others have set it. `not-yet`: no describe shows the members, or the call is
 * refused now.
 */
export type Lowered = {
  readonly kind: 'done' | 'unseen' | 'changed-by-others' | 'not-yet';
  /** The same call has put the maximum back. */
  readonly isMaxPutBack?: true;
};

/** The result of taking members out of service. */
export type Released = ActionResult & {
  /**
   * Members in `failed` that are out of service nevertheless: their Auto Scaling group did not end them, so they were
   * deregistered. By instance: since when, epoch ms. Absent: none.
   */
  readonly deregisteredAtMs?: Readonly<Record<string, number>>;
  /** The target groups that let a member in `failed` go, while others did not. By instance. Absent: none. */
  readonly leftTargetGroups?: Readonly<Record<string, readonly string[]>>;
};

/** The result of a look at a group's instances and their Auto Scaling groups. */
export type Holdings = {
  readonly members: readonly Member[];
  readonly asgs: readonly AsgView[];
  /**
   * Instances of this group that exist and hold no place in it: their Auto Scaling group terminates them, or keeps them
   * in standby or in its warm pool, which may have stopped them.
   */
  readonly aside: readonly string[];
  /** Instances that its Auto Scaling groups keep in standby or in a warm pool. Absent: none. */
  readonly standby?: readonly string[];
  /**
   * Instances that a user took out of their Auto Scaling group. They keep our tags, but no longer belong to this group
   * and are let go.
   */
  readonly detached?: readonly string[];
  /**
   * Those of `detached` that EC2 still shows with the tag of an Auto Scaling group. A detach takes that tag off. While
   * EC2 shows it, the describe may also be older than the end of the instance.
   */
  readonly stillTagged?: readonly string[];
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
  /** How many of these carry the tag of each reservation. Absent: none. */
  readonly endedUnder?: Readonly<Record<string, number>>;
  /** Instances that terminating hooks of its Auto Scaling groups hold, and which group each. Absent: none. */
  readonly waiting?: Readonly<Record<string, string>>;
  /** Instances by tag that live in an Auto Scaling group that this group does not name, and in which. Absent: none. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  /** Of these, the ones that are no members, because the Auto Scaling group is not ours. Absent: none. */
  readonly foreign?: readonly string[];
  /** The reasons of EC2 for the ends of ended instances. Absent: none. */
  readonly endings?: Readonly<Record<string, Ending>>;
};

/**
 * Instances whose termination EC2 would refuse, because their owner protects them. `failed`: reads that EC2 denied, of
 * instances that count as not protected.
 */
export type Protection = {
  readonly protected: readonly string[];
  readonly failed: ActionResult['failed'];
};

/** Where capacity comes from and is held. One implementation for each way of holding a group. */
export type CapacityProvider = {
  /**
   * Everything of this group that is pending or running: tagged instances, members of its Auto Scaling groups, target
   * health. It reads every page. For a large group that was read whole within the last 75 s, it reads only what may
   * have changed.
   *
   * @param changes what the group's items and signals report. Absent: it is not known.
   */
  describe(group: Group, changes?: Changes): Promise<Holdings>;
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
  /** Makes a dry run of a launch. Undefined: AWS would carry it out. */
  tryLaunch(group: Group, trial: Trial): Promise<LaunchCheck | undefined>;
  /** Attaches running members to the Auto Scaling group, or registers them with target groups. */
  admit(group: Group, instances: readonly string[], admitting?: Admitting): Promise<Admitted>;
  /**
   * Tags members that have joined this Auto Scaling group. A member that has the tag and is no longer in it was
   * detached by somebody else.
   */
  noteJoined(group: Group, asg: string, instances: readonly string[]): Promise<void>;
  /** Tags instances that an Auto Scaling group launched for this reservation. `later`: that failed, and may succeed. */
  tagLaunched(group: Group, reservation: Reservation, instances: readonly string[]): Promise<'done' | 'later'>;
  /** Registers members again that a drain has deregistered, because EC2 warned about them and did not take them. */
  putBack(group: Group, instances: readonly string[]): Promise<ActionResult>;
  /**
   * Takes leaving members out of service at the start of a drain: deregisters targets, or terminates through the Auto
   * Scaling group. Its desired capacity falls with them, unless others set it, or its minimum is to be refilled.
   */
  release(group: Group, swaps: readonly Swap[], releasing?: Releasing): Promise<Released>;
  /** Which of these instances their owner protects from termination. Reads a hundred at most. */
  protectedAmong(instances: readonly string[]): Promise<Protection>;
  /**
   * The state of leaving instances: whether they still have connections, and until when (by deregistration delay). An
   * instance of which too little could be read is missing.
   */
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
   * @param sizedOutside an Auto Scaling group whose size others set. A size above its maximum falls back to the
   * maximum.
   */
  restoreMax(raised: RaisedMax, sizedOutside?: string): Promise<'done' | 'changed-by-others' | 'not-yet'>;
  /** Lowers a maximum that we raised to `toMax`, unless others have changed it or the desired capacity is larger. */
  lowerMax(raised: RaisedMax): Promise<void>;
  /** Suspends processes of an Auto Scaling group. */
  suspend(suspension: Suspension): Promise<void>;
  /** Resumes `Launch` of an Auto Scaling group, so that it takes instances in. */
  open(asg: string): Promise<void>;
  /** Resumes those of these processes that are still suspended. `gone`: there is no such group any more. */
  resume(suspension: Suspension): Promise<'done' | 'gone'>;
  /**
   * Lowers a desired capacity by what attaching added, unless others have set it since.
   *
   * @param raised a maximum that was raised for the attach, and is put back by the same call if it still has that value
   */
  takeDown(added: Added, raised?: RaisedMax): Promise<Lowered>;
  /** Lowers an Auto Scaling group's desired capacity. `refused`: not now. `denied`: only its owner can change that. */
  takeOver(asg: string, desired: number): Promise<'done' | 'refused' | 'denied'>;
  /** Raises a desired capacity again that was lowered to `from`, where nothing was launched in its place. */
  giveBack(asg: string, desired: { readonly from: number; readonly to: number }): Promise<void>;
};

/**
 * The calls that converging a group needs. It terminates only members that have ended, through their Auto Scaling
 * group, so that the group notices.
 */
export type CapacityIn = Pick<
  CapacityProvider,
  | 'describe'
  | 'requestOf'
  | 'launch'
  | 'tryLaunch'
  | 'admit'
  | 'noteJoined'
  | 'tagLaunched'
  | 'putBack'
  | 'release'
  | 'raiseMax'
  | 'restoreMax'
  | 'lowerMax'
  | 'takeOver'
  | 'suspend'
  | 'open'
  | 'resume'
  | 'takeDown'
  | 'giveBack'
>;

/** What a drain needs from a provider. Nothing here can launch. */
export type CapacityOut = Pick<CapacityProvider, 'describe' | 'protectedAmong' | 'release' | 'inspectDrain' | 'end'>;
