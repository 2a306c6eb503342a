import { expect, test } from 'vitest';
import { autoScalingGroup, group, nowMs, swap } from './builders.ts';
import { providerOver } from './provider.ts';

const attached = group({ holding: { kind: 'attach', asg: 'web' } });

/** A provider that has just looked at the group, and what it reads and ends after that. */
const looked = async (members: Readonly<Record<string, string>>, { min = 0, asgsKnownMs = 10_000 } = {}) => {
  const at = { nowMs };
  const { aws, provider } = providerOver(
    attached.holding,
    {
      DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web', members, { min })] },
      DescribeInstances: { Reservations: [] },
      DescribeTargetHealth: { TargetHealthDescriptions: [] },
      TerminateInstanceInAutoScalingGroup: {},
      DeregisterTargets: {},
    },
    { now: () => at.nowMs, asgsKnownMs },
  );
  await provider.describe(attached, undefined);
  const reads = aws.inputsOf('DescribeAutoScalingGroups').length;
  return {
    at,
    release: async (...instances: readonly string[]) => {
      await provider.release(
        attached,
        instances.map((instance) => swap(instance)),
      );
      const ended = aws.inputsOf('TerminateInstanceInAutoScalingGroup').map(({ InstanceIds }) => InstanceIds);
      return { reads: aws.inputsOf('DescribeAutoScalingGroups').length - reads, ended };
    },
  };
};
const two = { 'i-1': 'InService', 'i-2': 'InService' };

test('members are ended by what the look before has read of their Auto Scaling group', async () => {
  const { release } = await looked(two);
  expect(await release('i-1', 'i-2')).toEqual({ reads: 0, ended: [['i-1', 'i-2']] });
});

test('a look reads again, and so does a release where no look is recent enough', async () => {
  const { release, at } = await looked(two);
  at.nowMs += 10_000;
  expect(await release('i-1')).toMatchObject({ reads: 1 });
  expect(await (await looked(two, { asgsKnownMs: 0 })).release('i-1')).toMatchObject({ reads: 1 });
});

test.each<readonly [string, Readonly<Record<string, string>>, number]>([
  ['the desired capacity had no room for all of them, and a launch may have raised it since', two, 1],
  ['one of them had left', { 'i-1': 'InService', 'i-2': 'Terminating', 'i-3': 'InService' }, 0],
  ['one of them was not there yet', { 'i-1': 'InService', 'i-3': 'InService' }, 0],
])('the group is read again where %s', async (_why, members, min) => {
  const { release } = await looked(members, { min });
  expect(await release('i-1', 'i-2')).toEqual({ reads: 1, ended: [['i-1']] });
});
