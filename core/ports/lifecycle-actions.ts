import type { LifecycleHook } from '../swap/swap.ts';

/** Completes lifecycle actions and sends their heartbeats. An action that is no longer active counts as done. */
export type LifecycleActions = {
  complete(instance: string, hook: LifecycleHook): Promise<'done' | 'not-active'>;
  heartbeat(instance: string, hook: LifecycleHook): Promise<'done' | 'not-active'>;
  /** Heartbeat time-outs in milliseconds by hook name. A hook that its group no longer has is missing. */
  timeouts(asg: string, hooks: readonly string[]): Promise<ReadonlyMap<string, number>>;
};
