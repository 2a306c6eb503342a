import { type LeaveReason, traitsOf } from '../removal/leave-reason.ts';
import type { Shortfall } from './shortfall.ts';

/**
 * States move forward only. `waiting`: claimed, not begun (surge budget). `leaving`: its drain is ordered. Then
 * `draining`, `drained`, `gone`. `withdrawn` is history only: the swap was not carried out, and its instance stayed.
 */
export type SwapState = 'waiting' | 'leaving' | 'draining' | 'drained' | 'gone' | 'withdrawn';

/** An Auto Scaling lifecycle action that waits for us to complete it. */
export type LifecycleHook = {
  readonly asg: string;
  readonly hook: string;
  /** From the message about it. Absent where a look found it: the instance then names the action. */
  readonly token?: string;
  /**
   * When Auto Scaling began to wait. It has taken the instance out of its target groups by then. Absent in items of an
   * earlier version.
   */
  readonly sinceMs?: number;
  /** When Auto Scaling continues without us unless a heartbeat extends it. */
  readonly expiresAtMs: number;
  /**
   * The hook's heartbeat time-out; each heartbeat extends the hook by it. Absent when unknown: the shortest that Auto
   * Scaling allows is assumed.
   */
  readonly timeoutMs?: number;
  /**
   * When we found that Auto Scaling no longer waits, because the time-out was over or others completed the action. No
   * further heartbeat is sent.
   */
  readonly overAtMs?: number;
};

/**
 * A member that EC2 warned about, whether a swap is stored for it or it is only observed. `toldAtMs`: when an earlier
 * function received the warning. Without it, the warning came now. `warnedAtMs`: the time that EC2 gave it.
 */
export type Warned = Pick<Swap, 'instance' | 'offering' | 'warnedAtMs'> & { readonly toldAtMs?: number };

/** The stored record of one instance that leaves and is replaced. Only this item decides about this instance. */
export type Swap = {
  readonly group: string;
  readonly instance: string;
  readonly reason: LeaveReason;
  readonly state: SwapState;
  /** The pool that the instance came from. */
  readonly pool: string;
  /** Zone, type and market of the instance, for memory and reports. */
  readonly offering: string;
  /** The Auto Scaling group that held it when it was claimed or its turn came, whatever the policy names since then. */
  readonly asg?: string;
  /** When EC2 launched it, as far as the claim knew. Once it has ended, no look shows that any more. */
  readonly launchedAtMs?: number;
  /** When the first signal about it arrived, and the time that EC2 gave that signal. */
  readonly claimedAtMs: number;
  readonly warnedAtMs?: number;
  /** When its signal was first received, if that was before the claim because the group was only observed. */
  readonly heardAtMs?: number;
  readonly deadlineMs?: number;
  /** The drain that takes work off it. Absent while waiting. */
  readonly drain?: string;
  /** When a decision chose it to leave, if it had waited for that since its claim. */
  readonly chosenAtMs?: number;
  /** When the drain was ordered. A drain that has not begun is started again at every tick, under the same name. */
  readonly drainOrderedAtMs?: number;
  /** The lifecycle actions that its Auto Scaling group waits for, one for each of its terminating hooks. */
  readonly hooks?: readonly LifecycleHook[];
  /**
   * For a member that is taken out of service by terminating it through its Auto Scaling group: when that was
   * requested. It is written before the call, so that a function that finds the instance ended can read that Holdfast
   * caused it.
   */
  readonly releaseAskedAtMs?: number;
  readonly drainStartedAtMs?: number;
  /** The target groups that let it go before the others, and when each did. */
  readonly leftTargetGroupsAtMs?: Readonly<Record<string, number>>;
  /** The latest time at which its target groups end connections. */
  readonly busyUntilMs?: number;
  /** Whether no look could read a target group that may have it: then `busyUntilMs` is assumed. */
  readonly isUnread?: boolean;
  readonly drainedAtMs?: number;
  readonly goneAtMs?: number;
  readonly withdrawnAtMs?: number;
  /** Its termination was refused for good: it is a member again, and is not chosen to leave before this time. */
  readonly keptUntilMs?: number;
  /** It has ended and Holdfast could not replace it, so its Auto Scaling group does. */
  readonly leftToGroup?: true;
  /** What failed, or was late. */
  readonly shortfall?: Shortfall;
  /** The decision that claimed it. */
  readonly decision: string;
};

/** Whether EC2 or Auto Scaling ends the instance (we only take work off it), or Holdfast has to terminate it. */
export const endsItself = (swap: Pick<Swap, 'reason'>): boolean => traitsOf(swap).endedBy !== 'holdfast';

/** Whether EC2 or a deadline drives a swap, so that its instance ends whatever we do. */
export const isHard = (swap: Swap): boolean => swap.deadlineMs !== undefined || endsItself(swap);
