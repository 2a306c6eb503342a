import {
  type AutoScalingClient,
  CompleteLifecycleActionCommand,
  DescribeLifecycleHooksCommand,
  RecordLifecycleActionHeartbeatCommand,
} from '@aws-sdk/client-auto-scaling';
import type { LifecycleActions } from '../core/ports/lifecycle-actions.ts';
import type { LifecycleHook } from '../core/swap/swap.ts';
import { isNoActiveLifecycleAction } from './calls/errors.ts';

const actionOf = (InstanceId: string, { hook, asg, token }: LifecycleHook) => ({
  LifecycleHookName: hook,
  AutoScalingGroupName: asg,
  LifecycleActionToken: token,
  InstanceId,
});

/**
 * A late or repeated completion of a hook is not an error: its time-out, EC2 or Holdfast has already ended the action.
 * Any other error is thrown.
 */
const unlessOver = (error: unknown): 'not-active' => {
  if (isNoActiveLifecycleAction(error)) return 'not-active';
  throw error;
};

/**
 * Completes terminate hooks, always with CONTINUE. ABANDON terminates the instance just the same, but skips the other
 * hooks, and may make the group retain the instance (Auto Scaling User Guide, instance lifecycle policy).
 */
export const createHookAnswers = ({
  client,
}: {
  readonly client: AutoScalingClient;
}): Pick<LifecycleActions, 'complete'> => ({
  async complete(instance, hook) {
    const command = new CompleteLifecycleActionCommand({
      ...actionOf(instance, hook),
      LifecycleActionResult: 'CONTINUE',
    });
    return client.send(command).then(() => 'done', unlessOver);
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
    const command = new DescribeLifecycleHooksCommand({ AutoScalingGroupName: asg, LifecycleHookNames: [...hooks] });
    const { LifecycleHooks = [] } = await client.send(command);
    return new Map(
      LifecycleHooks.flatMap(({ LifecycleHookName: name, HeartbeatTimeout: seconds }) =>
        name === undefined || seconds === undefined ? [] : [[name, seconds * 1000] as const],
      ),
    );
  },
});
