import * as z from 'zod/mini';
import type { Reading } from '../../../core/signal.ts';
import { asgName, instanceId, timeOf } from './envelope.ts';
import { signalType } from './signal-type.ts';

/**
 * The event does not contain the hook's heartbeat time-out. AWS allows no less than 30 s, so the first heartbeat is due
 * within that time.
 */
const assumedHeartbeatMs = 30_000;

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
 * A terminating instance that waits for us. A return to the warm pool is no termination; launch hooks are not ours to
 * complete.
 */
export const readLifecycleAction = (action: LifecycleAction, atMs: number): Reading => {
  if (action.LifecycleTransition !== 'autoscaling:EC2_INSTANCE_TERMINATING')
    return { kind: 'ignored', why: `lifecycle transition ${action.LifecycleTransition}` };
  if (action.Destination === 'WarmPool') return { kind: 'ignored', why: 'a return to the warm pool is no termination' };
  const hook = {
    asg: action.AutoScalingGroupName,
    hook: action.LifecycleHookName,
    token: action.LifecycleActionToken,
    expiresAtMs: atMs + assumedHeartbeatMs,
  };
  return { kind: 'signal', signal: { kind: 'terminate-hook', instance: action.EC2InstanceId, hook, atMs } };
};

export const terminateHook = signalType({
  source: 'aws.autoscaling',
  detailType: 'EC2 Instance-terminate Lifecycle Action',
  detail: lifecycleAction,
  toReading: (detail, event) => readLifecycleAction(detail, timeOf(event)),
});
