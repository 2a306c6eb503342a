import { describe, expect, test } from 'vitest';
import type { Group } from '../../core/group/group.ts';
import { loweredShownMs } from '../../core/times/times.ts';
import type { RaisedMax } from '../../core/view/raised-max.ts';
import { autoScalingGroup, ec2Instance, group, groupOfAsgs, nowMs, ours, swap, targetHealth } from './builders.ts';
import { type Answers, awsError, failsWith } from './fake-aws.ts';
import { providerOver } from './provider.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `i-${String(index).padStart(4, '0')}`);
const attached = group({ holding: { kind: 'attach', asg: 'web' } });
const sized: Group = { ...attached, size: { min: 0, max: 9, desired: 0, from: 'asg' } };
const named = (of: Group = group()): Group => ({ ...of, drain: { timeoutMs: 1, loadBalancers: ['tg-1', 'tg-2'] } });
const over = (of: Group, answers: Answers) => providerOver(of.holding, answers);
const inWeb = (members: Record<string, string>, more: Parameters<typeof autoScalingGroup>[2] = {}) => ({
  DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web', members, more)] },
});
const sizes = (inputs: readonly Record<string, unknown>[], field: string) => inputs.map((input) => (input[field] as unknown[]).length);

describe('admitting members', () => {
  test('attaches at most 20 a call', async () => {
    const { provider, aws } = over(attached, { AttachInstances: {}, CreateTags: {} });
    const ids = numbered(45);
    expect(await provider.admit(attached, ids)).toEqual({ done: ids, failed: [] });
    expect(sizes(aws.inputsOf('AttachInstances'), 'InstanceIds').toSorted()).toEqual([20, 20, 5]);
    expect(aws.inputsOf('AttachInstances')[0]?.AutoScalingGroupName).toBe('web');
    const [noted, ...more] = aws.inputsOf('CreateTags');
    expect([...((noted?.Resources ?? []) as string[])].toSorted()).toEqual(ids.toSorted());
    expect(noted?.Tags).toContainEqual({ Key: 'holdfast:joined', Value: expect.stringMatching(/^web \d+$/) });
    expect(more).toEqual([]);
  });

  test('attaches no more after a throttle, and leaves the others for later', async () => {
    const { provider, aws } = over(attached, { AttachInstances: [{}, failsWith('Throttling', 'Rate exceeded'), {}, {}, {}], CreateTags: {} });
    const { done, failed } = await provider.admit(attached, numbered(300));
    expect(aws.inputsOf('AttachInstances').length).toBeLessThanOrEqual(5);
    expect(done.length + failed.length).toBe(300);
    expect(new Set(failed.map(({ code, retry }) => `${code} ${retry}`))).toEqual(new Set(['Throttling later']));
  });

  test('tags members that join together, and at the latest after twenty seconds', async () => {
    const seconds = (count: number) => nowMs + count * 1_000;
    let atMs = nowMs;
    const aws = { AttachInstances: {}, CreateTags: {} };
    const { provider, aws: calls } = providerOver(attached.holding, aws, { now: () => atMs });
    const tagged = () => calls.inputsOf('CreateTags').map(({ Resources }) => Resources);
    await provider.admit(attached, ['i-1'], { moreCome: true });
    atMs = seconds(5);
    await provider.admit(attached, ['i-2'], { moreCome: true });
    expect(tagged()).toEqual([]);
    await provider.admit(attached, ['i-3'], { moreCome: false });
    expect(tagged()).toEqual([['i-1', 'i-2', 'i-3']]);
    await provider.admit(attached, ['i-4'], { moreCome: true });
    atMs = seconds(25);
    await provider.admit(attached, ['i-5'], { moreCome: true });
    expect(tagged().slice(1)).toEqual([['i-4', 'i-5']]);
  });

  test('tags with its own members those that another environment attached, once, and makes no call for them alone', async () => {
    const { provider, aws } = over(attached, { AttachInstances: {}, CreateTags: {} });
    const unnoted = ['i-8', 'i-9'];
    await provider.admit(attached, ['i-1'], { moreCome: true, unnoted });
    await provider.admit(attached, ['i-2'], { unnoted });
    await provider.admit(attached, ['i-3'], { unnoted: ['i-2', ...unnoted] });
    expect(aws.inputsOf('CreateTags').map(({ Resources }) => Resources)).toEqual([['i-1', 'i-2', 'i-8', 'i-9'], ['i-3']]);
    const full = over(attached, { AttachInstances: {}, CreateTags: {} });
    await full.provider.admit(attached, numbered(400), { unnoted: numbered(2_000).slice(400) });
    expect(sizes(full.aws.inputsOf('CreateTags'), 'Resources')).toEqual([1_000]);
  });

  test('tags an instance again that EC2 did not tag', async () => {
    const { provider, aws } = over(attached, { AttachInstances: {}, CreateTags: [failsWith('InternalError', 'busy'), {}] });
    await provider.admit(attached, ['i-1']);
    await provider.admit(attached, ['i-2']);
    expect(aws.inputsOf('CreateTags').map(({ Resources }) => Resources)).toEqual([['i-1'], ['i-1', 'i-2']]);
  });

  test('tags the others at once where EC2 refuses the tag of one that left its group, and tries that one with no others again', async () => {
    const refusal = failsWith(
      'UnauthorizedOperation',
      'You are not authorized to perform: ec2:CreateTags on resource: arn:aws:ec2:r:1:instance/i-0001',
    );
    const { provider, aws } = over(attached, { AttachInstances: {}, CreateTags: [refusal, {}, {}, {}, {}] });
    await provider.admit(attached, ['i-0001'], { moreCome: true });
    await provider.admit(attached, ['i-0002']);
    await provider.admit(attached, ['i-0003']);
    await provider.noteJoined(attached, 'web', ['i-0001']);
    await provider.admit(attached, ['i-0001']);
    expect(aws.inputsOf('CreateTags').map(({ Resources }) => Resources)).toEqual([
      ['i-0001', 'i-0002'],
      ['i-0002'],
      ['i-0003'],
      ['i-0001'],
      ['i-0001'],
    ]);
  });

  test('tags members as joined to the Auto Scaling group that is named', async () => {
    const { provider, aws } = over(attached, { CreateTags: {} });
    await provider.noteJoined(attached, 'former', ['i-0001']);
    expect(aws.inputsOf('CreateTags')).toMatchObject([
      { Resources: ['i-0001'], Tags: [{}, { Key: 'holdfast:joined', Value: expect.stringMatching(/^former /) }] },
    ]);
  });

  test.each([
    ['i-0001 is already part of AutoScalingGroup:web', undefined],
    ['i-0001 is already part of AutoScalingGroup:other', { code: 'ValidationError', retry: 'never' }],
    ['Instance i-0001 is not in correct state. Instance(s) must be in running state.', { code: 'ValidationError', retry: 'later' }],
    ['Invalid Instance ID(s): [i-0001] not found', { code: 'ValidationError', retry: 'never' }],
  ])('judges the instance that the refusal names, and attaches the others: %s', async (message, failure) => {
    const { provider, aws } = over(attached, { AttachInstances: [failsWith('ValidationError', message), {}], ...inWeb({}) });
    const result = await provider.admit(attached, ['i-0001', 'i-0002']);
    expect(result.failed).toEqual(failure ? [{ instance: 'i-0001', ...failure }] : []);
    expect(result.done.toSorted()).toEqual(failure ? ['i-0002'] : ['i-0001', 'i-0002']);
    expect(aws.inputsOf('AttachInstances')[1]?.InstanceIds).toEqual(['i-0002']);
  });

  test('counts no member as attached that no refusal names, however many members refusals name one by one', async () => {
    const ids = numbered(7);
    const refusals = ids.map((id) => failsWith('ValidationError', `${id} is already part of AutoScalingGroup:web`));
    const { provider, aws } = over(attached, { AttachInstances: refusals, CreateTags: {}, ...inWeb({}) });
    const { done, failed } = await provider.admit(attached, ids);
    expect(done.toSorted()).toEqual(ids.slice(0, 5));
    expect(failed).toEqual(ids.slice(5).map((instance) => ({ instance, code: 'ValidationError', retry: 'later' })));
    expect(aws.inputsOf('CreateTags')).toMatchObject([{ Resources: expect.not.arrayContaining(ids.slice(5)) }]);
  });

  test('reads the group once when another function has attached the same members, and attaches the others', async () => {
    const ids = numbered(9);
    const refusal = failsWith('ValidationError', `${ids[0]} is already part of AutoScalingGroup:web`);
    const members = Object.fromEntries(ids.slice(0, 7).map((id) => [id, 'InService']));
    const { provider, aws } = over(attached, { AttachInstances: [refusal, {}], CreateTags: {}, ...inWeb(members) });
    const { done, failed } = await provider.admit(attached, ids);
    expect({ done: done.toSorted(), failed }).toEqual({ done: ids, failed: [] });
    expect(aws.inputsOf('AttachInstances').map(({ InstanceIds }) => InstanceIds)).toEqual([ids, ids.slice(7)]);
    expect(aws.inputsOf('DescribeAutoScalingGroups')).toHaveLength(1);
  });

  test('beyond the maximum size, in a throttle or a contention, leaves all for later', async () => {
    const errors = [
      ['ValidationError', 'New size 11 would exceed the maximum size of 10'],
      ['Throttling', 'Rate exceeded'],
      ['ResourceContentionFault', 'pending update'],
      ['ScalingActivityInProgressFault', 'busy'],
    ] as const;
    for (const [code, message] of errors) {
      const { provider } = over(attached, { AttachInstances: failsWith(code, message) });
      expect(await provider.admit(attached, ['i-0001'])).toEqual({ done: [], failed: [{ instance: 'i-0001', code, retry: 'later' }] });
    }
  });

  test('what could not be attached may be attached nevertheless: after an error without a verdict, and after a second attempt', async () => {
    const mayBe = async (error: () => never) => (await over(attached, { AttachInstances: error }).provider.admit(attached, ['i-0001'])).mayBeDone;
    const full = failsWith('ValidationError', 'New size 11 would exceed the maximum size of 10');
    const again = (): never => {
      throw Object.assign(awsError('ValidationError', 'New size 11 would exceed the maximum size of 10'), { $metadata: { attempts: 2 } });
    };
    expect(await mayBe(full)).toBeUndefined();
    expect(await mayBe(failsWith('InternalError', 'busy'))).toBe(true);
    expect(await mayBe(again)).toBe(true);
  });

  test('registers with named target groups, one call each; what could not be attached is not registered', async () => {
    const ofBoth = named(attached);
    const { provider, aws } = over(ofBoth, {
      AttachInstances: [failsWith('ValidationError', 'Instance i-0001 is not in correct state'), {}],
      RegisterTargets: {},
    });
    expect((await provider.admit(ofBoth, ['i-0001', 'i-0002'])).done).toEqual(['i-0002']);
    expect(aws.inputsOf('RegisterTargets')).toEqual(['tg-1', 'tg-2'].map((TargetGroupArn) => ({ TargetGroupArn, Targets: [{ Id: 'i-0002' }] })));
  });

  test('one instance that cannot be registered yet does not keep the others out', async () => {
    const notRunning = failsWith('InvalidTargetException', "The following targets are not in a running state and cannot be registered: 'i-0001'");
    const of = { ...group(), drain: { timeoutMs: 1, loadBalancers: ['tg-1'] } };
    const { provider } = over(of, { RegisterTargets: [notRunning, {}] });
    expect(await provider.admit(of, ['i-0001', 'i-0002'])).toEqual({
      done: ['i-0002'],
      failed: [{ instance: 'i-0001', code: 'InvalidTarget', retry: 'later' }],
    });
  });

  test('a target group that is full has room later', async () => {
    const full = failsWith('TooManyTargetsException', "You have reached the limit on the number of targets for the target group 'tg-1'");
    const of = { ...group(), drain: { timeoutMs: 1, loadBalancers: ['tg-1'] } };
    const { provider } = over(of, { RegisterTargets: [full] });
    const { failed } = await provider.admit(of, ['i-0001']);
    expect(failed).toMatchObject([{ instance: 'i-0001', retry: 'later' }]);
  });

  test('of LaunchInstances groups is left to the groups', async () => {
    const { provider, aws } = over(groupOfAsgs(), {});
    expect(await provider.admit(groupOfAsgs(), ['i-0001'])).toEqual({ done: ['i-0001'], failed: [] });
    expect(aws.calls).toEqual([]);
  });
});

describe('releasing leaving members', () => {
  test('a member that its Auto Scaling group ends needs no call, and no read of that group', async () => {
    const { provider } = over(attached, { DescribeAutoScalingGroups: failsWith('Throttling') });
    const hooked = swap('i-1', 'hook', { asg: 'web-asg' });
    expect(await provider.release(attached, [hooked])).toEqual({ done: ['i-1'], failed: [] });
    await expect(provider.release(attached, [hooked, swap('i-2')])).rejects.toThrow();
  });

  test('of a group held by tag deregisters the whole batch, two hundred a call for each target group', async () => {
    const { provider, aws } = over(named(), { DeregisterTargets: {} });
    const ids = numbered(300);
    expect(
      await provider.release(
        named(),
        ids.map((id) => swap(id)),
      ),
    ).toEqual({ done: ids, failed: [] });
    expect(sizes(aws.inputsOf('DeregisterTargets'), 'Targets')).toEqual([200, 200, 100, 100]);
  });

  test('takes them out of the target groups of an earlier policy too', async () => {
    const edited = { ...named(), formerTargetGroups: ['tg-0'] };
    const { provider, aws } = over(edited, { DeregisterTargets: {} });
    expect(await provider.release(edited, [swap('i-0001')])).toEqual({ done: ['i-0001'], failed: [] });
    expect(aws.inputsOf('DeregisterTargets').map(({ TargetGroupArn }) => TargetGroupArn)).toEqual(['tg-1', 'tg-2', 'tg-0']);
  });

  test.each(['TargetGroupNotFoundException', 'InvalidTargetException'])('from a target that does not exist is done: %s', async (code) => {
    const { provider } = over(named(), { DeregisterTargets: failsWith(code, 'i-0001') });
    expect(await provider.release(named(), [swap('i-0001')])).toEqual({ done: ['i-0001'], failed: [] });
  });

  test('a member that Holdfast ends stays in its Auto Scaling group while a target group of the policy holds it, and one that EC2 takes does not', async () => {
    const both = { ...attached, drain: { timeoutMs: 1, loadBalancers: ['tg-1'] } };
    const { provider, aws } = over(both, {
      DeregisterTargets: failsWith('AccessDenied'),
      ...inWeb({ 'i-0001': 'InService', 'i-0002': 'InService' }),
      TerminateInstanceInAutoScalingGroup: {},
    });
    const leaving = [swap('i-0001', 'rebalance', { asg: 'web' }), swap('i-0002', 'interruption', { asg: 'web' })];
    const { done, failed } = await provider.release(both, leaving);
    expect(done).toEqual([]);
    expect(failed.map(({ instance }) => instance)).toEqual(['i-0001', 'i-0002']);
    expect(aws.inputsOf('TerminateInstanceInAutoScalingGroup').flatMap(({ InstanceIds }) => InstanceIds)).toEqual(['i-0002']);
  });

  test('that one target group refuses is not done, whatever the other one returns', async () => {
    const { provider } = over(named(), { DeregisterTargets: [{}, failsWith('Throttling')] });
    expect(await provider.release(named(), [swap('i-0001')])).toEqual({
      done: [],
      failed: [{ instance: 'i-0001', code: 'Throttling', retry: 'later' }],
      leftTargetGroups: { 'i-0001': ['tg-1'] },
    });
  });

  test('of an Auto Scaling group ends them through it with decrement, 100 a call', async () => {
    const ids = numbered(250);
    const members = Object.fromEntries(ids.map((id) => [id, 'InService']));
    const { provider, aws } = over(attached, { ...inWeb(members), TerminateInstanceInAutoScalingGroup: {} });
    const result = await provider.release(
      attached,
      ids.map((id) => swap(id)),
    );
    expect(result.done).toHaveLength(250);
    const calls = aws.inputsOf('TerminateInstanceInAutoScalingGroup');
    expect(sizes(calls, 'InstanceIds')).toEqual([100, 100, 50]);
    expect(calls[0]).toMatchObject({ AutoScalingGroupName: 'web', ShouldDecrementDesiredCapacity: true });
  });

  test('of an Auto Scaling group whose size others set leaves that size, and goes below no minimum of it', async () => {
    const outside = { ...attached, size: { min: 0, max: 9, desired: 0, from: 'asg' as const } };
    const { provider, aws } = over(outside, { ...inWeb({ 'i-1': 'InService' }, { desired: 1, min: 1 }), TerminateInstanceInAutoScalingGroup: {} });
    expect(await provider.release(outside, [swap('i-1')])).toEqual({ done: ['i-1'], failed: [] });
    expect(aws.inputsOf('TerminateInstanceInAutoScalingGroup')).toMatchObject([{ InstanceIds: ['i-1'], ShouldDecrementDesiredCapacity: false }]);
  });

  test('takes a member without an Auto Scaling group out of the target groups of all Auto Scaling groups', async () => {
    const asgs = [autoScalingGroup('asg-a', { 'i-1': 'InService' }, { targetGroups: ['tg-own'] })];
    const { provider, aws } = over(groupOfAsgs(), {
      DescribeAutoScalingGroups: { AutoScalingGroups: asgs },
      TerminateInstanceInAutoScalingGroup: {},
      DeregisterTargets: {},
    });
    expect(await provider.release(groupOfAsgs(), [swap('i-1'), swap('i-2'), swap('i-3', 'rebalance', { asg: 'asg-a' })])).toMatchObject({
      failed: [],
    });
    expect(aws.inputsOf('DeregisterTargets')).toEqual([{ TargetGroupArn: 'tg-own', Targets: [{ Id: 'i-2' }] }]);
  });

  test("goes to each member's own Auto Scaling group", async () => {
    const asgs = [autoScalingGroup('asg-a', { 'i-1': 'InService' }), autoScalingGroup('asg-b', { 'i-2': 'InService' })];
    const { provider, aws } = over(groupOfAsgs(), {
      DescribeAutoScalingGroups: { AutoScalingGroups: asgs },
      TerminateInstanceInAutoScalingGroup: {},
    });
    await provider.release(groupOfAsgs(), [swap('i-1'), swap('i-2')]);
    expect(
      aws.inputsOf('TerminateInstanceInAutoScalingGroup').map(({ AutoScalingGroupName, InstanceIds }) => [AutoScalingGroupName, InstanceIds]),
    ).toEqual([
      ['asg-a', ['i-1']],
      ['asg-b', ['i-2']],
    ]);
  });

  test('never takes the desired capacity below the minimum: the most pressing go, an interrupted one leaves its target groups, any other waits', async () => {
    const members = { 'i-1': 'InService', 'i-2': 'InService', 'i-3': 'InService' };
    const { provider, aws } = over(attached, {
      ...inWeb(members, { min: 2, targetGroups: ['tg-own'] }),
      TerminateInstanceInAutoScalingGroup: {},
      DeregisterTargets: {},
    });
    const leaving = [swap('i-1'), swap('i-2', 'interruption', { deadlineMs: nowMs + 2 }), swap('i-3', 'interruption', { deadlineMs: nowMs + 1 })];
    const result = await provider.release(attached, leaving);
    expect(aws.inputsOf('TerminateInstanceInAutoScalingGroup')[0]?.InstanceIds).toEqual(['i-3']);
    expect(aws.inputsOf('DeregisterTargets')).toEqual([{ TargetGroupArn: 'tg-own', Targets: [{ Id: 'i-2' }] }]);
    expect(result).toEqual({ done: ['i-2', 'i-3'], failed: [{ instance: 'i-1', code: 'BelowMinSize', retry: 'later' }] });
  });

  describe('of members that the minimum keeps', () => {
    const releasedOf = async (wanted: number | undefined, min = 2) => {
      const { provider, aws } = over(attached, {
        ...inWeb({ 'i-1': 'InService', 'i-2': 'InService', 'i-3': 'InService' }, { min }),
        TerminateInstanceInAutoScalingGroup: {},
      });
      const leaving = [swap('i-1', 'never-served'), swap('i-2', 'never-served'), swap('i-3', 'rebalance')];
      const { failed } = await provider.release(attached, leaving, wanted === undefined ? {} : { wanted });
      const calls = aws.inputsOf('TerminateInstanceInAutoScalingGroup');
      return {
        ended: calls.map(({ InstanceIds, ShouldDecrementDesiredCapacity: falls }) => ({ ids: InstanceIds, falls })),
        waiting: failed.map(({ instance }) => instance),
      };
    };

    test('lets the Auto Scaling group replace those that never served, beyond the room that it has', async () => {
      expect(await releasedOf(1)).toEqual({
        ended: [
          { ids: ['i-1'], falls: true },
          { ids: ['i-2'], falls: false },
        ],
        waiting: ['i-3'],
      });
      expect(await releasedOf(2, 3)).toEqual({ ended: [{ ids: ['i-1', 'i-2'], falls: false }], waiting: ['i-3'] });
    });

    test.each([2, 3, undefined])('lets them wait for a replacement where the group wants as many: %s', async (wanted) => {
      expect(await releasedOf(wanted)).toEqual({ ended: [{ ids: ['i-1'], falls: true }], waiting: ['i-2', 'i-3'] });
    });
  });

  test('reports members that it is about to end after all reads, and ends only those that may be ended', async () => {
    const { provider, aws } = over(attached, {
      ...inWeb({ 'i-1': 'InService', 'i-2': 'InService', 'i-3': 'Terminating' }),
      TerminateInstanceInAutoScalingGroup: {},
    });
    const said: (readonly string[])[] = [];
    const beforeEnding = async (instances: readonly string[]) => {
      said.push(
        instances,
        aws.calls.map(({ operation }) => operation),
      );
      return ['i-2'];
    };
    await provider.release(attached, [swap('i-1'), swap('i-2'), swap('i-3')], { beforeEnding });
    expect(said).toEqual([['i-1', 'i-2'], ['DescribeAutoScalingGroups']]);
    expect(aws.inputsOf('TerminateInstanceInAutoScalingGroup').map(({ InstanceIds }) => InstanceIds)).toEqual([['i-2']]);
  });

  test('ends no member that EC2 takes and nothing replaces: it leaves its target groups, and the most urgent are replaced first', async () => {
    const { provider, aws } = over(attached, {
      ...inWeb({ 'i-1': 'InService', 'i-2': 'InService', 'i-3': 'InService' }, { targetGroups: ['tg-own'] }),
      TerminateInstanceInAutoScalingGroup: {},
      DeregisterTargets: {},
    });
    const leaving = [
      swap('i-1', 'interruption', { deadlineMs: nowMs + 90_000 }),
      swap('i-2', 'interruption', { deadlineMs: nowMs + 30_000 }),
      swap('i-3', 'rebalance'),
    ];
    const { done } = await provider.release(attached, leaving, { uncovered: 1 });
    expect(aws.inputsOf('TerminateInstanceInAutoScalingGroup').flatMap(({ InstanceIds }) => InstanceIds)).toEqual(['i-2', 'i-3']);
    expect(aws.inputsOf('DeregisterTargets')).toEqual([{ TargetGroupArn: 'tg-own', Targets: [{ Id: 'i-1' }] }]);
    expect([...done].toSorted()).toEqual(['i-1', 'i-2', 'i-3']);
  });

  test('returns nothing if its Auto Scaling groups cannot be read', async () => {
    const { provider } = over(attached, { DescribeAutoScalingGroups: failsWith('Throttling', 'Rate exceeded') });
    const beforeEnding = () => Promise.reject(new Error('nobody is about to be ended'));
    await expect(provider.release(attached, [swap('i-1')], { beforeEnding })).rejects.toThrow('Rate exceeded');
  });

  test('takes interrupted members out of the target groups when Auto Scaling does not end them, and tries again', async () => {
    const members = { 'i-1': 'InService', 'i-2': 'InService', 'i-3': 'InService' };
    const { provider, aws } = over(attached, {
      ...inWeb(members, { targetGroups: ['tg-own'] }),
      TerminateInstanceInAutoScalingGroup: failsWith('Throttling', 'Rate exceeded'),
      DeregisterTargets: {},
    });
    const leaving = [swap('i-1', 'interruption'), swap('i-2', 'rebalance')];
    await provider.release(attached, leaving);
    const { done, failed, deregisteredAtMs } = await provider.release(attached, leaving);
    expect([done, deregisteredAtMs]).toEqual([[], { 'i-1': nowMs }]);
    expect(failed.map(({ instance, retry }) => [instance, retry])).toEqual([
      ['i-1', 'later'],
      ['i-2', 'later'],
    ]);
    expect(aws.inputsOf('DeregisterTargets')).toEqual([{ TargetGroupArn: 'tg-own', Targets: [{ Id: 'i-1' }] }]);
  });

  test('takes interrupted members out of the target groups that the policy knows while Auto Scaling cannot be read', async () => {
    const known = (asgTargetGroups?: readonly string[]) => ({
      ...attached,
      drain: { ...attached.drain, ...(asgTargetGroups && { asgTargetGroups }) },
    });
    const leaving = [swap('i-1', 'interruption'), swap('i-2', 'rebalance')];
    const released = async (of: Group, swaps = leaving, code = 'InternalFailure') => {
      const { provider, aws } = over(of, { DescribeAutoScalingGroups: failsWith(code, 'down', 500), DeregisterTargets: {} });
      const result = await provider.release(of, swaps).catch((error: Error) => error.name);
      return [result, aws.inputsOf('DeregisterTargets')];
    };
    const failed = ['i-1', 'i-2'].map((instance) => ({ instance, code: 'InternalFailure', retry: 'later' }));
    expect(await released(known(['tg-own']))).toEqual([
      { done: [], failed, deregisteredAtMs: { 'i-1': nowMs } },
      [{ TargetGroupArn: 'tg-own', Targets: [{ Id: 'i-1' }] }],
    ]);
    expect(await released(known())).toEqual(['InternalFailure', []]);
    expect(await released(known(['tg-own']), leaving.slice(1))).toEqual(['InternalFailure', []]);
  });

  test('takes interrupted members out of target groups that only a later look at Auto Scaling shows', async () => {
    const known = { ...attached, drain: { ...attached.drain, asgTargetGroups: ['tg-own'] } };
    const { DescribeAutoScalingGroups, ...answers } = inWeb({ 'i-1': 'InService' }, { targetGroups: ['tg-own', 'tg-new'] });
    let isDown = true;
    const { provider, aws } = over(known, {
      ...answers,
      DescribeAutoScalingGroups: () => (isDown ? failsWith('InternalFailure', 'down', 500)() : DescribeAutoScalingGroups),
      TerminateInstanceInAutoScalingGroup: failsWith('Throttling', 'Rate exceeded'),
      DeregisterTargets: {},
    });
    await provider.release(known, [swap('i-1', 'interruption')]);
    isDown = false;
    await provider.release(known, [swap('i-1', 'interruption')]);
    const from = aws.inputsOf('DeregisterTargets').map(({ TargetGroupArn }) => TargetGroupArn);
    expect(new Set(from)).toEqual(new Set(['tg-own', 'tg-new']));
  });

  test('counts no interrupted member as out of service while a target group that the policy names has it', async () => {
    const named = { ...attached, drain: { ...attached.drain, loadBalancers: ['tg-named'] } };
    const released = async (DeregisterTargets: Answers[string]) => {
      const { provider } = over(named, {
        ...inWeb({ 'i-1': 'InService' }, { targetGroups: ['tg-own'] }),
        TerminateInstanceInAutoScalingGroup: failsWith('Throttling', 'Rate exceeded'),
        DeregisterTargets,
      });
      return (await provider.release(named, [swap('i-1', 'interruption')])).deregisteredAtMs;
    };
    const failsFor = (arn: string) => (input: { readonly TargetGroupArn: string }) => {
      if (input.TargetGroupArn === arn) failsWith('Throttling', 'Rate exceeded')();
      return {};
    };
    expect(await released({})).toEqual({ 'i-1': nowMs });
    expect(await released(failsFor('tg-named'))).toBeUndefined();
    expect(await released(failsFor('tg-own'))).toBeUndefined();
  });

  test('takes interrupted members out of the target groups, once, while Auto Scaling does not respond', async () => {
    const answers = { ...inWeb({ 'i-1': 'InService', 'i-2': 'InService' }, { targetGroups: ['tg-own'] }), DeregisterTargets: {} };
    const leaving = [swap('i-1', 'interruption', { deadlineMs: nowMs + 60_000 }), swap('i-2', 'rebalance')];
    const released = async (TerminateInstanceInAutoScalingGroup: Answers[string]) => {
      const waitedMs: number[] = [];
      const sleep = async (ms: number) => void waitedMs.push(ms);
      const { provider, aws } = providerOver(attached.holding, { ...answers, TerminateInstanceInAutoScalingGroup }, { sleep });
      const { done, failed } = await provider.release(attached, leaving);
      return { done, failed: failed.length, waitedMs, deregistered: aws.inputsOf('DeregisterTargets').map(({ Targets }) => Targets) };
    };
    const spared = { waitedMs: [2_000], deregistered: [[{ Id: 'i-1' }]] };
    expect(await released({})).toEqual({ done: ['i-1', 'i-2'], failed: 0, ...spared });
    expect(await released(failsWith('Throttling', 'Rate exceeded'))).toEqual({ done: [], failed: 2, ...spared });
  });

  test('leaves members in their target groups whose deadline is over, because EC2 has ended them', async () => {
    const throttled = { TerminateInstanceInAutoScalingGroup: failsWith('Throttling', 'Rate exceeded'), DeregisterTargets: {} };
    const { provider, aws } = over(attached, { ...inWeb({ 'i-1': 'InService', 'i-2': 'InService' }, { targetGroups: ['tg-own'] }), ...throttled });
    const leaving = [swap('i-1', 'interruption', { deadlineMs: nowMs }), swap('i-2', 'interruption', { deadlineMs: nowMs + 1 })];
    const { failed, deregisteredAtMs } = await provider.release(attached, leaving);
    expect([failed.length, deregisteredAtMs]).toEqual([2, { 'i-2': nowMs }]);
    expect(aws.inputsOf('DeregisterTargets').map(({ Targets }) => Targets)).toEqual([[{ Id: 'i-2' }]]);
  });

  test('takes no member out of its target groups meanwhile that may not be ended', async () => {
    const answers = { ...inWeb({ 'i-1': 'InService', 'i-2': 'InService' }, { targetGroups: ['tg-own'] }), DeregisterTargets: {} };
    const { provider, aws } = providerOver(attached.holding, { ...answers, TerminateInstanceInAutoScalingGroup: {} }, { sleep: async () => {} });
    const leaving = ['i-1', 'i-2'].map((instance) => swap(instance, 'interruption', { deadlineMs: nowMs + 60_000 }));
    await provider.release(attached, leaving, { beforeEnding: async () => ['i-2'] });
    expect(aws.inputsOf('DeregisterTargets').map(({ Targets }) => Targets)).toEqual([[{ Id: 'i-2' }]]);
  });

  test('meets the minimum size also when it was raised in between', async () => {
    const { provider } = over(attached, {
      ...inWeb({ 'i-1': 'InService' }),
      TerminateInstanceInAutoScalingGroup: failsWith(
        'ValidationError',
        "Currently, desiredSize equals minSize (1). Terminating instance without replacement will violate group's min size constraint.",
      ),
    });
    expect((await provider.release(attached, [swap('i-1')])).failed).toEqual([{ instance: 'i-1', code: 'BelowMinSize', retry: 'later' }]);
  });

  test('ignores members that wait in a hook, already terminate or were never attached', async () => {
    const { provider, aws } = over(attached, inWeb({ 'i-1': 'Terminating:Wait', 'i-2': 'Terminating' }));
    expect((await provider.release(attached, [swap('i-1', 'hook'), swap('i-2'), swap('i-3')])).failed).toEqual([]);
    expect(aws.inputsOf('TerminateInstanceInAutoScalingGroup')).toEqual([]);
  });

  test('leaves a member in standby to EC2 if EC2 takes it, and ends it if Holdfast chose it', async () => {
    const { provider, aws } = over(attached, { ...inWeb({ 'i-1': 'Standby', 'i-2': 'Standby' }), TerminateInstanceInAutoScalingGroup: {} });
    const leaving = [swap('i-1', 'interruption', { deadlineMs: nowMs + 1 }), swap('i-2')];
    expect(await provider.release(attached, leaving)).toEqual({ done: ['i-1', 'i-2'], failed: [] });
    expect(aws.inputsOf('TerminateInstanceInAutoScalingGroup').map(({ InstanceIds }) => InstanceIds)).toEqual([['i-2']]);
  });

  test('of no member makes no call', async () => {
    const { provider, aws } = over(attached, {});
    expect(await provider.release(attached, [])).toEqual({ done: [], failed: [] });
    expect(aws.calls).toEqual([]);
  });
});

describe('ending members', () => {
  const shown = (...found: object[]) => ({ DescribeInstances: { Reservations: [{ Instances: found }] } });

  test("ends instances with this group's tag and no others; ended and ending instances count as done", async () => {
    const { provider, aws } = over(group(), {
      ...shown(
        ec2Instance('i-1', ours),
        ec2Instance('i-2', { 'holdfast:group': 'prod/other' }),
        ec2Instance('i-3'),
        ec2Instance('i-4', ours, { state: 'shutting-down' }),
      ),
      TerminateInstances: {},
    });
    const result = await provider.end(
      group(),
      ['i-1', 'i-2', 'i-3', 'i-4', 'i-5'].map((id) => swap(id)),
    );
    expect(aws.inputsOf('TerminateInstances')).toEqual([{ InstanceIds: ['i-1'] }]);
    expect(result.done.toSorted()).toEqual(['i-1', 'i-4', 'i-5']);
    expect(result.failed).toEqual(['i-2', 'i-3'].map((instance) => ({ instance, code: 'NotOurs', retry: 'never' })));
  });

  test('an instance whose end was requested from its Auto Scaling group counts as done, also while describes of EC2 lag behind', async () => {
    const { provider, aws } = over(group(), {
      ...shown(ec2Instance('i-1'), ec2Instance('i-2'), ec2Instance('i-3'), ec2Instance('i-4')),
      DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web-asg', {})] },
    });
    const asked = { asg: 'web-asg', drainStartedAtMs: nowMs - 179_000, releaseAskedAtMs: nowMs - 179_000 };
    const { drainStartedAtMs, ...unanswered } = asked;
    const longAgo = { ...asked, releaseAskedAtMs: nowMs - 180_000 };
    const neverAsked = { asg: 'web-asg', drainStartedAtMs };
    const swaps = [asked, unanswered, longAgo, neverAsked].map((changes, index) => swap(`i-${index + 1}`, 'scale-in', changes));
    const result = await provider.end(group(), swaps);
    expect(result.done).toEqual(['i-1']);
    expect(result.failed.map(({ instance, code }) => `${instance} ${code}`)).toEqual(['i-2 NotOurs', 'i-3 NotOurs', 'i-4 NotOurs']);
    expect(aws.inputsOf('TerminateInstances')).toEqual([]);
  });

  test('an instance whose end was requested within five seconds is not ended again by its Auto Scaling group, whose describe lags behind', async () => {
    const ids = ['i-1', 'i-2', 'i-3'];
    const { provider, aws } = over(group(), {
      ...shown(...ids.map((id) => ec2Instance(id))),
      DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web-asg', Object.fromEntries(ids.map((id) => [id, 'InService'])))] },
      TerminateInstanceInAutoScalingGroup: {},
    });
    const asked = (agoMs: number) => ({ asg: 'web-asg', drainStartedAtMs: nowMs - agoMs, releaseAskedAtMs: nowMs - agoMs });
    const { drainStartedAtMs: _, ...unanswered } = asked(1_000);
    const swaps = [asked(4_999), asked(5_000), unanswered].map((changes, index) => swap(`i-${index + 1}`, 'scale-in', changes));
    const { done, failed } = await provider.end(group(), swaps);
    expect([done.toSorted(), failed]).toEqual([ids, []]);
    expect(aws.inputsOf('TerminateInstanceInAutoScalingGroup')).toMatchObject([{ InstanceIds: ['i-2', 'i-3'] }]);
  });

  test('looks at 200 a call and ends a thousand a call', async () => {
    const ids = numbered(1_001);
    const { provider, aws } = over(group(), {
      DescribeInstances: ({ Filters }: { Filters: { Values: string[] }[] }) => ({
        Reservations: [{ Instances: Filters[0]?.Values.map((id) => ec2Instance(id, ours)) }],
      }),
      TerminateInstances: {},
    });
    expect(
      (
        await provider.end(
          group(),
          ids.map((id) => swap(id)),
        )
      ).done,
    ).toHaveLength(1_001);
    expect(aws.inputsOf('DescribeInstances')).toHaveLength(6);
    expect(sizes(aws.inputsOf('TerminateInstances'), 'InstanceIds')).toEqual([1_000, 1]);
  });

  test('goes on without an instance that is gone, and names one that is protected', async () => {
    const { provider, aws } = over(group(), {
      ...shown(ec2Instance('i-1', ours), ec2Instance('i-2', ours), ec2Instance('i-3', ours)),
      TerminateInstances: [
        failsWith('InvalidInstanceID.NotFound', "The instance IDs 'i-1' do not exist"),
        failsWith(
          'OperationNotPermitted',
          "The instance 'i-2' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.",
        ),
        {},
      ],
    });
    const result = await provider.end(
      group(),
      ['i-1', 'i-2', 'i-3'].map((id) => swap(id)),
    );
    expect(result.done.toSorted()).toEqual(['i-1', 'i-3']);
    expect(result.failed).toEqual([{ instance: 'i-2', code: 'OperationNotPermitted', retry: 'never' }]);
    expect(aws.inputsOf('TerminateInstances')).toHaveLength(3);
  });

  test('retries later an instance whose end was held up by the protection of many others', async () => {
    const ids = ['i-1', 'i-2', 'i-3', 'i-4', 'i-5', 'i-6', 'i-7'];
    const { provider } = over(group(), {
      ...shown(...ids.map((id) => ec2Instance(id, ours))),
      TerminateInstances: ({ InstanceIds }: { InstanceIds: string[] }) =>
        failsWith('OperationNotPermitted', `The instance '${InstanceIds[0]}' may not be terminated.`)(),
    });
    const { failed } = await provider.end(
      group(),
      ids.map((id) => swap(id)),
    );
    expect(failed.filter(({ retry }) => retry === 'never').map(({ instance }) => instance)).toEqual(['i-1', 'i-2', 'i-3', 'i-4', 'i-5']);
    expect(failed.filter(({ retry }) => retry === 'later').map(({ instance }) => instance)).toEqual(['i-6', 'i-7']);
  });

  test('of an Auto Scaling group goes through the group; one not attached yet is ended by tag', async () => {
    const { provider, aws } = over(attached, {
      ...shown(ec2Instance('i-1', ours), ec2Instance('i-2', ours)),
      ...inWeb({ 'i-1': 'InService' }),
      TerminateInstanceInAutoScalingGroup: {},
      TerminateInstances: {},
    });
    expect((await provider.end(attached, [swap('i-1'), swap('i-2')])).failed).toEqual([]);
    expect(aws.inputsOf('TerminateInstanceInAutoScalingGroup')[0]?.InstanceIds).toEqual(['i-1']);
    expect(aws.inputsOf('TerminateInstances')[0]?.InstanceIds).toEqual(['i-2']);
  });

  test('of no member makes no call', async () => {
    const { provider, aws } = over(group(), {});
    expect([await provider.end(group(), []), aws.calls]).toEqual([{ done: [], failed: [] }, []]);
  });

  test('of an Auto Scaling group that let go of it ends it by the tag of any group of this deployment', async () => {
    const { provider, aws } = over(attached, {
      ...shown(ec2Instance('i-1', { 'holdfast:group': 'prod/earlier-name' }), ec2Instance('i-2', { 'holdfast:group': 'prod/earlier-name' })),
      ...inWeb({}),
      TerminateInstances: {},
    });
    const result = await provider.end(attached, [swap('i-1', 'scale-in', { asg: 'web' }), swap('i-2', 'scale-in')]);
    expect(aws.inputsOf('TerminateInstances')).toEqual([{ InstanceIds: ['i-1'] }]);
    expect(result).toEqual({ done: ['i-1'], failed: [{ instance: 'i-2', code: 'NotOurs', retry: 'never' }] });
  });

  test('that its Auto Scaling group has let go of counts as done, also where EC2 still shows it', async () => {
    const launchedBy = (asg: string) => ({ 'aws:autoscaling:groupName': asg });
    const { provider, aws } = over(attached, {
      ...shown(ec2Instance('i-1', launchedBy('web')), ec2Instance('i-2', launchedBy('other'))),
      ...inWeb({}),
    });
    const result = await provider.end(attached, [swap('i-1', 'scale-in'), swap('i-2', 'scale-in')]);
    expect(result).toEqual({ done: ['i-1'], failed: [{ instance: 'i-2', code: 'NotOurs', retry: 'never' }] });
    expect(aws.inputsOf('TerminateInstances')).toEqual([]);
  });

  test('is tried again where the error names only an instance that was not in the call', async () => {
    const { provider } = over(group(), {
      ...shown(ec2Instance('i-1', ours)),
      TerminateInstances: failsWith('OperationNotPermitted', "The instance 'i-0123456789abcdef0' may not be terminated."),
    });
    expect((await provider.end(group(), [swap('i-1')])).failed).toEqual([{ instance: 'i-1', code: 'OperationNotPermitted', retry: 'later' }]);
    const unnamed = over(group(), { ...shown(ec2Instance('i-1', ours)), TerminateInstances: failsWith('UnauthorizedOperation', 'No.') });
    expect((await unnamed.provider.end(group(), [swap('i-1')])).failed).toMatchObject([{ retry: 'never' }]);
  });

  test('that repeats itself endlessly gives up after a few rounds and leaves the rest for later', async () => {
    const ids = numbered(12);
    const { provider, aws } = over(group(), {
      ...shown(...ids.map((id) => ec2Instance(id, ours))),
      TerminateInstances: ({ InstanceIds }: { InstanceIds: string[] }) => failsWith('IncorrectInstanceState', `instance ${InstanceIds[0]}`)(),
    });
    const result = await provider.end(
      group(),
      ids.map((id) => swap(id)),
    );
    expect(aws.inputsOf('TerminateInstances')).toHaveLength(5);
    expect(result.failed).toHaveLength(12);
    expect(result.failed.every(({ retry }) => retry === 'later')).toBe(true);
  });
});

describe('inspecting a drain', () => {
  const draining = { drainStartedAtMs: nowMs - 10_000 };
  const busy = (forMs: number) => ({ busySinceMs: draining.drainStartedAtMs, busyUntilMs: nowMs + forMs });

  test('waits for the longest deregistration delay that runs, and reads each delay once', async () => {
    const { provider, aws } = over(named(), {
      DescribeInstances: { Reservations: [{ Instances: ['i-1', 'i-2', 'i-3'].map((id) => ec2Instance(id, ours)) }] },
      DescribeTargetHealth: ({ TargetGroupArn }: { TargetGroupArn: string }) =>
        TargetGroupArn === 'tg-1' ? targetHealth({ 'i-1': 'draining' }) : targetHealth({ 'i-1': 'draining', 'i-3': 'healthy' }),
      DescribeTargetGroupAttributes: ({ TargetGroupArn }: { TargetGroupArn: string }) => ({
        Attributes: [{ Key: 'deregistration_delay.timeout_seconds', Value: TargetGroupArn === 'tg-1' ? '30' : '60' }],
      }),
    });
    const swaps = ['i-1', 'i-2', 'i-3', 'i-4'].map((id) => swap(id, 'rebalance', draining));
    const progress = [
      { instance: 'i-1', gone: false, drained: false, deregistrationDelayMs: 60_000, ...busy(50_000) },
      { instance: 'i-2', gone: false, drained: true, deregistrationDelayMs: 0 },
      { instance: 'i-3', gone: false, drained: false, deregistrationDelayMs: 60_000 },
      { instance: 'i-4', gone: true, drained: true, deregistrationDelayMs: 0 },
    ];
    expect(await provider.inspectDrain(named(), swaps)).toEqual(progress);
    expect(await provider.inspectDrain(named(), swaps)).toEqual(progress);
    expect(aws.inputsOf('DescribeTargetGroupAttributes')).toHaveLength(2);
  });

  test('looks at the target groups of the Auto Scaling group too', async () => {
    const { provider } = over(attached, {
      ...inWeb({ 'i-1': 'Terminating' }, { targetGroups: ['tg-own'] }),
      DescribeInstances: { Reservations: [{ Instances: [ec2Instance('i-1', ours)] }] },
      DescribeTargetHealth: targetHealth({ 'i-1': 'draining' }),
      DescribeTargetGroupAttributes: {},
    });
    expect(await provider.inspectDrain(attached, [swap('i-1', 'rebalance', draining)])).toEqual([
      { instance: 'i-1', gone: false, drained: false, deregistrationDelayMs: 300_000, ...busy(290_000) },
    ]);
  });

  test('does not know whether a member has work whose Auto Scaling group is gone, unless it was seen to drain before', async () => {
    const seenOf = async (asgTargetGroups: readonly string[], more: Parameters<typeof swap>[2] = {}, asgs: readonly object[] = []) => {
      const accepted = { ...attached, drain: { ...attached.drain, asgTargetGroups } };
      const { provider } = over(accepted, {
        DescribeAutoScalingGroups: { AutoScalingGroups: asgs },
        DescribeInstances: { Reservations: [{ Instances: [ec2Instance('i-1', ours)] }] },
      });
      const [seen] = await provider.inspectDrain(accepted, [swap('i-1', 'interruption', { ...draining, asg: 'web', ...more })]);
      return [seen?.drained, seen?.isUnread];
    };
    expect(await seenOf(['tg-own'])).toEqual([false, true]);
    expect(await seenOf(['tg-own'], { busyUntilMs: nowMs - 1 })).toEqual([true, undefined]);
    expect(await seenOf(['tg-own'], { asg: undefined })).toEqual([true, undefined]);
    expect(await seenOf([])).toEqual([true, undefined]);
    expect(await seenOf(['tg-own'], {}, [{ AutoScalingGroupName: 'web', Instances: [] }])).toEqual([true, undefined]);
  });

  test('reads no instances before Auto Scaling responds, once it was throttled', async () => {
    const web = inWeb({ 'i-1': 'Terminating' }).DescribeAutoScalingGroups;
    const { provider, aws } = over(attached, {
      DescribeAutoScalingGroups: [failsWith('Throttling'), failsWith('Throttling'), web, web],
      DescribeInstances: { Reservations: [{ Instances: [ec2Instance('i-1', ours)] }] },
    });
    const reads = async (): Promise<number> => {
      await provider.inspectDrain(attached, [swap('i-1', 'rebalance', draining)]).catch(() => undefined);
      return aws.inputsOf('DescribeInstances').length;
    };
    expect([await reads(), await reads(), await reads(), await reads()]).toEqual([1, 1, 2, 3]);
  });

  test('counts the delay of a target group that its Auto Scaling group took it out of from the hook, however late its message comes', async () => {
    const lasts = async (of: Group, reason: 'hook' | 'rebalance', heldAtMs: number, arns: string[], warnedAtMs = heldAtMs) => {
      const hooks = [{ asg: 'web', hook: 'drain', sinceMs: heldAtMs, expiresAtMs: heldAtMs + 30_000 }];
      const { provider } = over(of, {
        ...inWeb({ 'i-1': 'Terminating:Wait' }, { targetGroups: arns }),
        DescribeInstances: { Reservations: [{ Instances: [ec2Instance('i-1', ours)] }] },
        DescribeTargetHealth: targetHealth({ 'i-1': 'draining' }),
        DescribeTargetGroupAttributes: { Attributes: [{ Key: 'deregistration_delay.timeout_seconds', Value: '30' }] },
      });
      const [seen] = await provider.inspectDrain(of, [swap('i-1', reason, { ...draining, warnedAtMs, hooks })]);
      return [seen?.busySinceMs, seen?.busyUntilMs].map((atMs) => (atMs ?? 0) - nowMs);
    };
    expect(await lasts(attached, 'hook', nowMs - 19_000, ['tg-own'])).toEqual([-19_000, 11_000]);
    expect(await lasts(attached, 'hook', nowMs, ['tg-own'])).toEqual([-10_000, 20_000]);
    expect(await lasts(attached, 'rebalance', nowMs - 19_000, ['tg-own'])).toEqual([-10_000, 20_000]);
    // EC2 warned about it before the hook, or after it.
    expect(await lasts(attached, 'hook', nowMs - 19_000, ['tg-own'], nowMs - 60_000)).toEqual([-19_000, 11_000]);
    expect(await lasts(attached, 'hook', nowMs - 19_000, ['tg-own'], nowMs - 5_000)).toEqual([-19_000, 11_000]);
    // Its drain takes it out of the target groups that the policy names.
    expect(await lasts(named(attached), 'hook', nowMs - 19_000, [])).toEqual([-10_000, 20_000]);
  });

  test('shows until when connections last where EC2 cannot be read, and nothing about members that no target holds', async () => {
    const { provider } = over(named(), {
      DescribeInstances: failsWith('RequestLimitExceeded'),
      DescribeTargetHealth: targetHealth({ 'i-1': 'draining', 'i-2': 'healthy' }),
      DescribeTargetGroupAttributes: { Attributes: [{ Key: 'deregistration_delay.timeout_seconds', Value: '30' }] },
    });
    const swaps = ['i-1', 'i-2', 'i-3'].map((id) => swap(id, 'rebalance', draining));
    expect(await provider.inspectDrain(named(), swaps)).toEqual([
      { instance: 'i-1', gone: false, drained: false, deregistrationDelayMs: 30_000, ...busy(20_000) },
      { instance: 'i-2', gone: false, drained: false, deregistrationDelayMs: 30_000 },
    ]);
    const unread = async (deadlineMs: number) => {
      const seen = await provider.inspectDrain(named(), [swap('i-1', 'interruption', { ...draining, deadlineMs })]);
      return seen.map(({ isUnread }) => isUnread);
    };
    // EC2 may have taken it before its drain began.
    expect(await unread(draining.drainStartedAtMs)).toEqual([true]);
    expect(await unread(draining.drainStartedAtMs + 1)).toEqual([undefined]);
  });

  test('counts a member as gone where EC2 does not show it, unless it is too young to be shown', async () => {
    const { provider } = over(named(), {
      DescribeInstances: { Reservations: [] },
      DescribeTargetHealth: targetHealth({ 'i-1': 'draining' }),
      DescribeTargetGroupAttributes: { Attributes: [{ Key: 'deregistration_delay.timeout_seconds', Value: '30' }] },
    });
    const seen = (instance: string, launchedAtMs: number) =>
      provider.inspectDrain(named(), [swap(instance, 'rebalance', { ...draining, launchedAtMs })]);
    expect(await seen('i-1', nowMs - 179_999)).toEqual([
      { instance: 'i-1', gone: false, drained: false, deregistrationDelayMs: 30_000, ...busy(20_000) },
    ]);
    expect(await seen('i-2', nowMs - 179_999)).toEqual([]);
    expect(await seen('i-1', nowMs - 180_000)).toMatchObject([{ instance: 'i-1', gone: true }]);
  });

  test('fails where EC2 denies the read', async () => {
    const { provider } = over(named(), { DescribeInstances: failsWith('UnauthorizedOperation'), DescribeTargetHealth: targetHealth({}) });
    await expect(provider.inspectDrain(named(), [swap('i-1')])).rejects.toMatchObject({ name: 'UnauthorizedOperation' });
  });

  test('counts the delay of each target group from when it let the member go', async () => {
    const endsAt = async (leftTargetGroupsAtMs: Record<string, number>, health: Answers['DescribeTargetHealth'] & {}) => {
      const { provider } = over(named(), {
        DescribeInstances: { Reservations: [{ Instances: [ec2Instance('i-1', ours)] }] },
        DescribeTargetHealth: health,
        DescribeTargetGroupAttributes: ({ TargetGroupArn }: { TargetGroupArn: string }) => ({
          Attributes: [{ Key: 'deregistration_delay.timeout_seconds', Value: TargetGroupArn === 'tg-1' ? '30' : '60' }],
        }),
      });
      return (await provider.inspectDrain(named(), [swap('i-1', 'rebalance', { ...draining, leftTargetGroupsAtMs })]))[0]?.busyUntilMs;
    };
    for (const health of [targetHealth({ 'i-1': 'draining' }), failsWith('Throttling')]) {
      expect(await endsAt({}, health)).toBe(nowMs + 50_000);
      expect(await endsAt({ 'tg-2': nowMs - 17_000 }, health)).toBe(nowMs + 43_000);
      expect(await endsAt({ 'tg-2': nowMs - 47_000 }, health)).toBe(nowMs + 20_000);
    }
  });

  test('is not over while a target group cannot be read, and has no end where its delay cannot be read either', async () => {
    const { provider } = over(named(), {
      DescribeInstances: { Reservations: [{ Instances: [ec2Instance('i-1', ours)] }] },
      DescribeTargetHealth: failsWith('Throttling'),
      DescribeTargetGroupAttributes: failsWith('Throttling'),
    });
    const seen = await provider.inspectDrain(named(), [swap('i-1', 'rebalance', draining)]);
    expect(seen).toEqual([{ instance: 'i-1', gone: false, drained: false, isUnread: true }]);
  });

  test('is read where one of two target groups shows it', async () => {
    const { provider } = over(named(), {
      DescribeInstances: { Reservations: [{ Instances: [ec2Instance('i-1', ours)] }] },
      DescribeTargetHealth: ({ TargetGroupArn }: { TargetGroupArn: string }) =>
        TargetGroupArn === 'tg-1' ? failsWith('Throttling')() : targetHealth({ 'i-1': 'draining' }),
      DescribeTargetGroupAttributes: { Attributes: [{ Key: 'deregistration_delay.timeout_seconds', Value: '30' }] },
    });
    const [seen] = await provider.inspectDrain(named(), [swap('i-1', 'rebalance', draining)]);
    expect(seen).toMatchObject({ drained: false });
    expect(seen).not.toHaveProperty('isUnread');
  });

  test('is over in a target group that cannot be read once its delay has passed', async () => {
    const isDrained = async (agoMs: number) => {
      const { provider } = over(named(), {
        DescribeInstances: { Reservations: [{ Instances: [ec2Instance('i-1', ours)] }] },
        DescribeTargetHealth: failsWith('Throttling'),
        DescribeTargetGroupAttributes: { Attributes: [{ Key: 'deregistration_delay.timeout_seconds', Value: '30' }] },
      });
      return (await provider.inspectDrain(named(), [swap('i-1', 'rebalance', { drainStartedAtMs: nowMs - agoMs })]))[0]?.drained;
    };
    expect([await isDrained(29_999), await isDrained(30_000)]).toEqual([false, true]);
  });

  test('has no end while the delay of one of several target groups cannot be read', async () => {
    let isRead = false;
    const { provider } = over(named(), {
      DescribeInstances: { Reservations: [{ Instances: [ec2Instance('i-1', ours)] }] },
      DescribeTargetHealth: targetHealth({ 'i-1': 'draining' }),
      DescribeTargetGroupAttributes: ({ TargetGroupArn }: { TargetGroupArn: string }) => {
        if (TargetGroupArn === 'tg-2' && !isRead) return failsWith('Throttling')();
        return { Attributes: [{ Key: 'deregistration_delay.timeout_seconds', Value: '30' }] };
      },
    });
    const look = () => provider.inspectDrain(named(), [swap('i-1', 'rebalance', draining)]);
    expect(await look()).toEqual([{ instance: 'i-1', gone: false, drained: false }]);
    isRead = true;
    expect(await look()).toMatchObject([{ deregistrationDelayMs: 30_000, busyUntilMs: nowMs + 20_000 }]);
  });

  test('takes a delay that cannot be read for what it was when the policy was accepted, of target groups that were looked up then', async () => {
    const delayIn = async (of: typeof attached, asgTargetGroups: readonly string[] = []) => {
      const accepted = { ...of, drain: { ...of.drain, asgTargetGroups, deregistrationDelayMs: 20_000 } };
      const { provider } = over(accepted, {
        ...inWeb({ 'i-1': 'Terminating' }, { targetGroups: ['tg-own'] }),
        DescribeInstances: { Reservations: [{ Instances: [ec2Instance('i-1', ours)] }] },
        DescribeTargetHealth: targetHealth({ 'i-1': 'draining' }),
        DescribeTargetGroupAttributes: failsWith('Throttling'),
      });
      return (await provider.inspectDrain(accepted, [swap('i-1', 'rebalance', draining)]))[0]?.deregistrationDelayMs;
    };
    expect(await delayIn(named())).toBe(20_000);
    expect(await delayIn(attached, ['tg-own'])).toBe(20_000);
    expect(await delayIn(attached)).toBeUndefined();
  });

  test.each(['stopping', 'stopped'] as const)('an instance that is %s no longer works, and can be ended', async (state) => {
    const { provider, aws } = over(group(), {
      DescribeInstances: { Reservations: [{ Instances: [ec2Instance('i-1', ours, { state })] }] },
      TerminateInstances: {},
    });
    expect(await provider.inspectDrain(group(), [swap('i-1')])).toEqual([
      { instance: 'i-1', gone: false, stopped: true, drained: true, deregistrationDelayMs: 0 },
    ]);
    expect(await provider.describe(group())).toMatchObject({ members: [], ended: ['i-1'], stopped: ['i-1'] });
    expect(await provider.end(group(), [swap('i-1')])).toEqual({ done: ['i-1'], failed: [] });
    expect(aws.inputsOf('TerminateInstances')).toEqual([{ InstanceIds: ['i-1'] }]);
    expect(await provider.inspectDrain(group(), [])).toEqual([]);
  });
});

test('an instance that runs was stopped where it was launched again after its deadline', async () => {
  const stoppedOf = async (deadlineMs: number | undefined) => {
    const { provider } = over(group(), {
      DescribeInstances: { Reservations: [{ Instances: [ec2Instance('i-1', ours, { launchedAtMs: 5_000 })] }] },
    });
    const [seen] = await provider.inspectDrain(group(), [swap('i-1', 'interruption', deadlineMs === undefined ? {} : { deadlineMs })]);
    return seen?.stopped;
  };
  expect(await stoppedOf(4_000)).toBe(true);
  expect(await stoppedOf(6_000)).toBeUndefined();
  expect(await stoppedOf(undefined)).toBeUndefined();
});

describe("changes of an Auto Scaling group's numbers", () => {
  const raised = { asg: 'web', fromMax: 10, toMax: 14, earlier: [12] };
  const at = (max: number, desired = 10) => over(attached, { ...inWeb({}, { max, desired }), UpdateAutoScalingGroup: {} });
  const update = (of: ReturnType<typeof at>) => of.aws.inputsOf('UpdateAutoScalingGroup');

  test.each([
    [10, 'done', [{ AutoScalingGroupName: 'web', MaxSize: 14 }]],
    [12, 'done', [{ AutoScalingGroupName: 'web', MaxSize: 14 }]],
    [14, 'done', []],
    [9, 'changed-by-others', []],
    [13, 'changed-by-others', []],
    [20, 'changed-by-others', []],
  ])('raising the maximum from %i: %s', async (max, outcome, updates) => {
    const of = at(max);
    expect(await of.provider.raiseMax(raised)).toBe(outcome);
    expect(update(of)).toEqual(updates);
  });

  test.each([
    [14, 10, 'done', [{ AutoScalingGroupName: 'web', MaxSize: 10 }]],
    [10, 10, 'done', []],
    [12, 10, 'done', [{ AutoScalingGroupName: 'web', MaxSize: 10 }]],
    [13, 10, 'changed-by-others', []],
    [14, 11, 'not-yet', []],
  ])('restoring the maximum from %i with %i wanted: %s', async (max, desired, outcome, updates) => {
    const of = at(max, desired);
    expect(await of.provider.restoreMax(raised)).toBe(outcome);
    expect(update(of)).toEqual(updates);
  });

  test.each([
    [14, 11, [{ AutoScalingGroupName: 'web', MaxSize: 11 }]],
    [14, 12, []],
    [11, 11, []],
    [10, 10, []],
    [20, 11, []],
  ])('lowering a raised maximum from %i to 11 with %i wanted', async (max, desired, updates) => {
    const of = at(max, desired);
    await of.provider.lowerMax({ ...raised, toMax: 11, earlier: [12, 14] });
    expect(update(of)).toEqual(updates);
  });

  test('restoring a maximum that a describe may not show as raised yet', async () => {
    const of = (answeredAgoMs: number) => {
      const world = at(10);
      return { world, result: world.provider.restoreMax({ ...raised, atMs: nowMs - 60_000, answeredAtMs: nowMs - answeredAgoMs }) };
    };
    const [young, old] = [of(19_999), of(20_000)];
    expect([await young.result, await old.result]).toEqual(['done', 'done']);
    expect(update(young.world)).toEqual([{ AutoScalingGroupName: 'web', MaxSize: 10 }]);
    expect(update(old.world)).toEqual([]);
  });

  test('restoring a maximum that others wrote beyond, where they set the size', async () => {
    const of = at(14, 11);
    expect(await of.provider.restoreMax(raised, 'web')).toBe('done');
    expect(update(of)).toEqual([{ AutoScalingGroupName: 'web', MaxSize: 10 }]);
    expect(await at(14, 11).provider.restoreMax(raised, 'other')).toBe('not-yet');
  });

  describe('what an attach added is taken down', () => {
    const added = { asg: 'web', from: 2, instances: ['i-3'], atMs: 0 };
    const held = { 'i-1': 'InService', 'i-2': 'InService', 'i-3': 'InService' };
    const shown = (desired: number, more: object = {}, ids: Readonly<Record<string, string>> = held) =>
      inWeb(ids, { desired, ...more }).DescribeAutoScalingGroups;
    const of = (...describes: readonly unknown[]) => over(attached, { DescribeAutoScalingGroups: describes as never, UpdateAutoScalingGroup: {} });
    test('while others have not written since', async () => {
      const { provider, aws } = of(shown(3), shown(2));
      expect(await provider.takeDown(added)).toEqual({ kind: 'done' });
      expect(aws.inputsOf('UpdateAutoScalingGroup')).toEqual([{ AutoScalingGroupName: 'web', DesiredCapacity: 2 }]);
    });
    test('and no more than the members that joined have added', async () => {
      const { provider, aws } = of(shown(3), shown(2));
      expect(await provider.takeDown({ ...added, instances: ['i-3', 'i-4'] })).toEqual({ kind: 'done' });
      expect(aws.inputsOf('UpdateAutoScalingGroup').map(({ DesiredCapacity }) => DesiredCapacity)).toEqual([2]);
    });
    test('but not where others ended one of the members with its capacity', async () => {
      const { provider, aws } = of(shown(3, {}, { ...held, 'i-4': 'Terminating' }));
      expect(await provider.takeDown({ ...added, instances: ['i-3', 'i-4'] })).toEqual({ kind: 'changed-by-others' });
      expect(aws.inputsOf('UpdateAutoScalingGroup')).toEqual([]);
    });
    test('with the maximum that was raised for it, by one call', async () => {
      const lowered = async (more: object, raised: RaisedMax) => {
        const { provider, aws } = of(shown(3, more), shown(2));
        const result = await provider.takeDown(added, raised);
        return [result, aws.inputsOf('UpdateAutoScalingGroup').map(({ MaxSize }) => MaxSize)];
      };
      const withMax = { kind: 'done', isMaxPutBack: true };
      expect(await lowered({ max: 3 }, { asg: 'web', fromMax: 2, toMax: 3 })).toEqual([withMax, [2]]);
      expect(await lowered({ max: 4 }, { asg: 'web', fromMax: 2, toMax: 3 })).toEqual([{ kind: 'done' }, [undefined]]);
      expect(await lowered({ max: 3 }, { asg: 'web', fromMax: 1, toMax: 3 })).toEqual([{ kind: 'done' }, [undefined]]);
    });
    test('and is unseen while a describe does not show it', async () => {
      expect(await of(shown(3), shown(3)).provider.takeDown(added)).toEqual({ kind: 'unseen' });
      expect(await of(shown(3), { AutoScalingGroups: [] }).provider.takeDown(added)).toEqual({ kind: 'done' });
    });
    test('down to the minimum, and later where AWS refuses it now', async () => {
      expect(await of(shown(3, { min: 2 }), shown(2)).provider.takeDown(added)).toEqual({ kind: 'done' });
      const busy = { DescribeAutoScalingGroups: shown(3), UpdateAutoScalingGroup: failsWith('ScalingActivityInProgressFault') };
      expect(await over(attached, busy).provider.takeDown(added)).toEqual({ kind: 'not-yet' });
    });
    test.each([
      ['somebody wrote another number', shown(5), 'changed-by-others'],
      ['it is taken down already', shown(2), 'done'],
      ['the minimum is above it by now', shown(3, { min: 3 }), 'changed-by-others'],
      ['no describe shows the members yet', shown(2, {}, { 'i-1': 'InService', 'i-2': 'InService' }), 'not-yet'],
      ['a describe is older, and shows another number', shown(5, {}, { 'i-1': 'InService', 'i-2': 'InService' }), 'not-yet'],
    ])('but not where %s', async (_what, describe1, outcome) => {
      const { provider, aws } = of(describe1);
      expect(await provider.takeDown(added)).toEqual({ kind: outcome });
      expect(aws.inputsOf('UpdateAutoScalingGroup')).toEqual([]);
    });
    test('and members are attached while the size is as it was noted', async () => {
      const { provider, aws } = over(sized, {
        ...inWeb({ 'i-1': 'InService', 'i-2': 'InService' }, { desired: 2 }),
        AttachInstances: {},
        CreateTags: {},
      });
      expect(await provider.admit(sized, ['i-3'], { added })).toEqual({ done: ['i-3'], failed: [] });
      expect(aws.inputsOf('AttachInstances')).toEqual([{ AutoScalingGroupName: 'web', InstanceIds: ['i-3'] }]);
      expect(await provider.admit(sized, [], { added })).toEqual({ done: [], failed: [] });
    });
    test.each([
      ['once the size has changed', { added }, 5],
      ['where another function dropped the note', {}, 2],
    ])('and no member is attached %s', async (_when, noted, desired) => {
      const { provider, aws } = over(sized, { ...inWeb({ 'i-1': 'InService', 'i-2': 'InService' }, { desired }), AttachInstances: {} });
      expect(await provider.admit(sized, ['i-3'], noted)).toEqual({
        done: [],
        failed: [{ instance: 'i-3', code: 'SizeChanged', retry: 'later' }],
      });
      expect(aws.inputsOf('AttachInstances')).toEqual([]);
    });
  });

  test('processes are suspended, and all are resumed that a describe shows as suspended or may be late about', async () => {
    const of = over(attached, { ...inWeb({}, { suspended: ['Launch'] }), SuspendProcesses: {}, ResumeProcesses: {} });
    await of.provider.suspend({ asg: 'web', processes: ['Launch', 'Terminate'] });
    expect(of.aws.inputsOf('SuspendProcesses')).toEqual([{ AutoScalingGroupName: 'web', ScalingProcesses: ['Launch', 'Terminate'] }]);
    expect(await of.provider.resume({ asg: 'web', processes: ['Launch', 'Terminate'] })).toBe('done');
    expect(of.aws.inputsOf('ResumeProcesses')).toEqual([{ AutoScalingGroupName: 'web', ScalingProcesses: ['Launch', 'Terminate'] }]);
    const resumed = async (atMs: number, suspended = ['Launch']) => {
      const { provider, aws } = over(attached, { ...inWeb({}, { suspended }), ResumeProcesses: {} });
      expect(await provider.resume({ asg: 'web', processes: ['Launch', 'Terminate'], atMs })).toBe('done');
      return aws.inputsOf('ResumeProcesses').map(({ ScalingProcesses }) => ScalingProcesses);
    };
    expect(await resumed(nowMs - loweredShownMs + 1)).toEqual([['Launch', 'Terminate']]);
    expect(await resumed(nowMs - loweredShownMs)).toEqual([['Launch']]);
    expect(await resumed(nowMs - loweredShownMs, [])).toEqual([]);
    const gone = over(attached, { DescribeAutoScalingGroups: { AutoScalingGroups: [] } });
    expect(await gone.provider.resume({ asg: 'web', processes: ['Launch'] })).toBe('gone');
  });

  test('Launch is resumed for an attach without a look at the group', async () => {
    const of = over(attached, { ResumeProcesses: {} });
    await of.provider.open('web');
    expect(of.aws.inputsOf('ResumeProcesses')).toEqual([{ AutoScalingGroupName: 'web', ScalingProcesses: ['Launch'] }]);
  });

  test('taking over lowers the desired capacity to what is held, never below what is held by now', async () => {
    const held = { 'i-1': 'InService', 'i-2': 'InService' };
    const of = (more: Parameters<typeof autoScalingGroup>[2], answer: object = {}) =>
      over(attached, { ...inWeb(held, more), UpdateAutoScalingGroup: answer });
    const short = of({ desired: 4 });
    expect(await short.provider.takeOver('web', 2)).toBe('done');
    expect(update(short)).toEqual([{ AutoScalingGroupName: 'web', DesiredCapacity: 2 }]);
    expect(await of({ desired: 4 }).provider.takeOver('web', 1)).toBe('refused');
    expect(await of({ desired: 4, min: 3 }).provider.takeOver('web', 2)).toBe('refused');
    expect(await of({ desired: 4 }, failsWith('ScalingActivityInProgressFault')).provider.takeOver('web', 2)).toBe('refused');
    expect(await of({ desired: 4 }, failsWith('AccessDenied')).provider.takeOver('web', 2)).toBe('denied');
    const dead = of({ desired: 4 }, () => Promise.reject(new TypeError('a bug')));
    await expect(dead.provider.takeOver('web', 2)).rejects.toThrow('a bug');
    expect(await of({ desired: 4, min: 2 }).provider.takeOver('web', 2)).toBe('done');
    const settled = of({ desired: 2 });
    expect(await settled.provider.takeOver('web', 2)).toBe('done');
    expect(update(settled)).toEqual([]);
  });

  test('giving back raises the desired capacity, unless others have set it since or the maximum has no room', async () => {
    const given = async (more: Parameters<typeof autoScalingGroup>[2]) => {
      const of = over(attached, { ...inWeb({}, more), UpdateAutoScalingGroup: {} });
      await of.provider.giveBack('web', { from: 2, to: 4 });
      return update(of);
    };
    expect(await given({ desired: 2, max: 4 })).toEqual([{ AutoScalingGroupName: 'web', DesiredCapacity: 4 }]);
    expect(await given({ desired: 3, max: 4 })).toEqual([]);
    expect(await given({ desired: 2, max: 3 })).toEqual([]);
  });

  test('a raise that AWS refuses is refused; a bug of ours is thrown', async () => {
    const raising = (answer: () => never) => over(attached, { ...inWeb({}, { max: 10 }), UpdateAutoScalingGroup: answer }).provider.raiseMax(raised);
    expect(await raising(failsWith('ValidationError'))).toBe('refused');
    const broken = (): never => {
      throw new TypeError('undefined is not a function');
    };
    await expect(raising(broken)).rejects.toThrow('undefined is not a function');
  });

  test('of a group that is gone change nothing', async () => {
    const gone = over(attached, { DescribeAutoScalingGroups: { AutoScalingGroups: [] } });
    const added = { asg: 'web', from: 2, instances: ['i-3'], atMs: 0 };
    expect(await gone.provider.raiseMax(raised)).toBe('changed-by-others');
    expect(await gone.provider.restoreMax(raised)).toBe('changed-by-others');
    expect(await gone.provider.takeDown(added)).toEqual({ kind: 'changed-by-others' });
    expect(await gone.provider.takeOver('web', 2)).toBe('refused');
    expect(await gone.provider.giveBack('web', { from: 2, to: 4 })).toBeUndefined();
    expect(await gone.provider.admit(sized, ['i-3'], { added })).toMatchObject({ done: [], failed: [{ code: 'SizeChanged' }] });
    expect(gone.aws.calls.filter(({ operation }) => operation !== 'DescribeAutoScalingGroups')).toEqual([]);
  });
});
