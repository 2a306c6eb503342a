import {
  type AutoScalingClient,
  type AutoScalingGroup,
  paginateDescribePolicies,
  paginateDescribeScheduledActions,
  type ScalingPolicy,
} from '@aws-sdk/client-auto-scaling';
import type { Scalers } from '../../core/policy/resolution.ts';
import { allOf } from '../calls/all-of.ts';
import { codeOf, isFromAws } from '../calls/errors.ts';
import { allSettled } from '../calls/in-parallel.ts';

/** ECS tags the Auto Scaling groups of its capacity providers (Amazon ECS Developer Guide, capacity providers). */
const ecsTag = 'AmazonECSManaged';

const suspends = ({ SuspendedProcesses = [] }: AutoScalingGroup, process: string): boolean =>
  SuspendedProcesses.some(({ ProcessName }) => ProcessName === process);

/** A predictive policy only forecasts by default (Auto Scaling API, PredictiveScalingConfiguration). */
const setsSizes = ({ PolicyType, Enabled, PredictiveScalingConfiguration: predictive }: ScalingPolicy): boolean =>
  Enabled !== false && (PolicyType !== 'PredictiveScaling' || predictive?.Mode === 'ForecastAndScale');

const policiesOf = async (client: AutoScalingClient, group: AutoScalingGroup): Promise<readonly string[]> => {
  // While this process is suspended, alarms have no effect on the group.
  if (suspends(group, 'AlarmNotification')) return [];
  const { AutoScalingGroupName } = group;
  const policies = await allOf(
    paginateDescribePolicies({ client }, { AutoScalingGroupName }),
    ({ ScalingPolicies }) => ScalingPolicies,
  );
  return policies.filter(setsSizes).flatMap(({ PolicyName }) => PolicyName ?? []);
};

const actionsOf = async (client: AutoScalingClient, group: AutoScalingGroup): Promise<readonly string[]> => {
  if (suspends(group, 'ScheduledActions')) return [];
  const { AutoScalingGroupName } = group;
  const actions = await allOf(
    paginateDescribeScheduledActions({ client }, { AutoScalingGroupName }),
    ({ ScheduledUpdateGroupActions }) => ScheduledUpdateGroupActions,
  );
  return actions.flatMap(({ ScheduledActionName }) => ScheduledActionName ?? []);
};

/**
 * Everything else that sets the desired capacity of an Auto Scaling group. When Auto Scaling returns an error, its code
 * is returned, because a policy is not refused for that.
 */
export const scalersOf = async (client: AutoScalingClient, group: AutoScalingGroup): Promise<Scalers> => {
  try {
    const [policies, scheduledActions] = await allSettled([policiesOf(client, group), actionsOf(client, group)]);
    return { policies, scheduledActions, isOfEcs: (group.Tags ?? []).some(({ Key }) => Key === ecsTag) };
  } catch (error) {
    if (!isFromAws(error)) throw error;
    return { unread: codeOf(error) };
  }
};
