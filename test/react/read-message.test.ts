import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { signalKinds } from '../../core/signals/signal.ts';
import { readMessage } from '../../functions/react/messages/read-message.ts';
import {
  alarmStateChange,
  executionStopped,
  interruptionWarning,
  launchUnsuccessfulEvent,
  lifecycleDetail,
  ownMessage,
  rebalanceRecommendation,
  reservationWarning,
  sampleInstance,
  sampleOf,
  scheduledChangeEvent,
  stateChangeNotification,
  terminateLifecycleAction,
} from './event-samples.ts';

const sentAtMs = Date.parse('2026-11-20T12:00:01Z');
const eventAtMs = Date.parse('2026-11-20T12:00:00Z');
const read = (message: unknown) => readMessage(JSON.stringify(message), sentAtMs);
const signal = (message: unknown) => {
  const reading = read(message);
  return reading.kind === 'signals' ? reading.signals[0] : reading;
};
const signals = (message: unknown) => {
  const reading = read(message);
  return reading.kind === 'signals' ? reading.signals : reading;
};

test.each(signalKinds)('the sample of $kind is read as a signal of that kind', ({ kind }) => {
  expect(signal(sampleOf[kind])).toMatchObject({ kind });
});

describe('events of AWS Health', () => {
  const other = 'i-00000000000000002';
  it('are read for every instance that they name, by id or by ARN', () => {
    const entities = [{ entityValue: `arn:aws:ec2:us-east-2:123456789012:instance/${other}` }, { entityValue: sampleInstance }];
    const startsAtMs = Date.parse('2026-11-27T13:19:03Z');
    expect(signals(scheduledChangeEvent({ affectedEntities: [...entities, { entityValue: other }] }))).toEqual(
      [other, sampleInstance].map((instance) => ({ kind: 'scheduled-change', instance, startsAtMs, atMs: eventAtMs })),
    );
  });
  it.each([
    'AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED',
    'AWS_EC2_PERSISTENT_INSTANCE_RETIREMENT_SCHEDULED',
    'AWS_EC2_INSTANCE_RETIREMENT_EXPEDITED',
    'AWS_EC2_PERSISTENT_INSTANCE_RETIREMENT_EXPEDITED',
    'AWS_EC2_INSTANCE_TERMINATION_SCHEDULED',
    'AWS_EC2_INSTANCE_REBOOT_FLEXIBLE_MAINTENANCE_SCHEDULED',
    'AWS_EC2_PERSISTENT_INSTANCE_POWER_MAINTENANCE_SCHEDULED',
    'AWS_EC2_INSTANCE_STOP_SCHEDULED',
    'AWS_EC2_INSTANCE_REBOOT_MAINTENANCE_SCHEDULED',
    'AWS_EC2_SYSTEM_REBOOT_MAINTENANCE_SCHEDULED',
    'AWS_EC2_INSTANCE_NETWORK_MAINTENANCE_SCHEDULED',
    'AWS_EC2_INSTANCE_POWER_MAINTENANCE_SCHEDULED',
    'AWS_EC2_SYSTEM_MAINTENANCE_EVENT',
  ])('act on %s', (eventTypeCode) => {
    expect(signal(scheduledChangeEvent({ eventTypeCode }))).toMatchObject({ kind: 'scheduled-change' });
  });
  it.each([
    { eventTypeCode: 'AWS_EC2_DEDICATED_HOST_PERFORMANCE_DEGRADED' },
    { eventTypeCategory: 'issue' },
    { service: 'RDS' },
    { statusCode: 'closed' },
    { affectedEntities: [] },
    { affectedEntities: [{ entityValue: 'vol-0123456789abcdef0' }] },
  ])('are ignored where they concern no instance to come: %o', (change) => {
    expect(signal(scheduledChangeEvent(change))).toMatchObject({ kind: 'ignored' });
  });
  it('are read also where they come from another region, as a backup', () => {
    const event = { ...scheduledChangeEvent(), region: 'us-west-2' };
    expect(readMessage(JSON.stringify(event), sentAtMs, { account: '123456789012', region: 'us-east-2' }).kind).toBe('signals');
  });
});

describe('a capacity reservation that is taken back', () => {
  it('has the time of its end, or two minutes', () => {
    const said = { 'instance-termination-time': '2026-11-20T12:01:30Z' };
    expect(signal(reservationWarning(said))).toMatchObject({ deadlineMs: eventAtMs + 90_000 });
    expect(signal(reservationWarning({ 'instance-termination-time': undefined }))).toMatchObject({ deadlineMs: eventAtMs + 120_000 });
  });
  it('may come without a time, which no other event of AWS may', () => {
    const said = { 'instance-termination-time': undefined };
    expect(signal({ ...reservationWarning(said), time: '' })).toMatchObject({ deadlineMs: sentAtMs + 120_000 });
    expect(read({ ...interruptionWarning(), time: '' })).toEqual({ kind: 'invalid', why: 'time: is missing' });
  });
});

describe('events of EC2', () => {
  it('takes the instance of a warning from the detail: its ARN has a zone for a region and no account', () => {
    expect(signal(interruptionWarning())).toEqual({ kind: 'interruption', instance: sampleInstance, action: 'terminate', atMs: eventAtMs });
  });
  it('keeps the action of a warning: hibernation gives no notice', () => {
    expect(signal(interruptionWarning({ 'instance-action': 'hibernate' }))).toMatchObject({ action: 'hibernate' });
  });
  it('reads a rebalance recommendation', () => {
    expect(signal(rebalanceRecommendation())).toEqual({ kind: 'rebalance', instance: sampleInstance, atMs: eventAtMs });
  });
  it.each(['running', 'stopping', 'stopped', 'shutting-down', 'terminated'])('reads the state %s', (state) => {
    expect(signal(stateChangeNotification(state))).toEqual({ kind: 'state-change', instance: sampleInstance, state, atMs: eventAtMs });
  });
  it('ignores pending: the launch that caused it is known already', () => {
    expect(read(stateChangeNotification('pending')).kind).toBe('ignored');
  });
});

describe('lifecycle actions', () => {
  const hook = { asg: 'web', hook: 'drain', token: '87654321-4321-4321-4321-210987654321' };
  it('reads a terminating instance that waits', () => {
    expect(signal(terminateLifecycleAction())).toMatchObject({ kind: 'terminate-hook', instance: sampleInstance, hook, atMs: eventAtMs });
  });
  it('reads the direct form that SQS receives, at the time it was sent', () => {
    expect(signal({ Service: 'AWS Auto Scaling', Time: '2026-11-20T12:00:00.000Z', ...lifecycleDetail() })).toMatchObject({
      kind: 'terminate-hook',
      hook,
      atMs: sentAtMs,
    });
  });
  it('reads the direct form wrapped by SNS', () => {
    expect(signal({ Type: 'Notification', MessageId: 'x', Message: JSON.stringify(lifecycleDetail()) })).toMatchObject({
      kind: 'terminate-hook',
      hook,
    });
  });
  it('ignores the test notification of a new hook, direct and wrapped', () => {
    const test = { AccountId: '123456789012', RequestId: 'r', AutoScalingGroupName: 'web', Event: 'autoscaling:TEST_NOTIFICATION' };
    expect(read(test).kind).toBe('ignored');
    expect(read({ Type: 'Notification', Message: JSON.stringify(test) }).kind).toBe('ignored');
  });
  it('ignores a return to the warm pool, which is no termination', () => {
    expect(read(terminateLifecycleAction({ Destination: 'WarmPool' })).kind).toBe('ignored');
  });
  it('ignores a launching instance', () => {
    expect(read(lifecycleDetail({ LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING' })).kind).toBe('ignored');
  });
  it('reads that a drain was stopped, by the order that it was started with', () => {
    expect(signal(executionStopped())).toEqual({ kind: 'drain-stopped', group: 'web', drain: 'web-hook-1', atMs: eventAtMs });
    expect(read(executionStopped({ status: 'SUCCEEDED' })).kind).toBe('ignored');
    for (const input of [null, 'no JSON', '{"group":"web"}', '{"group":"../web","drain":"d"}'])
      expect(read(executionStopped({ input })).kind).toBe('ignored');
  });
  it('reads a launch that Auto Scaling could not make, with the code from its message', () => {
    expect(signal(launchUnsuccessfulEvent())).toEqual({
      kind: 'launch-unsuccessful',
      asg: 'web',
      code: 'InsufficientInstanceCapacity',
      atMs: eventAtMs,
    });
  });
});

describe('alarms and our own messages', () => {
  it('reads an alarm, and its return to OK', () => {
    expect(signal(alarmStateChange('ALARM'))).toMatchObject({ kind: 'alarm', alarm: 'workers-cpu-high', state: 'ALARM' });
    expect(signal(alarmStateChange('OK'))).toMatchObject({ kind: 'alarm', alarm: 'workers-cpu-high', state: 'OK' });
  });
  it('reads that the actions of an alarm are suppressed or muted', () => {
    const event = alarmStateChange('ALARM');
    const { detail } = event;
    const suppressed = { ...detail, state: { ...(detail.state as object), actionsSuppressedBy: 'WaitPeriod' } };
    expect(signal({ ...event, detail: suppressed })).toMatchObject({ quiet: 'suppressed' });
    expect(signal({ ...event, detail: { ...detail, muteDetail: { mutedBy: 'night' } } })).toMatchObject({ quiet: 'muted' });
    expect(signal(event)).not.toHaveProperty('quiet');
  });
  it('reads how far the latest value is from the threshold', () => {
    const event = alarmStateChange('ALARM');
    const distanceOf = (reasonData: unknown) => {
      const text = typeof reasonData === 'string' ? reasonData : JSON.stringify(reasonData);
      return signal({ ...event, detail: { ...event.detail, state: { ...(event.detail.state as object), reasonData: text } } });
    };
    expect(distanceOf({ version: '1.0', statistic: 'Average', period: 300, recentDatapoints: [61, 99.5], threshold: 50 })).toMatchObject({
      fromThreshold: 49.5,
    });
    expect(distanceOf({ threshold: 30, recentDatapoints: [4] })).toMatchObject({ fromThreshold: -26 });
    const evaluatedDatapoints = [
      { timestamp: '2026-11-20T11:59:00.000+0000', sampleCount: 1, value: 70 },
      { timestamp: '2026-11-20T11:58:00.000+0000', sampleCount: 1, value: 60 },
    ];
    expect(distanceOf({ threshold: 50, recentDatapoints: [60, 70], evaluatedDatapoints })).toMatchObject({ fromThreshold: 20 });
    for (const unknown of ['', 'no JSON', '{"threshold":1}', '{"recentDatapoints":[1]}', { triggeringAlarms: [] }])
      expect(distanceOf(unknown)).not.toHaveProperty('fromThreshold');
  });
  it('reads ticks and policy changes', () => {
    expect(signal(ownMessage('Holdfast Tick'))).toEqual({ kind: 'tick', groups: ['workers'], atMs: eventAtMs, isScheduled: false });
    const wake = { ...ownMessage('Holdfast Tick'), detail: { group: 'workers', forMs: eventAtMs + 10_000 } };
    expect(signal(wake)).toMatchObject({ groups: ['workers'], forMs: eventAtMs + 10_000 });
    expect(signal(wake)).not.toHaveProperty('isShared');
    expect(signal({ ...wake, detail: { ...wake.detail, isShared: true } })).toMatchObject({ isShared: true });
    const together = { ...ownMessage('Holdfast Tick'), detail: { groups: ['api', 'web'], isScheduled: true } };
    expect(signal(together)).toEqual({ kind: 'tick', groups: ['api', 'web'], atMs: eventAtMs, isScheduled: true });
    expect(signal(ownMessage('Holdfast Policy Change'))).toMatchObject({ kind: 'policy-change', group: 'workers' });
  });
});

describe('what cannot be read', () => {
  it.each([
    ['text that is not JSON', 'hello'],
    ['an empty message', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['an unknown detail-type', JSON.stringify({ ...interruptionWarning(), 'detail-type': 'EC2 Something New' })],
    ['a known detail-type of the wrong source', JSON.stringify({ ...interruptionWarning(), source: 'my.app' })],
    ['an SNS message that is not JSON', JSON.stringify({ Type: 'Notification', Message: '{' })],
    ['an instance id that is none', JSON.stringify(interruptionWarning({ 'instance-id': '../../etc' }))],
    ['a missing instance id', JSON.stringify(interruptionWarning({ 'instance-id': undefined }))],
    ['a time that is none', JSON.stringify({ ...interruptionWarning(), time: 'yesterday' })],
  ])('%s is invalid', (_, text) => {
    expect(readMessage(text, sentAtMs).kind).toBe('invalid');
  });
  it('is reported with the field that is wrong, and never with its value', () => {
    const reading = readMessage(JSON.stringify(interruptionWarning({ 'instance-id': 'secret-value' })), sentAtMs);
    expect(reading).toMatchObject({ kind: 'invalid', why: expect.stringContaining('instance-id') });
    expect(JSON.stringify(reading)).not.toContain('secret-value');
  });
  it('never throws, whatever arrives', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((inner) => JSON.stringify({ Type: 'Notification', Message: inner })),
        ),
        (text) => {
          readMessage(text, sentAtMs);
        },
      ),
    );
  });
});

describe('where and when', () => {
  const home = { account: '123456789012', region: 'us-east-2' };
  const readAt = (message: Record<string, unknown>) => readMessage(JSON.stringify(message), sentAtMs, home);
  const years = 365 * 24 * 3_600_000;

  it('takes events of its own account and region, and events that name none', () => {
    expect(readAt(interruptionWarning()).kind).toBe('signals');
    expect(readAt({ ...interruptionWarning(), account: undefined, region: undefined }).kind).toBe('signals');
    expect(readAt(lifecycleDetail({ AccountId: home.account })).kind).toBe('signals');
  });
  it.each([{ account: '999999999999' }, { region: 'eu-west-1' }])('leaves alone what happened elsewhere: %o', (elsewhere) => {
    expect(readAt({ ...alarmStateChange('ALARM'), ...elsewhere }).kind).toBe('ignored');
  });
  it('leaves alone a lifecycle action of another account in its direct form', () => {
    expect(readAt(lifecycleDetail({ AccountId: '999999999999' })).kind).toBe('ignored');
  });
  it('leaves alone what is replayed long after it happened', () => {
    expect(readAt({ ...interruptionWarning(), time: new Date(sentAtMs - 4 * 24 * 3_600_000 - 1).toISOString() }).kind).toBe('ignored');
    expect(readAt({ ...interruptionWarning(), time: new Date(sentAtMs - 4 * 24 * 3_600_000).toISOString() }).kind).toBe('signals');
  });
  it('takes the time of sending where an event has none', () => {
    for (const time of ['', undefined])
      expect(readAt({ ...reservationWarning({ 'instance-termination-time': undefined }), time })).toMatchObject({ signals: [{ atMs: sentAtMs }] });
  });
  it('takes a time that lies ahead for the time of sending: it must not hold deadlines and cool-downs open', () => {
    const ahead = { time: new Date(sentAtMs + 50 * years).toISOString() };
    expect(readAt({ ...interruptionWarning(), ...ahead })).toMatchObject({ signals: [{ atMs: sentAtMs }] });
    expect(readAt({ ...terminateLifecycleAction(), ...ahead })).toMatchObject({ signals: [{ hook: { expiresAtMs: sentAtMs + 30_000 } }] });
  });
  it('takes no group name that no policy can have', () => {
    expect(readAt(ownMessage('Holdfast Tick', '@registry')).kind).toBe('invalid');
    expect(readAt(ownMessage('Holdfast Tick', 'x'.repeat(64))).kind).toBe('invalid');
    for (const detail of [{}, { groups: [] }, { groups: ['web', '@registry'] }])
      expect(readAt({ ...ownMessage('Holdfast Tick'), detail }).kind).toBe('invalid');
  });
});
