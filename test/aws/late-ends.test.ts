import { expect, test } from 'vitest';
import { autoScalingCall, paced } from '../../aws/calls/paced-client.ts';
import type { PacedCall } from '../../core/limits/call-pace.ts';
import { autoScalingGroup, group, nowMs, swap } from './builders.ts';
import { type Answers, failsWith } from './fake-aws.ts';
import { providerOver } from './provider.ts';

const attached = group({ holding: { kind: 'attach', asg: 'web' } });
const inWeb = (...ids: readonly string[]) => ({
  AutoScalingGroups: [autoScalingGroup('web', Object.fromEntries(ids.map((id) => [id, 'InService'])))],
});
const unknown = (id: string) => failsWith('ValidationError', `Instance Id not found - No managed instance found for instance ID: ${id}`);
const all = ['i-01', 'i-02', 'i-03', 'i-04'];

/** What a release of four members of an Auto Scaling group ends and reads, and its result. */
const released = async (answers: Answers, ids: readonly string[] = all) => {
  const { aws, provider } = providerOver(attached.holding, answers);
  const { done, failed } = await provider.release(
    attached,
    ids.map((instance) => swap(instance)),
  );
  const ended = aws.inputsOf('TerminateInstanceInAutoScalingGroup').map(({ InstanceIds }) => InstanceIds);
  return { ended, reads: aws.inputsOf('DescribeAutoScalingGroups').length, done: done.toSorted(), failed };
};

test('where an Auto Scaling group has let go of one of the members, it is read, and those that it still has are ended', async () => {
  const answers = {
    DescribeAutoScalingGroups: [inWeb(...all), inWeb('i-04')],
    TerminateInstanceInAutoScalingGroup: [unknown('i-01'), {}],
  };
  expect(await released(answers)).toEqual({ ended: [all, ['i-04']], reads: 2, done: all, failed: [] });
});

test('where it has let go of all of them, one call and one read are made', async () => {
  const answers = { DescribeAutoScalingGroups: [inWeb(...all), inWeb()], TerminateInstanceInAutoScalingGroup: [unknown('i-01')] };
  expect(await released(answers)).toEqual({ ended: [all], reads: 2, done: all, failed: [] });
});

test('it is read once, and not for a single member that is left; a read that fails leaves the others for later', async () => {
  const late = {
    DescribeAutoScalingGroups: inWeb(...all),
    TerminateInstanceInAutoScalingGroup: [unknown('i-01'), unknown('i-02'), {}],
  };
  expect(await released(late)).toMatchObject({ ended: [all, all.slice(1), all.slice(2)], reads: 2, failed: [] });
  const two = { DescribeAutoScalingGroups: inWeb(...all), TerminateInstanceInAutoScalingGroup: [unknown('i-01'), {}] };
  expect(await released(two, all.slice(0, 2))).toMatchObject({ ended: [all.slice(0, 2), ['i-02']], reads: 1, failed: [] });
  const unread = {
    DescribeAutoScalingGroups: [inWeb(...all), failsWith('Throttling', 'Rate exceeded')],
    TerminateInstanceInAutoScalingGroup: [unknown('i-01')],
  };
  const { done, failed } = await released(unread);
  expect([done, failed.map(({ retry }) => retry)]).toEqual([['i-01'], ['later', 'later', 'later']]);
});

test('an end waits for its token until five seconds after EC2 has taken the last of its members, and as usual for a member that stays until then', async () => {
  const calls: PacedCall[] = [];
  const { aws, provider } = providerOver(attached.holding, { DescribeAutoScalingGroups: inWeb(...all), TerminateInstanceInAutoScalingGroup: {} });
  const pacer = { take: async (call: PacedCall) => calls.push(call) > 0, spend: () => {}, throttled: async () => {}, begin: () => {} };
  const patience = { actMs: 5_000, lookMs: 3_000, reads: 'decide', healthMs: 0 } as const;
  const { middlewareStack } = aws.autoScaling;
  const before = { relation: 'before', toMiddleware: 'fakeAws', name: 'paced' } as const;
  const add = (middleware: never) => middlewareStack.addRelativeTo(middleware, before);
  paced({ middlewareStack: { add } }, autoScalingCall(patience), pacer);
  const taken = (instance: string, deadlineMs: number) => swap(instance, 'interruption', { deadlineMs });
  await provider.release(attached, [taken('i-01', nowMs + 1_000), taken('i-02', nowMs + 2_000)]);
  await provider.release(attached, [taken('i-03', nowMs + 1_000), swap('i-04', 'rebalance')]);
  const ends = calls.filter(({ kind }) => kind === 'act');
  expect(ends.map(({ patienceMs, untilMs }) => [patienceMs, untilMs])).toEqual([
    [5_000, nowMs + 7_000],
    [5_000, undefined],
  ]);
});

test.each([
  { which: 'that nothing replaces', isHeld: true, min: 0, uncovered: 1 },
  { which: 'that the minimum size does not let go', isHeld: true, min: 1, uncovered: 0 },
  { which: 'that is in no Auto Scaling group', isHeld: false, min: 0, uncovered: 0 },
])(
  'a member $which is deregistered while the end of another one has no response',
  async ({ isHeld, min, uncovered }) => {
    const there = { 'i-01': 'InService', ...(isHeld && { 'i-02': 'InService' }) };
    const { promise: deregistered, resolve } = Promise.withResolvers<object>();
    const { provider } = providerOver(attached.holding, {
      DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web', there, { min, targetGroups: ['tg-own'] })] },
      TerminateInstanceInAutoScalingGroup: () => deregistered,
      DeregisterTargets: ({ Targets }: { readonly Targets: object }) => {
        resolve({ Targets });
        return {};
      },
    });
    const taken = (instance: string, afterMs: number) => swap(instance, 'interruption', { deadlineMs: nowMs + afterMs });
    const { done } = await provider.release(attached, [taken('i-01', 1_000), taken('i-02', 2_000)], { uncovered });
    expect([await deregistered, done.toSorted()]).toEqual([{ Targets: [{ Id: 'i-02' }] }, ['i-01', 'i-02']]);
  },
  5_000,
);
