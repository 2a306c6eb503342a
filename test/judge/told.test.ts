import { describe, expect, test } from 'vitest';
import { givenBack, messagesOf } from '../../sandbox/judge/told/told.ts';

const beganAtMs = 5_000;
const time = '1970-01-01T00:00:03Z';
const instance = 'i-0123456789abcdef0';
const queued = (...bodies: readonly unknown[]) => ({
  beganAtMs,
  event: { Records: bodies.map((body, index) => ({ messageId: `m${index}`, body: typeof body === 'string' ? body : JSON.stringify(body) })) },
});
const event = (source: string, detailType: string, detail: unknown) => ({ id: 'e', source, 'detail-type': detailType, time, detail });
const direct = { LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING', EC2InstanceId: instance, Time: time };

describe('the content of a message', () => {
  test.each([
    [event('aws.ec2', 'EC2 Spot Instance Interruption Warning', { 'instance-id': instance }), { about: 'warning', instance }],
    [event('aws.ec2', 'EC2 Instance Rebalance Recommendation', { 'instance-id': instance }), { about: 'advice', instance }],
    [
      event('aws.ec2', 'EC2 Instance State-change Notification', { 'instance-id': instance, state: 'running' }),
      { about: 'state', instance, state: 'running' },
    ],
    [event('aws.autoscaling', 'EC2 Instance-terminate Lifecycle Action', { EC2InstanceId: instance }), { about: 'hook', instance }],
    [
      event('aws.autoscaling', 'EC2 Instance-terminate Lifecycle Action', { EC2InstanceId: instance, LifecycleHookName: 'drain-2' }),
      { about: 'hook', instance, hook: 'drain-2' },
    ],
    [event('aws.autoscaling', 'EC2 Instance Launch Unsuccessful', { AutoScalingGroupName: 'a' }), { about: 'launch-unsuccessful', asg: 'a' }],
    [
      event('aws.health', 'AWS Health Event', { statusCode: 'upcoming', affectedEntities: [{ entityValue: instance }, { entityValue: 'i-2' }] }),
      { about: 'maintenance', instances: [instance, 'i-2'] },
    ],
    [event('aws.health', 'AWS Health Event', { statusCode: 'closed', affectedEntities: [{ entityValue: instance }] }), { about: 'other' }],
    [event('aws.cloudwatch', 'CloudWatch Alarm State Change', { alarmName: 'high' }), { about: 'alarm', alarm: 'high' }],
    [event('holdfast', 'Holdfast Tick', { group: 'web' }), { about: 'tick', groups: ['web'] }],
    [event('holdfast', 'Holdfast Tick', { groups: ['api', 'web'] }), { about: 'tick', groups: ['api', 'web'] }],
    [event('holdfast', 'Holdfast Policy Change', { group: 'web' }), { about: 'policy', group: 'web' }],
    [direct, { about: 'hook', instance }],
    [
      { Type: 'Notification', Message: JSON.stringify(direct) },
      { about: 'hook', instance },
    ],
    [event('aws.ec2', 'Something Else', {}), { about: 'other' }],
  ])('%j', (body, told) => {
    expect(messagesOf(queued(body))).toEqual([{ message: 'm0', told, happenedAtMs: 3_000 }]);
  });

  test('what cannot be read reports something else, now', () => {
    const messages = messagesOf(queued('no JSON', '3', { time: 'never' }));
    expect(messages.map(({ told, happenedAtMs }) => [told.about, happenedAtMs])).toEqual([
      ['other', beganAtMs],
      ['other', beganAtMs],
      ['other', beganAtMs],
    ]);
  });

  const change = { eventID: 'c1', dynamodb: { SequenceNumber: '7', ApproximateCreationDateTime: 4, Keys: { group: { S: 'web' } } } };
  test('a change in a stream reports its group', () => {
    expect(messagesOf({ beganAtMs, event: { Records: [change] } })).toEqual([
      { message: 'c1', told: { about: 'policy', group: 'web' }, happenedAtMs: 4_000 },
    ]);
  });

  test('an event of the bus is its own message, a step of a workflow is none', () => {
    expect(messagesOf({ beganAtMs, event: event('aws.events', 'Scheduled Event', {}) })).toMatchObject([{ message: 'e', told: { about: 'other' } }]);
    expect(messagesOf({ beganAtMs, event: { group: 'web', instances: [instance] } })).toEqual([]);
  });

  test('an invocation gives back what it names, or everything when it fails', () => {
    const batch = queued(direct, direct);
    const back = (value: unknown) => givenBack(batch, { kind: 'ok', value });
    expect(back(null)).toEqual([]);
    expect(back({ batchItemFailures: [{ itemIdentifier: 'm1' }] })).toEqual(['m1']);
    expect(givenBack(batch, { kind: 'error', errorType: 'E', errorMessage: '' })).toEqual(['m0', 'm1']);
    const failures = { batchItemFailures: [{ itemIdentifier: '7' }] };
    expect(givenBack({ beganAtMs, event: { Records: [change] } }, { kind: 'ok', value: failures })).toEqual(['c1']);
  });
});
