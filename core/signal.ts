import type { LifecycleHook } from './swap.ts';

/**
 * One normalised thing that happened. `atMs` is when it happened, by the sender's clock. `id` identifies the delivery
 * in logs.
 */
export type Signal =
  | {
      readonly kind: 'interruption';
      readonly instance: string;
      readonly action: 'terminate' | 'stop' | 'hibernate';
      readonly atMs: number;
    }
  | { readonly kind: 'rebalance'; readonly instance: string; readonly atMs: number }
  | { readonly kind: 'state-change'; readonly instance: string; readonly state: InstanceState; readonly atMs: number }
  | { readonly kind: 'terminate-hook'; readonly instance: string; readonly hook: LifecycleHook; readonly atMs: number }
  | { readonly kind: 'launch-unsuccessful'; readonly asg: string; readonly code: string; readonly atMs: number }
  | {
      readonly kind: 'alarm';
      readonly alarm: string;
      readonly state: 'ALARM' | 'OK' | 'INSUFFICIENT_DATA';
      /** Its actions are suppressed by another alarm, or muted. */
      readonly quiet?: 'suppressed' | 'muted';
      /** The latest value of its metric less its threshold. Absent where the event does not tell. */
      readonly fromThreshold?: number;
      readonly atMs: number;
    }
  /** Somebody stopped the execution of a drain. */
  | { readonly kind: 'drain-stopped'; readonly group: string; readonly drain: string; readonly atMs: number }
  | { readonly kind: 'policy-change'; readonly group: string; readonly atMs: number }
  /**
   * Asks to look at these groups. `isScheduled`: of the schedule, so that the next one follows within a minute; any
   * other is a wake.
   */
  | { readonly kind: 'tick'; readonly groups: readonly string[]; readonly atMs: number; readonly isScheduled: boolean };

export type InstanceState = 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated';

/**
 * The result of reading one message. `ignored`: known and without effect (with the reason). `invalid`: unknown or
 * malformed.
 */
export type Reading =
  | { readonly kind: 'signal'; readonly signal: Signal }
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'invalid'; readonly why: string };
