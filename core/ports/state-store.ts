import type { DecisionRecord } from '../decision/decision-record.ts';
import type { Group } from '../group/group.ts';
import type { LaunchCheck } from '../launch/launch-checks.ts';
import type { LaunchRequest } from '../launch/launch-request.ts';
import type { AccountBudget } from '../limits/account-budget.ts';
import type { AsgClaim } from '../policy/ports.ts';
import type { LifecycleHook, Swap } from '../swap/swap.ts';
import type { GroupState } from '../view/view.ts';

/** One group in the registry: enough to route signals without reading policies. */
export type RegistryEntry = {
  readonly group: string;
  readonly policyVersion: number;
  readonly asgs: readonly string[];
  /** Auto Scaling groups that an earlier policy named and that were not empty when this entry was written. */
  readonly former?: readonly string[];
  readonly alarms: readonly string[];
  /**
   * Its policy is gone. It gets ticks until then, so that open swaps and launches come to their end. It names no Auto
   * Scaling group and no alarm. Those that it named are former ones.
   */
  readonly letGoUntilMs?: number;
};

/** The state table. Every write is conditional. A lost race returns a value. */
export type StateStore = {
  group(name: string): Promise<Group | undefined>;
  /** The group by its latest policy, even if that is no longer in force. */
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
  /**
   * The state item and the swaps, in one read. No swap that it returns was read before the state item. Swaps that ended
   * more than an hour ago are left out, unless they belong to the given drain. `lost`: swaps of warned members that an
   * earlier read found, and that a restored table lacks.
   */
  stateAndSwaps(
    group: string,
    drain?: string,
  ): Promise<{
    readonly state: GroupState | undefined;
    readonly swaps: readonly Swap[];
    readonly lost?: readonly Swap[];
  }>;
  /**
   * The swaps of a drain that are history already: their instances are gone, or were out of service and were put back
   * because EC2 did not take them. Reads the history of the group.
   */
  historyOf(group: string, drain: string): Promise<readonly Swap[]>;
  /**
   * The latest swap of an instance in any group. A swap of the last second may be missing, so nothing may depend on one
   * that was just written.
   */
  swapOf(instance: string): Promise<Swap | undefined>;
  /** A swap as it is stored now, also when it is history. */
  swapNow(swap: Pick<Swap, 'group' | 'instance'>): Promise<Swap | undefined>;
  /** Only the first writer claims. `exists`: another one has, with the stored swap. */
  claim(swap: Swap): Promise<{ readonly kind: 'claimed' } | { readonly kind: 'exists'; readonly swap: Swap }>;
  /**
   * Changes fields of a swap when its state is one of `from` (and its drain is `drain`, where given). States never move
   * backwards.
   */
  advance(swap: Pick<Swap, 'group' | 'instance'>, change: SwapChange): Promise<'done' | 'conflict'>;
  /**
   * Moves a swap that is gone for good out of the active ones into history. `swapOf` still finds it there until it
   * expires. A swap whose instance is not gone was an error, or is over: it becomes `withdrawn`. `conflict`: it went on
   * meanwhile, or got the deadline of a new warning, and stays as it is.
   */
  retire(swap: Swap): Promise<'done' | 'conflict'>;
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
   * The change is made only while the swap has these hooks, each as it was read. So a writer neither loses a hook that
   * was added meanwhile, nor what a heartbeat changed in one.
   */
  readonly hooksSeen?: readonly LifecycleHook[];
  /** The change is made only while no call requested the end of the instance through its Auto Scaling group. */
  readonly unasked?: true;
  /** Fields that no longer apply and are removed. */
  readonly clear?: readonly ('releaseAskedAtMs' | 'shortfall')[];
};
