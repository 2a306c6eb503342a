import type { Shortfall } from './shortfall.ts';

/**
 * Why an instance leaves.
 * `interruption`: EC2 takes it. `rebalance`: EC2 says it is at risk. `hook`: its Auto Scaling group terminates it and
 * waits for us.
 * `scale-in`: the group is above its desired size. `moved`: the policy holds its members elsewhere now. `unwanted`:
 * launched by nobody's reservation.
 */
export type LeaveReason = 'interruption' | 'rebalance' | 'hook' | 'scale-in' | 'moved' | 'unwanted';

/** Nothing presses: such a swap waits for its turn, and its member is replaced. */
export const waitsItsTurn = (reason: LeaveReason): boolean => reason === 'rebalance' || reason === 'moved';

/**
 * Forward only. `waiting`: claimed, not yet begun (surge budget). `leaving`: its drain is ordered. Then `draining`,
 * `drained`, `gone`.
 */
export type SwapState = 'waiting' | 'leaving' | 'draining' | 'drained' | 'gone';

/** An Auto Scaling lifecycle action that waits for us to complete it. */
export type LifecycleHook = {
  readonly asg: string;
  readonly hook: string;
  readonly token: string;
  /** When Auto Scaling goes on without us unless a heartbeat extends it. */
  readonly expiresAtMs: number;
  /**
   * The hook's heartbeat time-out, by which each heartbeat prolongs it; absent when unknown: the shortest that Auto
   * Scaling allows is assumed.
   */
  readonly timeoutMs?: number;
  /**
   * When Auto Scaling was found to wait no longer: its time-out was over, or somebody else completed the action. No
   * heartbeat is sent from then on.
   */
  readonly overAtMs?: number;
};

/**
 * The persisted record of one instance leaving and being replaced. Its item is the only one that decides about this
 * instance.
 */
export type Swap = {
  readonly group: string;
  readonly instance: string;
  readonly reason: LeaveReason;
  readonly state: SwapState;
  /** The pool that the instance came from. */
  readonly pool: string;
  /** Zone, type and market of the instance, for memory and reports. */
  readonly offering: string;
  /** The Auto Scaling group that had it when it was claimed, whatever the policy has named since. */
  readonly asg?: string;
  /** When the first signal about it arrived, and what EC2 stamped on that signal. */
  readonly claimedAtMs: number;
  readonly warnedAtMs?: number;
  readonly deadlineMs?: number;
  /** The drain that takes work off it; absent while waiting. */
  readonly drain?: string;
  /** When the drain was ordered; one that has not begun is started again with every tick, under the same name. */
  readonly drainOrderedAtMs?: number;
  /** What its Auto Scaling group waits for: one action for each of its terminating hooks. */
  readonly hooks?: readonly LifecycleHook[];
  /**
   * Where to leave service is to end: when the Auto Scaling group was asked to let the instance go. Noted before it is
   * asked, so that whoever sees the end knows whose doing it was.
   */
  readonly releaseAskedAtMs?: number;
  readonly drainStartedAtMs?: number;
  /** Until when its target groups let connections go on at most. */
  readonly busyUntilMs?: number;
  readonly drainedAtMs?: number;
  readonly goneAtMs?: number;
  /** Its end was refused for good: it is a member again, and not chosen to leave before this time. */
  readonly keptUntilMs?: number;
  /** What could not be done in time, or failed. */
  readonly shortfall?: Shortfall;
  /** Decision that claimed it. */
  readonly decision: string;
};

/** Whether EC2 ends the instance by itself (and we only take work off it), or it is ours to end. */
export const endsItself = (swap: Pick<Swap, 'reason'>): boolean =>
  swap.reason === 'interruption' || swap.reason === 'hook';
