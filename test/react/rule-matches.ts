import {
  alarmStateChange,
  executionStopped,
  interruptionWarning,
  launchUnsuccessfulEvent,
  ownMessage,
  rebalanceRecommendation,
  reservationWarning,
  scheduledChangeEvent,
  stateChangeNotification,
  terminateLifecycleAction,
} from './event-samples.ts';

type Sample = { readonly what: string; readonly event: Readonly<Record<string, unknown>>; readonly rule: string | undefined };

const from = (source: string, event: object): Readonly<Record<string, unknown>> => ({ ...event, source });
const named = (detailType: string, event: object): Readonly<Record<string, unknown>> => ({ ...event, 'detail-type': detailType });

/** Every event sample with the one rule of the stack that takes it, by what follows the deployment's name; undefined: no rule does. */
export const ruleMatches: readonly Sample[] = [
  { what: 'an interruption warning', event: interruptionWarning(), rule: 'interruption' },
  { what: 'a warning of hibernation', event: interruptionWarning({ 'instance-action': 'hibernate' }), rule: 'interruption' },
  { what: 'a rebalance recommendation', event: rebalanceRecommendation(), rule: 'rebalance' },
  { what: 'a capacity reservation that is taken back', event: reservationWarning(), rule: 'reservation-interruption' },
  { what: 'a retirement that is scheduled', event: scheduledChangeEvent(), rule: 'scheduled-change' },
  { what: 'trouble of EC2 itself', event: scheduledChangeEvent({ eventTypeCategory: 'issue' }), rule: undefined },
  { what: 'a change of another service', event: scheduledChangeEvent({ service: 'RDS' }), rule: undefined },
  ...['running', 'stopping', 'stopped', 'shutting-down', 'terminated'].map((state) => ({
    what: `the state ${state}`,
    event: stateChangeNotification(state),
    rule: 'state-change',
  })),
  { what: 'the state pending', event: stateChangeNotification('pending'), rule: undefined },
  { what: 'a terminating lifecycle action', event: terminateLifecycleAction(), rule: 'terminate-hook' },
  { what: 'a launching lifecycle action', event: named('EC2 Instance-launch Lifecycle Action', terminateLifecycleAction()), rule: undefined },
  { what: 'a launch that failed', event: launchUnsuccessfulEvent(), rule: 'launch-unsuccessful' },
  { what: 'a launch that succeeded', event: named('EC2 Instance Launch Successful', launchUnsuccessfulEvent()), rule: undefined },
  { what: 'an alarm that goes off', event: alarmStateChange('ALARM'), rule: 'alarm' },
  { what: 'an alarm that ends', event: alarmStateChange('OK'), rule: 'alarm' },
  { what: 'an alarm that ends without data', event: alarmStateChange('INSUFFICIENT_DATA'), rule: 'alarm' },
  { what: 'an alarm that stays in ALARM while its actions change', event: alarmStateChange('ALARM', 'ALARM'), rule: 'alarm' },
  { what: 'an alarm that has data again', event: alarmStateChange('OK', 'INSUFFICIENT_DATA'), rule: undefined },
  { what: 'an alarm that has no data any more', event: alarmStateChange('INSUFFICIENT_DATA', 'OK'), rule: undefined },
  { what: 'a drain that was stopped', event: executionStopped(), rule: 'drain-stopped' },
  { what: 'a drain that ended', event: executionStopped({ status: 'SUCCEEDED' }), rule: undefined },
  {
    what: 'another workflow that was stopped',
    event: executionStopped({ stateMachineArn: 'arn:aws:states:us-east-2:123456789012:stateMachine:another' }),
    rule: undefined,
  },
  { what: 'a message of ours', event: ownMessage('Holdfast Tick'), rule: undefined },
  { what: 'a warning that somebody else made up', event: from('my.tests', interruptionWarning()), rule: undefined },
  { what: 'an alarm under the name of EC2', event: from('aws.ec2', alarmStateChange('ALARM')), rule: undefined },
  { what: 'a detail-type in other letters', event: named('ec2 spot instance interruption warning', interruptionWarning()), rule: undefined },
];
