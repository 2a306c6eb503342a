import { nothing, type Operations, operation } from '../operation.ts';
import { findGroup, invalid, type Scaling } from './group.ts';
import { setSizes } from './group-operations.ts';

type Named = { AutoScalingGroupName: string };
type Predictive = { readonly Mode?: string };
type PolicyInput = Named & { PolicyName: string; PolicyType?: string; Enabled?: boolean; PredictiveScalingConfiguration?: Predictive };
type ActionInput = Named & {
  ScheduledActionName: string;
  StartTime?: Date;
  Recurrence?: string;
  MinSize?: number;
  MaxSize?: number;
  DesiredCapacity?: number;
};

const arnOf = ({ base: { place } }: Scaling, kind: string, { AutoScalingGroupName }: Named, name: string): string =>
  `arn:aws:autoscaling:${place.region}:${place.accountId}:${kind}:0:autoScalingGroupName/${AutoScalingGroupName}:${name}`;

/**
 * What scales a group by itself. Scaling policies are stored and described. Their alarms are played by a writer outside the world. A scheduled action sets its
 * sizes at its time, unless the group has suspended that.
 */
export const scalingOperations = (scaling: Scaling): Operations => ({
  PutScalingPolicy: operation<PolicyInput>((input) => {
    const { PolicyName: name, PolicyType: type = 'SimpleScaling', Enabled: isEnabled = true, PredictiveScalingConfiguration: predictive } = input;
    findGroup(scaling, input.AutoScalingGroupName).policies.set(name, { name, type, isEnabled, ...(predictive && { predictive }) });
    return { PolicyARN: arnOf(scaling, 'scalingPolicy', input, `policyName/${name}`), Alarms: [] };
  }),
  DescribePolicies: operation<Partial<Named>>((input) => {
    const groups = input.AutoScalingGroupName === undefined ? [...scaling.groups.values()] : [findGroup(scaling, input.AutoScalingGroupName)];
    return {
      ScalingPolicies: groups.flatMap(({ name: AutoScalingGroupName, policies }) =>
        [...policies.values()].map(({ name: PolicyName, type: PolicyType, isEnabled: Enabled, predictive }) => ({
          AutoScalingGroupName,
          PolicyName,
          PolicyType,
          Enabled,
          ...(predictive && { PredictiveScalingConfiguration: { Mode: 'ForecastOnly', ...predictive } }),
        })),
      ),
    };
  }),
  DeletePolicy: operation<PolicyInput>((input) => {
    findGroup(scaling, input.AutoScalingGroupName).policies.delete(input.PolicyName);
    return nothing;
  }),
  PutScheduledUpdateGroupAction: operation<ActionInput>((input) => {
    const group = findGroup(scaling, input.AutoScalingGroupName);
    const { ScheduledActionName: name, StartTime: start, Recurrence: recurrence } = input;
    const { clock } = scaling.base;
    if (start === undefined || recurrence !== undefined)
      throw invalid('The sandbox plays scheduled actions that have a StartTime and no Recurrence.');
    if (start.getTime() <= clock.now()) throw invalid('Given start time is in the past');
    group.actions.get(name)?.timer.cancel();
    const timer = clock.after(start.getTime() - clock.now(), () => {
      group.actions.delete(name);
      if (!group.deleting && !group.suspended.has('ScheduledActions')) setSizes(scaling, group, input);
    });
    group.actions.set(name, { name, start, timer });
    return nothing;
  }),
  DescribeScheduledActions: operation<Partial<Named>>((input) => {
    const groups = input.AutoScalingGroupName === undefined ? [...scaling.groups.values()] : [findGroup(scaling, input.AutoScalingGroupName)];
    return {
      ScheduledUpdateGroupActions: groups.flatMap(({ name: AutoScalingGroupName, actions }) =>
        [...actions.values()].map(({ name: ScheduledActionName, start: StartTime }) => ({ AutoScalingGroupName, ScheduledActionName, StartTime })),
      ),
    };
  }),
  DeleteScheduledAction: operation<ActionInput>((input) => {
    const { actions } = findGroup(scaling, input.AutoScalingGroupName);
    actions.get(input.ScheduledActionName)?.timer.cancel();
    actions.delete(input.ScheduledActionName);
    return nothing;
  }),
});
