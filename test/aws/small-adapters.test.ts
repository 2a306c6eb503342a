import { describe, expect, test } from 'vitest';
import { isFromAws, retryOf } from '../../aws/calls/errors.ts';
import { createDrains } from '../../aws/drains.ts';
import { createLifecycleActions } from '../../aws/lifecycle-actions.ts';
import { createAnnouncer } from '../../aws/messages/announcer.ts';
import { createRedelivery } from '../../aws/messages/redelivery.ts';
import { createTickQueue } from '../../aws/messages/tick-queue.ts';
import { createWakes } from '../../aws/messages/wakes.ts';
import { createOwners } from '../../aws/owners.ts';
import { createPolicyChanges } from '../../aws/policy/policy-changes.ts';
import { createPrices } from '../../aws/prices.ts';
import { protectedAmong } from '../../aws/providers/termination-protection.ts';
import type { Offering } from '../../core/pool/offering.ts';
import { readMessage } from '../../functions/react/messages/read-message.ts';
import { knownFor } from '../../functions/tick/known-for.ts';
import { awsError, createFakeAws, failsWith } from './fake-aws.ts';

const nowMs = Date.UTC(2026, 10, 20, 12);
const now = () => nowMs;
const numbered = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('owners', () => {
  test('are read from tags, 200 instances a call and every page of each', async () => {
    const instance = (id: string, tags: Record<string, string>) => ({
      InstanceId: id,
      InstanceType: 'm7g.large',
      InstanceLifecycle: 'spot',
      Placement: { AvailabilityZone: 'eu-west-1a' },
      State: { Name: 'running' },
      Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
    });
    const first = instance('i-0', { 'holdfast:group': 'prod/workers', 'holdfast:pool': 'spot-a' });
    const aws = createFakeAws({
      DescribeInstances: [
        { Reservations: [{ Instances: [first] }, { Instances: [instance('i-1', { 'aws:autoscaling:groupName': 'web-asg' })] }], NextToken: 'more' },
        { Reservations: [{ Instances: [instance('i-2', { 'holdfast:group': 'staging/workers' })] }] },
      ],
    });
    const owners = await createOwners({ client: aws.ec2, deployment: 'prod' }).ownersOf([...numbered(250, 'i-'), 'i-0']);
    const offering: Offering = { instanceType: 'm7g.large', zone: 'eu-west-1a', market: 'spot' };
    expect(owners.get('i-0')).toEqual({ group: 'workers', pool: 'spot-a', offering, state: 'running' });
    expect(owners.get('i-1')).toEqual({ asg: 'web-asg', offering, state: 'running' });
    expect(owners.get('i-2')).toEqual({ offering, state: 'running' });
    expect(Object.keys(owners.get('i-0') ?? {})).not.toContain('asg');
    expect(owners.has('i-3')).toBe(false);
    const asked = aws.inputsOf('DescribeInstances') as { NextToken?: string; Filters: { Values: string[] }[] }[];
    expect(asked).toHaveLength(4);
    expect(asked.filter(({ NextToken }) => NextToken === 'more')).toHaveLength(1);
    expect(Math.max(...asked.map(({ Filters }) => Filters[0]?.Values.length ?? 0))).toBe(200);
  });
});

describe('instances that EC2 lists', () => {
  const launchedAt = new Date(nowMs - 5_000);
  const shown = (...ids: readonly string[]) => [{ Instances: ids.map((InstanceId) => ({ InstanceId, LaunchTime: launchedAt })) }];

  test('show when they were launched', async () => {
    const aws = createFakeAws({ DescribeInstances: { Reservations: shown('i-1') } });
    const owners = await createOwners({ client: aws.ec2, deployment: 'prod' }).ownersOf(['i-1']);
    expect(owners.get('i-1')).toMatchObject({ launchedAtMs: nowMs - 5_000, state: 'unknown' });
  });

  test('are read again where the list changed between two pages: one was shown twice, and another one not at all', async () => {
    const pages = [
      { Reservations: shown('i-1', 'i-2'), NextToken: 'n' },
      { Reservations: shown('i-2') },
      { Reservations: shown('i-1', 'i-2'), NextToken: 'n' },
      { Reservations: shown('i-3') },
    ];
    const aws = createFakeAws({ DescribeInstances: pages });
    const owners = await createOwners({ client: aws.ec2, deployment: 'prod' }).ownersOf(['i-1', 'i-2', 'i-3']);
    expect([...owners.keys()].toSorted()).toEqual(['i-1', 'i-2', 'i-3']);
    expect(aws.calls).toHaveLength(4);
  });

  test('are read once more, alone, where several pages did not show them', async () => {
    const twoPages = [{ Reservations: shown('i-1'), NextToken: 'n' }, { Reservations: shown('i-2') }];
    const read = async (pages: readonly object[]) => {
      const aws = createFakeAws({ DescribeInstances: pages });
      const owners = await createOwners({ client: aws.ec2, deployment: 'prod' }).ownersOf(['i-1', 'i-2', 'i-3']);
      const asked = aws.inputsOf('DescribeInstances') as { Filters: { Values: string[] }[] }[];
      return { owners: [...owners.keys()], calls: asked.length, last: asked.at(-1)?.Filters[0]?.Values };
    };
    expect(await read([...twoPages, { Reservations: shown('i-3') }])).toEqual({ owners: ['i-1', 'i-2', 'i-3'], calls: 3, last: ['i-3'] });
    expect(await read([...twoPages, { NextToken: 'n' }, {}])).toMatchObject({ owners: ['i-1', 'i-2'], calls: 4 });
    expect(await read([{ Reservations: shown('i-1') }])).toMatchObject({ owners: ['i-1'], calls: 1 });
  });

  test('are read five times at most, however often the list changes', async () => {
    const aws = createFakeAws({ DescribeInstances: { Reservations: shown('i-1', 'i-1') } });
    const owners = await createOwners({ client: aws.ec2, deployment: 'prod' }).ownersOf(['i-1']);
    expect([owners.size, aws.calls.length]).toEqual([1, 5]);
  });
});

describe('prices', () => {
  const spot = (instanceType: string, zone: string): Offering => ({ instanceType, zone, market: 'spot' });

  test('are the newest of the offerings requested, every page read', async () => {
    const price = (InstanceType: string, AvailabilityZone: string, SpotPrice: string, minute: number) => ({
      InstanceType,
      AvailabilityZone,
      SpotPrice,
      Timestamp: new Date(nowMs - minute * 60_000),
    });
    const aws = createFakeAws({
      DescribeSpotPriceHistory: [
        { SpotPriceHistory: [price('a', 'z1', '0.05', 1), price('a', 'z1', '0.09', 60), price('b', 'z2', '0.01', 1)], NextToken: 'n' },
        { SpotPriceHistory: [price('b', 'z1', '0.07', 1)] },
      ],
    });
    const prices = await createPrices({ client: aws.ec2, now, missed: () => {} }).spotPrices([
      spot('a', 'z1'),
      spot('b', 'z1'),
      { ...spot('a', 'z2'), market: 'on-demand' },
    ]);
    expect(prices).toEqual({ 'a/z1/spot': 0.05, 'b/z1/spot': 0.07 });
    expect(aws.inputsOf('DescribeSpotPriceHistory')[0]).toMatchObject({
      InstanceTypes: ['a', 'b'],
      ProductDescriptions: ['Linux/UNIX'],
      Filters: [{ Name: 'availability-zone', Values: ['z1'] }],
      StartTime: new Date(nowMs),
    });
  });

  test('that fail are reported as missed; a bug of ours is thrown', async () => {
    const missed: string[] = [];
    const read = (failure: object) =>
      createPrices({ client: createFakeAws({ DescribeSpotPriceHistory: failure }).ec2, now, missed: (...told) => missed.push(told.join(' ')) });
    expect(await read(failsWith('RequestLimitExceeded')).spotPrices([spot('a', 'z1')])).toBeUndefined();
    expect(missed).toEqual(['spot prices RequestLimitExceeded']);
    const bug = (): never => {
      throw new TypeError('bug');
    };
    await expect(read(bug).spotPrices([spot('a', 'z1')])).rejects.toThrow('bug');
  });

  test('are not requested when nothing is spot', async () => {
    const aws = createFakeAws({});
    expect(await createPrices({ client: aws.ec2, now, missed: () => {} }).spotPrices([{ ...spot('a', 'z1'), market: 'on-demand' }])).toEqual({});
    expect(aws.calls).toEqual([]);
  });
});

describe('lifecycle actions', () => {
  const hook = { asg: 'web-asg', hook: 'drain', token: 'token-1', expiresAtMs: 0 };

  test('are completed with CONTINUE, by token', async () => {
    const aws = createFakeAws({ CompleteLifecycleAction: {}, RecordLifecycleActionHeartbeat: {} });
    const actions = createLifecycleActions({ client: aws.autoScaling });
    expect(await actions.complete('i-1', hook)).toBe('done');
    expect(await actions.heartbeat('i-1', hook)).toBe('done');
    const action = { LifecycleHookName: 'drain', AutoScalingGroupName: 'web-asg', LifecycleActionToken: 'token-1', InstanceId: 'i-1' };
    expect(aws.inputsOf('CompleteLifecycleAction')).toEqual([{ ...action, LifecycleActionResult: 'CONTINUE' }]);
    expect(aws.inputsOf('RecordLifecycleActionHeartbeat')).toEqual([action]);
  });

  test('that are over are not active, and that is not an error', async () => {
    const over = failsWith('ValidationError', 'No active Lifecycle Action found with instance ID i-1');
    const actions = createLifecycleActions({
      client: createFakeAws({ CompleteLifecycleAction: over, RecordLifecycleActionHeartbeat: over }).autoScaling,
    });
    expect(await actions.complete('i-1', hook)).toBe('not-active');
    expect(await actions.heartbeat('i-1', hook)).toBe('not-active');
  });

  test('of an Auto Scaling group that was deleted are not active either', async () => {
    const deleted = failsWith('ValidationError', "AutoScalingGroup name not found - AutoScalingGroup 'web-asg' not found");
    const actions = createLifecycleActions({
      client: createFakeAws({ CompleteLifecycleAction: deleted, RecordLifecycleActionHeartbeat: deleted, DescribeLifecycleHooks: deleted })
        .autoScaling,
    });
    expect(await actions.complete('i-1', hook)).toBe('not-active');
    expect(await actions.heartbeat('i-1', hook)).toBe('not-active');
    expect(await actions.timeouts('web-asg', ['drain'])).toEqual(new Map());
    expect(await actions.terminating('web-asg')).toEqual([]);
  });

  test('that a look found are named by their instance alone', async () => {
    const aws = createFakeAws({ CompleteLifecycleAction: {} });
    const { token: _, ...found } = hook;
    await createLifecycleActions({ client: aws.autoScaling }).complete('i-1', found);
    const action = { LifecycleHookName: 'drain', AutoScalingGroupName: 'web-asg', InstanceId: 'i-1' };
    expect(aws.inputsOf('CompleteLifecycleAction')).toEqual([{ ...action, LifecycleActionResult: 'CONTINUE' }]);
  });

  test('are those of terminating hooks that no other program gets', async () => {
    const terminating = 'autoscaling:EC2_INSTANCE_TERMINATING';
    const aws = createFakeAws({
      DescribeLifecycleHooks: {
        LifecycleHooks: [
          { LifecycleHookName: 'drain', LifecycleTransition: terminating, HeartbeatTimeout: 300 },
          { LifecycleHookName: 'odd', LifecycleTransition: terminating },
          { LifecycleHookName: 'boot', LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING', HeartbeatTimeout: 300 },
          { LifecycleHookName: 'theirs', LifecycleTransition: terminating, NotificationTargetARN: 'arn:aws:sns:eu-west-1:123456789012:theirs' },
        ],
      },
    });
    const found = await createLifecycleActions({ client: aws.autoScaling }).terminating('web-asg');
    expect(found).toEqual([{ hook: 'drain', timeoutMs: 300_000 }, { hook: 'odd' }]);
    expect(aws.inputsOf('DescribeLifecycleHooks')).toEqual([{ AutoScalingGroupName: 'web-asg' }]);
  });

  test('return the time-outs of their hooks, by name', async () => {
    const aws = createFakeAws({
      DescribeLifecycleHooks: { LifecycleHooks: [{ LifecycleHookName: 'drain', HeartbeatTimeout: 300 }, { LifecycleHookName: 'odd' }] },
    });
    expect(await createLifecycleActions({ client: aws.autoScaling }).timeouts('web-asg', ['drain', 'odd'])).toEqual(new Map([['drain', 300_000]]));
    expect(aws.inputsOf('DescribeLifecycleHooks')).toEqual([{ AutoScalingGroupName: 'web-asg', LifecycleHookNames: ['drain', 'odd'] }]);
  });

  test('that fail otherwise are thrown', async () => {
    const aws = createFakeAws({ CompleteLifecycleAction: failsWith('AccessDenied'), DescribeLifecycleHooks: failsWith('AccessDenied') });
    const actions = createLifecycleActions({ client: aws.autoScaling });
    await expect(actions.complete('i-1', hook)).rejects.toThrow('AccessDenied');
    await expect(actions.timeouts('web-asg', ['drain'])).rejects.toThrow('AccessDenied');
  });
});

describe('drains', () => {
  const order = { group: 'workers', drain: 'workers-swap-d1' };

  test('start under their own name with the order as input', async () => {
    const aws = createFakeAws({ StartExecution: { executionArn: 'arn' } });
    expect(await createDrains({ client: aws.sfn, stateMachineArn: 'arn:machine' }).start(order)).toBe('running');
    expect(aws.inputsOf('StartExecution')).toEqual([{ stateMachineArn: 'arn:machine', name: 'workers-swap-d1', input: JSON.stringify(order) }]);
  });

  test('that ran and ended under their name are over; other failures are thrown', async () => {
    const aws = createFakeAws({ StartExecution: [failsWith('ExecutionAlreadyExists'), failsWith('StateMachineDoesNotExist')] });
    const drains = createDrains({ client: aws.sfn, stateMachineArn: 'arn:machine' });
    expect(await drains.start(order)).toBe('over');
    await expect(drains.start(order)).rejects.toThrow('StateMachineDoesNotExist');
  });
});

describe('wakes', () => {
  test.each([
    [nowMs - 5, 0],
    [nowMs + 1_200, 2],
    [nowMs + 3_600_000, 900],
  ])('are due no later than the queue can hold them back', async (atMs, DelaySeconds) => {
    const aws = createFakeAws({ SendMessage: {} });
    await createWakes({ client: aws.sqs, queueUrl: 'http://queue', claim: async () => true, joinLook: async () => 'first', now }).wake(
      ['workers'],
      atMs,
    );
    const [input] = aws.inputsOf('SendMessage');
    expect(input).toMatchObject({ QueueUrl: 'http://queue', DelaySeconds });
    expect(JSON.parse(String(input?.MessageBody))).toMatchObject({
      source: 'holdfast',
      'detail-type': 'Holdfast Tick',
      detail: { group: 'workers' },
    });
  });

  test('are not sent to a group that is woken in time already, and are sent when that one is over or was not taken', async () => {
    const aws = createFakeAws({ SendMessage: failsOnce() });
    let atMs = nowMs;
    const { wake } = createWakes({
      client: aws.sqs,
      queueUrl: 'http://queue',
      claim: async () => true,
      joinLook: async () => 'first',
      now: () => atMs,
    });
    const sent = () => aws.inputsOf('SendMessage').map(({ MessageBody }) => JSON.parse(String(MessageBody)).detail);
    await expect(wake(['api'], nowMs + 10_000)).rejects.toThrow();
    await wake(['api'], nowMs + 10_000);
    await wake(['api'], nowMs + 10_000);
    // A wake half a second later than wanted will do.
    await wake(['api'], nowMs + 9_500);
    await wake(['api', 'web'], nowMs + 12_000);
    expect(sent().slice(1)).toMatchObject([{ group: 'api' }, { group: 'web' }]);
    await wake(['api'], nowMs + 4_000);
    expect(sent().slice(3)).toMatchObject([{ group: 'api' }]);
    // The later one is still to come after the earlier one.
    atMs = nowMs + 4_000;
    await wake(['api'], nowMs + 10_000);
    expect(sent().slice(4)).toEqual([]);
    atMs = nowMs + 10_000;
    await wake(['api'], nowMs + 12_000);
    expect(sent().slice(4)).toMatchObject([{ group: 'api' }]);
  });

  test('name the time that they are for, and are sent again to a group whose wake has come before it was due by this clock', async () => {
    const aws = createFakeAws({ SendMessage: {} });
    const claims: unknown[] = [];
    const claim = async (...of: unknown[]) => claims.push(of) > 0;
    const { wake, came } = createWakes({ client: aws.sqs, queueUrl: 'http://queue', claim, joinLook: async () => 'first', now });
    const forMs = () => aws.inputsOf('SendMessage').map(({ MessageBody }) => JSON.parse(String(MessageBody)).detail.forMs - nowMs);
    await wake(['api'], nowMs + 4_000);
    came(['api', 'web'], nowMs + 3_999);
    await wake(['api'], nowMs + 10_000);
    expect(forMs()).toEqual([4_000]);
    came(['api'], nowMs + 4_000);
    await wake(['api'], nowMs + 10_000);
    await wake(['web'], nowMs + 10_000);
    expect(forMs()).toEqual([4_000, 10_000, 10_000]);
    expect(claims.slice(1)).toEqual([
      ['api', nowMs + 10_000, nowMs + 4_000],
      ['web', nowMs + 10_000, nowMs + 3_999],
    ]);
  });

  test('are sent for the groups whose wake this environment has claimed, and to no queue where it has claimed none', async () => {
    const aws = createFakeAws({ SendMessage: {} });
    const claim = async (group: string) => group === 'web';
    const { wake } = createWakes({ client: aws.sqs, queueUrl: 'http://queue', claim, joinLook: async () => 'first', now });
    await wake(['api'], nowMs + 10_000);
    await wake(['api', 'web'], nowMs + 10_000);
    expect(aws.inputsOf('SendMessage').map(({ MessageBody }) => JSON.parse(String(MessageBody)).detail)).toMatchObject([{ group: 'web' }]);
  });
});

describe('wakes of groups that may be looked at with those of other environments', () => {
  const played = async (joining: 'first' | 'joined' | 'begun', how?: 'together', inMs = 10_000) => {
    const aws = createFakeAws({ SendMessage: {} });
    const asked: unknown[] = [];
    const { wake } = createWakes({
      client: aws.sqs,
      queueUrl: 'http://queue',
      claim: async (group) => asked.push(group) > 0 && group !== 'api',
      joinLook: async (groups, atMs) => {
        asked.push([...groups, atMs - nowMs]);
        return joining;
      },
      now,
    });
    await wake(['api', 'web'], nowMs + inMs, how);
    await wake(['web'], nowMs + inMs, how);
    const sent = aws.inputsOf('SendMessage').map(({ MessageBody }) => JSON.parse(String(MessageBody)).detail);
    return { asked, sent };
  };
  const forMs = nowMs + 10_000;

  test('join one look once they are claimed, and the first environment sends a message for all', async () => {
    const asked = ['api', 'web', ['web', 10_000]];
    expect(await played('first', 'together')).toEqual({ asked, sent: [{ group: 'web', forMs, isShared: true }] });
    expect(await played('joined', 'together')).toEqual({ asked, sent: [] });
  });

  test('are woken alone where the look has begun, where something is due, and at other times than common marks', async () => {
    expect(await played('begun', 'together')).toEqual({ asked: ['api', 'web', ['web', 10_000]], sent: [{ group: 'web', forMs }] });
    expect(await played('first')).toEqual({ asked: ['api', 'web'], sent: [{ group: 'web', forMs }] });
    expect(await played('first', 'together', 9_999)).toEqual({ asked: ['api', 'web'], sent: [{ group: 'web', forMs: forMs - 1 }] });
  });
});

describe('messages that are delivered again', () => {
  const redelivery = (aws: ReturnType<typeof createFakeAws>, told: unknown[]) =>
    createRedelivery({ client: aws.sqs, queueUrl: 'http://queue', now, unheeded: (count, codes) => void told.push([count, codes]) });
  const messages = Array.from({ length: 12 }, (_, index) => ({ receipt: `r-${index}`, atMs: nowMs + 39_500 + 1_000 * index }));

  test('stay hidden until the time that was named, ten with one call', async () => {
    const aws = createFakeAws({ ChangeMessageVisibilityBatch: {} });
    const unheeded: unknown[] = [];
    await redelivery(aws, unheeded).postpone(messages);
    expect(unheeded).toEqual([]);
    const inputs = aws.inputsOf('ChangeMessageVisibilityBatch');
    expect(inputs.map(({ Entries }) => (Entries as unknown[]).length)).toEqual([10, 2]);
    expect(inputs[1]).toEqual({
      QueueUrl: 'http://queue',
      Entries: [
        { Id: '0', ReceiptHandle: 'r-10', VisibilityTimeout: 50 },
        { Id: '1', ReceiptHandle: 'r-11', VisibilityTimeout: 51 },
      ],
    });
  });

  test('come again at the time of the queue if the call fails, which is noted, and no call is made for none', async () => {
    const aws = createFakeAws({ ChangeMessageVisibilityBatch: failsWith('AccessDenied', 'No.', 403) });
    const unheeded: unknown[] = [];
    const { postpone } = redelivery(aws, unheeded);
    await postpone([]);
    expect([aws.inputsOf('ChangeMessageVisibilityBatch'), unheeded]).toEqual([[], []]);
    await postpone(messages);
    expect(unheeded).toEqual([
      [10, ['AccessDenied']],
      [2, ['AccessDenied']],
    ]);
  });

  test('are noted where the queue refuses single ones', async () => {
    const refused = (Id: string) => ({ Id, SenderFault: true, Code: 'ReceiptHandleIsInvalid' });
    const aws = createFakeAws({ ChangeMessageVisibilityBatch: () => ({ Successful: [], Failed: [refused('0'), refused('1')] }) });
    const unheeded: unknown[] = [];
    await redelivery(aws, unheeded).postpone(messages.slice(0, 3));
    expect(unheeded).toEqual([[2, ['ReceiptHandleIsInvalid']]]);
  });
});

const failsOnce = () => {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls === 1) throw awsError('ServiceUnavailable', 'Try later.', 503);
    return {};
  };
};

describe('a change of policy', () => {
  const change = async (Failed: readonly { Code: string }[]) => {
    const aws = createFakeAws({ SendMessageBatch: () => ({ Failed }) });
    await createPolicyChanges({ client: aws.sqs, queueUrl: 'http://queue' }).tell('web', now());
    return aws.inputsOf('SendMessageBatch');
  };

  test('is sent, and its group gets the next two ticks, which the schedule may not send yet', async () => {
    const [sent] = await change([]);
    const tick = expect.stringContaining('"isScheduled":true');
    expect(sent?.Entries).toEqual([
      { Id: '0', MessageBody: expect.stringContaining('Holdfast Policy Change') },
      { Id: '1', MessageBody: tick, DelaySeconds: 60 },
      { Id: '2', MessageBody: tick, DelaySeconds: 120 },
    ]);
  });

  test('holds the time at which the policy was written, and group and time together identify its message', async () => {
    const aws = createFakeAws({ SendMessageBatch: { Failed: [] } });
    await createPolicyChanges({ client: aws.sqs, queueUrl: 'http://queue' }).tell('web', nowMs, nowMs - 9_000);
    const [entry] = (aws.inputsOf('SendMessageBatch')[0]?.Entries ?? []) as readonly { readonly MessageBody: string }[];
    expect(JSON.parse(entry?.MessageBody ?? '')).toMatchObject({ id: `web-${nowMs}`, detail: { group: 'web', writtenAtMs: nowMs - 9_000 } });
  });

  test('that the queue does not take in full fails, so that it is reported again', async () => {
    await expect(change([{ Code: 'InternalError' }])).rejects.toThrow('InternalError');
  });
});

describe('the groups of the tick', () => {
  test('are read again after a time, and at once where the read failed', async () => {
    const world = { nowMs: 1_000_000, reads: 0, fails: true };
    const read = knownFor(
      150_000,
      () => world.nowMs,
      async () => {
        world.reads += 1;
        if (world.fails) throw new Error('throttled');
        return world.reads;
      },
    );
    await expect(read()).rejects.toThrow('throttled');
    world.fails = false;
    expect(await read()).toBe(2);
    world.nowMs = 1_149_999;
    expect(await read()).toBe(2);
    world.nowMs = 1_150_000;
    expect(await read()).toBe(3);
  });
});

describe('termination protection', () => {
  test('is read of one instance a call and of a hundred at most', async () => {
    const aws = createFakeAws({
      DescribeInstanceAttribute: ({ InstanceId }: { InstanceId: string }) => ({
        InstanceId,
        DisableApiTermination: { Value: InstanceId === 'i-7' || InstanceId === 'i-120' },
      }),
    });
    expect(await protectedAmong({ ec2: aws.ec2 }, numbered(150, 'i-'))).toEqual({ protected: ['i-7'], failed: [] });
    const inputs = aws.inputsOf('DescribeInstanceAttribute');
    expect(new Set(inputs.map(({ InstanceId }) => InstanceId)).size).toBe(100);
    expect(inputs.every(({ Attribute }) => Attribute === 'disableApiTermination')).toBe(true);
  });

  test('a read that fails counts as no protection, and a read that EC2 denies is reported', async () => {
    const codes = new Map([
      ['i-1', 'RequestLimitExceeded'],
      ['i-2', 'UnauthorizedOperation'],
      ['i-3', 'InvalidInstanceID.NotFound'],
    ]);
    const aws = createFakeAws({
      DescribeInstanceAttribute: ({ InstanceId }: { InstanceId: string }) => {
        const code = codes.get(InstanceId);
        if (code !== undefined) throw awsError(code);
        return { InstanceId, DisableApiTermination: { Value: true } };
      },
    });
    expect(await protectedAmong({ ec2: aws.ec2 }, ['i-1', 'i-2', 'i-3', 'i-4'])).toEqual({
      protected: ['i-4'],
      failed: [{ instance: 'i-2', code: 'UnauthorizedOperation', retry: 'never' }],
    });
  });

  test('an error of Holdfast itself is thrown, because it is no response of EC2', async () => {
    const ec2 = { send: () => Promise.reject(new TypeError('a bug')) } as never;
    await expect(protectedAmong({ ec2 }, ['i-1'])).rejects.toThrow('a bug');
  });
});

describe('ticks', () => {
  test('that the queue refuses without a code are named all the same', async () => {
    const aws = createFakeAws({ SendMessageBatch: { Failed: [{ Id: '0' }, { Id: '7', Code: 'None' }] } });
    const { failed } = await createTickQueue({ client: aws.sqs, queueUrl: 'http://queue', now }).tick(['web', 'api']);
    expect(failed).toEqual(['web', 'api'].map((group) => ({ group, code: 'Unknown' })));
  });

  test('are also sent without groups, because a run of react shows that Holdfast works', async () => {
    const aws = createFakeAws({ SendMessageBatch: () => ({ Successful: [] }) });
    await createTickQueue({ client: aws.sqs, queueUrl: 'http://queue', now }).tick([]);
    const [sent] = aws.inputsOf('SendMessageBatch').flatMap(({ Entries }) => Entries as { readonly MessageBody: string }[]);
    expect(readMessage(sent?.MessageBody ?? '', now())).toEqual({ kind: 'ignored', why: 'a tick while no policy is in force' });
  });

  test('name fifty groups a message and go out ten messages a call, and groups that the queue refused are named', async () => {
    const aws = createFakeAws({
      SendMessageBatch: (input: { Entries: { Id: string; MessageBody: string }[] }) =>
        input.Entries.length === 3 ? { Successful: [], Failed: [{ Id: '1', Code: 'InternalError', SenderFault: false }] } : { Successful: [] },
    });
    const { failed } = await createTickQueue({ client: aws.sqs, queueUrl: 'http://queue', now }).tick(numbered(612, 'g'));
    expect(failed).toEqual(
      numbered(612, 'g')
        .slice(550, 600)
        .map((group) => ({ group, code: 'InternalError' })),
    );
    expect(aws.inputsOf('SendMessageBatch').map(({ Entries }) => (Entries as unknown[]).length)).toEqual([10, 3]);
    expect(aws.inputsOf('SendMessageBatch')[0]?.Entries).toContainEqual({ Id: '0', MessageBody: expect.stringContaining('"isScheduled":true') });
  });
});

describe('announcements', () => {
  const events = numbered(12, 'Holdfast Event ').map((detailType) => ({ detailType, group: 'workers', detail: { instance: 'i-1' } }));

  test('go out ten a call', async () => {
    const aws = createFakeAws({ PutEvents: (input: { Entries: unknown[] }) => ({ Entries: input.Entries.map(() => ({ EventId: 'e' })) }) });
    await createAnnouncer({ client: aws.events, eventBusName: 'default' }).announce(events);
    expect(aws.inputsOf('PutEvents').map(({ Entries }) => (Entries as unknown[]).length)).toEqual([10, 2]);
    expect((aws.inputsOf('PutEvents')[0]?.Entries as unknown[] | undefined)?.[0]).toEqual({
      EventBusName: 'default',
      Source: 'holdfast',
      DetailType: 'Holdfast Event 0',
      Detail: JSON.stringify({ instance: 'i-1', group: 'workers' }),
    });
  });

  test('that are long go out in as many calls as keep each below half of what the bus takes', async () => {
    const aws = createFakeAws({ PutEvents: (input: { Entries: unknown[] }) => ({ Entries: input.Entries.map(() => ({ EventId: 'e' })) }) });
    const long = numbered(7, 'Holdfast Event ').map((detailType) => ({ detailType, group: 'workers', detail: { text: 'x'.repeat(60_000) } }));
    await createAnnouncer({ client: aws.events, eventBusName: 'default' }).announce(long);
    expect(aws.inputsOf('PutEvents').map(({ Entries }) => (Entries as unknown[]).length)).toEqual([2, 2, 2, 1]);
  });

  test('that the bus refuses one by one are sent again alone, and thrown about in the end', async () => {
    const aws = createFakeAws({
      PutEvents: (input: { Entries: { DetailType: string }[] }) => ({
        Entries: input.Entries.map(({ DetailType }) => (DetailType.endsWith(' 1') ? { ErrorCode: 'ThrottlingException' } : { EventId: 'e' })),
      }),
    });
    const announced = createAnnouncer({ client: aws.events, eventBusName: 'default' }).announce(events.slice(0, 3));
    await expect(announced).rejects.toThrow('did not take 1 events (ThrottlingException)');
    await expect(announced).rejects.toSatisfy((error) => isFromAws(error) && retryOf(error) === 'later');
    expect(aws.inputsOf('PutEvents').map(({ Entries }) => (Entries as unknown[]).length)).toEqual([3, 1, 1]);
  });

  test('without events make no call', async () => {
    const aws = createFakeAws({ PutEvents: () => awsError('never') });
    await createAnnouncer({ client: aws.events, eventBusName: 'default' }).announce([]);
    expect(aws.calls).toEqual([]);
  });
});
