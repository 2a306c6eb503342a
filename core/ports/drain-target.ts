import type { Group } from '../group/group.ts';
import type { Swap } from '../swap/swap.ts';
import type { ActionResult, Released, Releasing } from './capacity-provider.ts';

/** The state of a leaving member in a target. */
export type TargetStanding = {
  /** The target still holds it: it has work there, or may get work. */
  readonly isHeld: boolean;
  /** Only because AWS did not show what the target holds. */
  readonly isUnread?: true;
  /** Latest time until which it is busy there, epoch ms. */
  readonly busyUntilMs?: number;
  /** When it was taken out of service of what is busy the longest, epoch ms. */
  readonly busySinceMs?: number;
  /** How long it stays busy once it is taken out of service. Absent while that is unknown. */
  readonly delayMs?: number;
};

/** One kind of thing that a drain takes members out of: it gives them work, or they belong to it. */
export type DrainTarget = {
  /**
   * Takes leaving members out of service. `failed` names those that it could not, and those that it holds back, with
   * the reason.
   */
  release(group: Group, swaps: readonly Swap[], releasing: Releasing): Promise<Released>;
  /** The states of these members. A member that is missing is not held. */
  standings(group: Group, swaps: readonly Swap[]): Promise<ReadonlyMap<string, TargetStanding>>;
  /** Puts members into service again that a drain took out. */
  putBack(group: Group, instances: readonly string[]): Promise<ActionResult>;
};

export type DrainProgress = {
  readonly instance: string;
  /** No target group has it any more, or EC2 no longer runs it. */
  readonly drained: boolean;
  readonly gone: boolean;
  /**
   * It was stopped: its work was cut, and it still exists. It may have been started again after its deadline. Absent
   * when it is gone.
   */
  readonly stopped?: true;
  /** No target that could be read has it. Others may have it. */
  readonly isUnread?: true;
  /** Latest time at which a deregistration delay that is running ends, epoch ms. */
  readonly busyUntilMs?: number;
  /** When that delay began to run, epoch ms. Others may have taken it out of service before its drain did. */
  readonly busySinceMs?: number;
  /**
   * Longest deregistration delay of the target groups that it is registered with, running or not: a drain that has not
   * begun must leave time for it. Absent while one of them is unknown.
   */
  readonly deregistrationDelayMs?: number;
};
