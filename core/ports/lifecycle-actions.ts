import type { LifecycleHook } from '../swap/swap.ts';

/** A terminating hook, and its heartbeat time-out in milliseconds, where it has one. */
export type TerminatingHook = { readonly hook: string; readonly timeoutMs?: number };

/** Completes lifecycle actions and sends their heartbeats. An action that is no longer active counts as done. */
export type LifecycleActions = {
  complete(instance: string, hook: LifecycleHook): Promise<'done' | 'not-active'>;
  heartbeat(instance: string, hook: LifecycleHook): Promise<'done' | 'not-active'>;
  /** The terminating hooks of an Auto Scaling group, without those that notify a queue or a topic. */
  terminating(asg: string): Promise<readonly TerminatingHook[]>;
  /** Heartbeat time-outs in milliseconds by hook name. A hook that its group no longer has is missing. */
  timeouts(asg: string, hooks: readonly string[]): Promise<ReadonlyMap<string, number>>;
};
