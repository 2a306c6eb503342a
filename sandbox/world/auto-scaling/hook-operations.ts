import { nothing, type Operations, operation } from '../operation.ts';
import { findGroup, type Group, type Hook, type HookResult, invalid, type LifecycleAction, type Scaling, type Transition } from './group.ts';
import { activeAction, prolong, testNotification } from './hooks.ts';

export type HookInput = {
  LifecycleHookName: string;
  LifecycleTransition?: string;
  HeartbeatTimeout?: number;
  DefaultResult?: string;
  NotificationMetadata?: string;
  NotificationTargetARN?: string;
  RoleARN?: string;
};

type Action = {
  AutoScalingGroupName: string;
  LifecycleHookName: string;
  InstanceId?: string;
  LifecycleActionToken?: string;
  LifecycleActionResult?: string;
};

/** What PutLifecycleHook takes as HeartbeatTimeout. */
const [shortestHookSeconds, longestHookSeconds] = [30, 7_200];

export const mustBeHeartbeat = (seconds: number): void => {
  if (seconds < shortestHookSeconds || seconds > longestHookSeconds)
    throw invalid(`HeartbeatTimeout must be between ${shortestHookSeconds} and ${longestHookSeconds} seconds.`);
};

/** A new hook, or an old one with what the input changes. */
export const toHook = (input: HookInput, old?: Hook): Hook => {
  const seconds = input.HeartbeatTimeout ?? old?.heartbeatSeconds ?? 3600;
  mustBeHeartbeat(seconds);
  const transition = (input.LifecycleTransition ?? old?.transition) as Transition | undefined;
  if (transition === undefined) throw invalid('Lifecycle transition is required to create a new lifecycle hook.');
  const metadata = input.NotificationMetadata ?? old?.metadata;
  const targetArn = input.NotificationTargetARN ?? old?.targetArn;
  const roleArn = input.RoleARN ?? old?.roleArn;
  return {
    name: input.LifecycleHookName,
    transition,
    heartbeatSeconds: seconds,
    defaultResult: (input.DefaultResult ?? old?.defaultResult ?? 'ABANDON') as HookResult,
    ...(metadata === undefined ? {} : { metadata }),
    ...(targetArn === undefined ? {} : { targetArn }),
    ...(roleArn === undefined ? {} : { roleArn }),
  };
};

const describeHook = (group: Group, hook: Hook) => ({
  LifecycleHookName: hook.name,
  AutoScalingGroupName: group.name,
  LifecycleTransition: hook.transition,
  HeartbeatTimeout: hook.heartbeatSeconds,
  GlobalTimeout: Math.min(172_800, hook.heartbeatSeconds * 100),
  DefaultResult: hook.defaultResult,
  NotificationMetadata: hook.metadata,
  NotificationTargetARN: hook.targetArn,
  RoleARN: hook.roleArn,
});

const mustBeActive = (group: Group, input: Action): LifecycleAction => {
  const { LifecycleHookName: hook, InstanceId: instance, LifecycleActionToken: token } = input;
  const action = activeAction(group, hook, instance, token);
  if (action !== undefined) return action;
  throw invalid(
    token === undefined ? `No active Lifecycle Action found with instance ID ${instance}` : `No active Lifecycle Action found with token ${token}`,
  );
};

const put = (scaling: Scaling, input: HookInput & { AutoScalingGroupName: string }): void => {
  const group = findGroup(scaling, input.AutoScalingGroupName);
  const hook = toHook(input, group.hooks.get(input.LifecycleHookName));
  group.hooks.set(hook.name, hook);
  if (hook.transition === 'autoscaling:EC2_INSTANCE_TERMINATING')
    scaling.base.note({ kind: 'hook-written', asg: group.name, hook: hook.name, timeoutMs: hook.heartbeatSeconds * 1000 });
  if (input.NotificationTargetARN) scaling.notify(input.NotificationTargetARN, testNotification(scaling, group));
};

export const hookOperations = (scaling: Scaling): Operations => ({
  PutLifecycleHook: operation<HookInput & { AutoScalingGroupName: string }>((input) => {
    put(scaling, input);
    return nothing;
  }),
  DeleteLifecycleHook: operation<{ AutoScalingGroupName: string; LifecycleHookName: string }>((input) => {
    const group = findGroup(scaling, input.AutoScalingGroupName);
    const hook = group.hooks.get(input.LifecycleHookName);
    if (hook === undefined) throw invalid(`No Lifecycle Hook found with name: ${input.LifecycleHookName}`);
    group.hooks.delete(hook.name);
    // Its open actions are completed first: of launching instances with ABANDON, of terminating ones with CONTINUE (API reference, DeleteLifecycleHook).
    const result = hook.transition === 'autoscaling:EC2_INSTANCE_LAUNCHING' ? 'ABANDON' : 'CONTINUE';
    for (const member of [...group.members.values()]) member.actions.get(hook.name)?.finish(result, 'gone');
    return nothing;
  }),
  DescribeLifecycleHooks: operation<{ AutoScalingGroupName: string; LifecycleHookNames?: string[] }>((input) => {
    const group = findGroup(scaling, input.AutoScalingGroupName);
    const wanted = [...group.hooks.values()].filter(({ name }) => !input.LifecycleHookNames?.length || input.LifecycleHookNames.includes(name));
    return { LifecycleHooks: wanted.map((hook) => describeHook(group, hook)) };
  }),
  CompleteLifecycleAction: operation<Action>((input) => {
    const result = input.LifecycleActionResult;
    if (result !== 'CONTINUE' && result !== 'ABANDON') throw invalid('The LifecycleActionResult must be CONTINUE or ABANDON.');
    mustBeActive(findGroup(scaling, input.AutoScalingGroupName), input).finish(result, 'completed');
    return nothing;
  }),
  RecordLifecycleActionHeartbeat: operation<Action>((input) => {
    const group = findGroup(scaling, input.AutoScalingGroupName);
    prolong(scaling, group, mustBeActive(group, input));
    return nothing;
  }),
});
