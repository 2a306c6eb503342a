import type { InstanceRecord } from '../instance.ts';
import type { Activity, Group, Scaling } from './group.ts';

/** The scaling activities of a group. */
const kept = 100;

export const beginActivity = ({ base }: Scaling, group: Group, description: string, cause: string): Activity => {
  const activity: Activity = { id: base.ids.uuid(), description, cause, startMs: base.clock.now(), status: 'InProgress' };
  group.activities.unshift(activity);
  if (group.activities.length > kept) group.activities.pop();
  return activity;
};

const endActivity = ({ base }: Scaling, activity: Activity, status: 'Successful' | 'Failed', message?: string): Activity => {
  activity.status = status;
  activity.endMs = base.clock.now();
  if (message !== undefined) activity.message = message;
  return activity;
};

export const describeActivity = (group: Group, activity: Activity) => ({
  ActivityId: activity.id,
  AutoScalingGroupName: group.name,
  AutoScalingGroupARN: group.arn,
  Description: activity.description,
  Cause: activity.cause,
  StartTime: new Date(activity.startMs),
  ...(activity.endMs === undefined ? {} : { EndTime: new Date(activity.endMs) }),
  StatusCode: activity.status,
  ...(activity.message === undefined ? {} : { StatusMessage: activity.message }),
  Progress: activity.status === 'InProgress' ? 50 : 100,
});

type Place = { readonly zone: string; readonly subnet: string };

/** `EC2 Instance Launch|Terminate Successful|Unsuccessful`, in the shape of EventBridge's reference. */
const emitOutcome = (
  scaling: Scaling,
  group: Group,
  activity: Activity,
  what: 'Launch' | 'Terminate',
  place: Place,
  instance?: InstanceRecord,
): void => {
  const { base } = scaling;
  const { region, accountId } = base.place;
  const failed = activity.status === 'Failed';
  const leaving = what === 'Terminate';
  base.emit({
    'detail-type': `EC2 Instance ${what} ${failed ? 'Unsuccessful' : 'Successful'}`,
    source: 'aws.autoscaling',
    resources: [group.arn, ...(instance === undefined ? [] : [`arn:aws:ec2:${region}:${accountId}:instance/${instance.id}`])],
    detail: {
      // Events of success are sent while the activity still counts as in progress.
      StatusCode: failed ? 'Failed' : 'InProgress',
      Description: activity.description,
      AutoScalingGroupName: group.name,
      ActivityId: activity.id,
      Details: { 'Availability Zone': place.zone, 'Subnet ID': place.subnet },
      RequestId: activity.id,
      StatusMessage: activity.message ?? '',
      StartTime: new Date(activity.startMs).toISOString(),
      EndTime: new Date(base.clock.now()).toISOString(),
      EC2InstanceId: instance?.id ?? '',
      Cause: activity.cause,
      Origin: leaving ? 'AutoScalingGroup' : 'EC2',
      Destination: leaving ? 'EC2' : 'AutoScalingGroup',
    },
  });
};

export const emitSuccess = (scaling: Scaling, group: Group, what: 'Launch' | 'Terminate', instance: InstanceRecord, cause: string): void => {
  const verb = what === 'Launch' ? 'Launching a new' : 'Terminating';
  const activity = beginActivity(scaling, group, `${verb} EC2 instance: ${instance.id}`, cause);
  endActivity(scaling, activity, 'Successful');
  emitOutcome(scaling, group, activity, what, { zone: instance.zone, subnet: instance.subnet.id }, instance);
};

export const emitLaunchFailure = (scaling: Scaling, group: Group, place: Place, message: string): void => {
  const cause = 'An instance was started in response to a difference between desired and actual capacity.';
  const activity = beginActivity(scaling, group, 'Launching a new EC2 instance', cause);
  endActivity(scaling, activity, 'Failed', message);
  emitOutcome(scaling, group, activity, 'Launch', place);
};
