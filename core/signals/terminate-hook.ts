import * as z from 'zod/mini';
import type { LifecycleHook } from '../swap/swap.ts';
import { shortestHookTimeoutMs } from '../times/times.ts';
import { asgName, instanceId } from './fields.ts';
import { instancesCause, neverOver, signalKind, type Unread } from './signal-kind.ts';

type TerminateHook = {
  readonly kind: 'terminate-hook';
  readonly instance: string;
  readonly hook: LifecycleHook;
  readonly atMs: number;
};

/** The form of tokens (EC2 Auto Scaling API reference, CompleteLifecycleAction: 36 characters). */
const uuidPattern = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** Names that AWS allows for hooks (PutLifecycleHook). */
const hookNamePattern = /^[A-Za-z0-9_/-]{1,255}$/;

/**
 * Members of a lifecycle action. The EventBridge detail and the direct form that SNS and SQS receive have the same
 * ones.
 */
export const lifecycleAction = z.object({
  LifecycleActionToken: z.string().check(z.regex(uuidPattern)),
  AutoScalingGroupName: asgName,
  LifecycleHookName: z.string().check(z.regex(hookNamePattern)),
  EC2InstanceId: instanceId,
  LifecycleTransition: z.string(),
  Destination: z.optional(z.string()),
  /** Only the direct form has it. It replaces the envelope's `account` there. */
  AccountId: z.optional(z.string()),
});
export type LifecycleAction = z.infer<typeof lifecycleAction>;

/**
 * A terminating instance that waits for us. A return to the warm pool is no termination. Holdfast does not complete
 * launch hooks.
 */
export const readLifecycleAction = (action: LifecycleAction, atMs: number): TerminateHook | Unread => {
  if (action.LifecycleTransition !== 'autoscaling:EC2_INSTANCE_TERMINATING')
    return { kind: 'ignored', why: `lifecycle transition ${action.LifecycleTransition}` };
  if (action.Destination === 'WarmPool') return { kind: 'ignored', why: 'a return to the warm pool is no termination' };
  const hook = {
    asg: action.AutoScalingGroupName,
    hook: action.LifecycleHookName,
    token: action.LifecycleActionToken,
    sinceMs: atMs,
    expiresAtMs: atMs + shortestHookTimeoutMs,
  };
  return { kind: 'terminate-hook', instance: action.EC2InstanceId, hook, atMs };
};

/** A hook waits up to two days, and its Auto Scaling group says whether it still does, so it has no age. */
export const terminateHook = signalKind({
  kind: 'terminate-hook',
  source: 'aws.autoscaling',
  detailType: 'EC2 Instance-terminate Lifecycle Action',
  comes: { by: 'rule' },
  detail: lifecycleAction,
  toSignal: readLifecycleAction,
  about: ({ instance, hook }) => ({ instance, asg: hook.asg }),
  isOver: neverOver,
  comesAgain: 'always',
  adds: ({ instance, atMs, hook }, owner) => ({
    leaving: [{ instance, reason: 'hook', atMs, hook, ...(owner && { owner }) }],
  }),
  ...instancesCause,
});
