import type { Signal } from '../../core/signals/signal.ts';

/** Events in the shapes that AWS documents, one builder per detail-type; overrides replace members of the detail. */
const envelope = (source: string, detailType: string, detail: Record<string, unknown>, resources: readonly string[] = []) => ({
  version: '0',
  id: '6f0a4c1e-0d56-4d2f-9a51-0d0d33a2b3c4',
  'detail-type': detailType,
  source,
  account: '123456789012',
  time: '2026-11-20T12:00:00Z',
  region: 'us-east-2',
  resources,
  detail,
});

export const sampleInstance = 'i-0123456789abcdef0';

export const interruptionWarning = (detail: Record<string, unknown> = {}) =>
  envelope('aws.ec2', 'EC2 Spot Instance Interruption Warning', { 'instance-id': sampleInstance, 'instance-action': 'terminate', ...detail }, [
    `arn:aws:ec2:us-east-2a:instance/${sampleInstance}`,
  ]);

export const rebalanceRecommendation = (detail: Record<string, unknown> = {}) =>
  envelope('aws.ec2', 'EC2 Instance Rebalance Recommendation', { 'instance-id': sampleInstance, ...detail });

export const reservationWarning = (detail: Record<string, unknown> = {}) =>
  envelope('aws.ec2', 'EC2 Capacity Reservation Instance Interruption Warning', {
    'instance-id': sampleInstance,
    'instance-action': 'terminate',
    'instance-termination-time': '2026-11-20T12:02:00Z',
    azId: 'use2-az1',
    ...detail,
  });

export const scheduledChangeEvent = (detail: Record<string, unknown> = {}) =>
  envelope('aws.health', 'AWS Health Event', {
    eventArn: 'arn:aws:health:us-east-2::event/EC2/AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED/1',
    service: 'EC2',
    eventTypeCode: 'AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED',
    eventTypeCategory: 'scheduledChange',
    eventScopeCode: 'ACCOUNT_SPECIFIC',
    startTime: 'Fri, 27 Nov 2026 13:19:03 GMT',
    statusCode: 'upcoming',
    eventRegion: 'us-east-2',
    affectedEntities: [{ entityValue: sampleInstance, status: 'PENDING' }],
    affectedAccount: '123456789012',
    page: '1',
    totalPages: '1',
    backupEvent: 'false',
    ...detail,
  });

export const stateChangeNotification = (state: string) =>
  envelope('aws.ec2', 'EC2 Instance State-change Notification', { 'instance-id': sampleInstance, state });

export const lifecycleDetail = (detail: Record<string, unknown> = {}) => ({
  LifecycleActionToken: '87654321-4321-4321-4321-210987654321',
  AutoScalingGroupName: 'web',
  LifecycleHookName: 'drain',
  EC2InstanceId: sampleInstance,
  LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
  NotificationMetadata: 'anything',
  Origin: 'AutoScalingGroup',
  Destination: 'EC2',
  ...detail,
});

export const terminateLifecycleAction = (detail: Record<string, unknown> = {}) =>
  envelope('aws.autoscaling', 'EC2 Instance-terminate Lifecycle Action', lifecycleDetail(detail), [
    'arn:aws:autoscaling:us-east-2:123456789012:autoScalingGroup:uuid:autoScalingGroupName/web',
  ]);

export const launchUnsuccessfulEvent = (detail: Record<string, unknown> = {}) =>
  envelope('aws.autoscaling', 'EC2 Instance Launch Unsuccessful', {
    StatusCode: 'Failed',
    AutoScalingGroupName: 'web',
    ActivityId: 'uuid',
    StatusMessage: 'We currently do not have sufficient m7g.large capacity. Launching EC2 instance failed: InsufficientInstanceCapacity',
    EC2InstanceId: '',
    Details: { 'Availability Zone': 'us-east-2a', 'Subnet ID': 'subnet-1' },
    ...detail,
  });

export const executionStopped = (detail: Record<string, unknown> = {}) =>
  envelope('aws.states', 'Step Functions Execution Status Change', {
    executionArn: 'arn:aws:states:us-east-2:123456789012:execution:holdfast-drain:web-hook-1',
    stateMachineArn: 'arn:aws:states:us-east-2:123456789012:stateMachine:holdfast-drain',
    name: 'web-hook-1',
    status: 'ABORTED',
    startDate: 1_795_176_000_000,
    stopDate: 1_795_176_030_000,
    input: '{"group":"web","drain":"web-hook-1"}',
    inputDetails: { included: true },
    output: null,
    outputDetails: null,
    ...detail,
  });

export const alarmStateChange = (value: string, before = value === 'ALARM' ? 'OK' : 'ALARM') =>
  envelope('aws.cloudwatch', 'CloudWatch Alarm State Change', {
    alarmName: 'workers-cpu-high',
    configuration: { metrics: [] },
    previousState: { value: before, timestamp: '2026-11-20T11:58:00.000+0000' },
    state: { value, reason: 'Threshold Crossed', timestamp: '2026-11-20T12:00:00.000+0000' },
  });

export const ownMessage = (detailType: string, group = 'workers') => envelope('holdfast', detailType, { group });

/** A sample of every kind of signal. */
export const sampleOf: Readonly<Record<Signal['kind'], Readonly<Record<string, unknown>>>> = {
  interruption: interruptionWarning(),
  rebalance: rebalanceRecommendation(),
  'reservation-interruption': reservationWarning(),
  'scheduled-change': scheduledChangeEvent(),
  'state-change': stateChangeNotification('terminated'),
  'terminate-hook': terminateLifecycleAction(),
  'launch-unsuccessful': launchUnsuccessfulEvent(),
  alarm: alarmStateChange('ALARM'),
  'drain-stopped': executionStopped(),
  'policy-change': ownMessage('Holdfast Policy Change'),
  tick: ownMessage('Holdfast Tick'),
};
