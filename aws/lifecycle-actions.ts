import {
  type AutoScalingClient,
  CompleteLifecycleActionCommand,
  DescribeLifecycleHooksCommand,
  type DescribeLifecycleHooksCommandOutput,
  RecordLifecycleActionHeartbeatCommand,
} from '@aws-sdk/client-auto-scaling';
import type { LifecycleActions } from '../core/ports/lifecycle-actions.ts';
import type { LifecycleHook } from '../core/swap/swap.ts';
import { isNoActiveLifecycleAction, isUnknownAsg } from './calls/errors.ts';

const actionOf = (InstanceId: string, { hook, asg, token }: LifecycleHook) => ({
  LifecycleHookName: hook,
  AutoScalingGroupName: asg,
  LifecycleActionToken: token,
  InstanceId,
});

/**
 * A late or repeated completion of a hook is not an error: its time-out, EC2 or Holdfast has already ended the action.
 * No action of an Auto Scaling group that was deleted is left either. Any other error is thrown.
 */
const unlessOver = (error: unknown): 'not-active' => {
  if (isNoActiveLifecycleAction(error) || isUnknownAsg(error)) return 'not-active';
  throw error;
};

const unlessDeleted = (error: unknown): DescribeLifecycleHooksCommandOutput => {
  if (isUnknownAsg(error)) return { $metadata: {} };
  throw error;
};

/**
 * The hooks of an Auto Scaling group. One that was deleted has none.
 *
 * @param names only these; absent: all
 */
const hooksOf = async (client: AutoScalingClient, asg: string, names?: readonly string[]) => {
  const asked = { AutoScalingGroupName: asg, ...(names && { LifecycleHookNames: [...names] }) };
  const { LifecycleHooks = [] } = await client.send(new DescribeLifecycleHooksCommand(asked)).catch(unlessDeleted);
  return LifecycleHooks.flatMap(({ LifecycleHookName: hook, HeartbeatTimeout: seconds, ...rest }) =>
    hook === undefined ? [] : [{ hook, ...(seconds !== undefined && { timeoutMs: seconds * 1000 }), ...rest }],
  );
};

/**
 * Completes terminate hooks, always with CONTINUE. ABANDON terminates the instance just the same, but skips the other
 * hooks, and may make the group retain the instance (Auto Scaling User Guide, instance lifecycle policy).
 */
export const createHookAnswers = ({
  client,
}: {
  readonly client: AutoScalingClient;
}): Pick<LifecycleActions, 'complete' | 'terminating'> => ({
  async complete(instance, hook) {
    const command = new CompleteLifecycleActionCommand({
      ...actionOf(instance, hook),
      LifecycleActionResult: 'CONTINUE',
    });
    return client.send(command).then(() => 'done', unlessOver);
  },

  // A hook that notifies a queue or topic may be that of another program, which completes it.
  async terminating(asg) {
    return (await hooksOf(client, asg)).flatMap(({ hook, timeoutMs, LifecycleTransition, NotificationTargetARN }) =>
      LifecycleTransition === 'autoscaling:EC2_INSTANCE_TERMINATING' && !NotificationTargetARN
        ? [{ hook, ...(timeoutMs !== undefined && { timeoutMs }) }]
        : [],
    );
  },
});

/** Completes terminate hooks, and keeps them open while their instances drain. */
export const createLifecycleActions = ({ client }: { readonly client: AutoScalingClient }): LifecycleActions => ({
  ...createHookAnswers({ client }),

  async heartbeat(instance, hook) {
    return client
      .send(new RecordLifecycleActionHeartbeatCommand(actionOf(instance, hook)))
      .then(() => 'done', unlessOver);
  },

  async timeouts(asg, hooks) {
    const found = await hooksOf(client, asg, hooks);
    return new Map(
      found.flatMap(({ hook, timeoutMs }) => (timeoutMs === undefined ? [] : [[hook, timeoutMs] as const])),
    );
  },
});
