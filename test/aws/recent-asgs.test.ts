import { expect, test } from 'vitest';
import { recentAsgs } from '../../aws/providers/recent-asgs.ts';
import { autoScalingGroup } from './builders.ts';
import { createFakeAws, failsWith } from './fake-aws.ts';

const open = (answers: readonly unknown[]) => {
  const aws = createFakeAws({ DescribeAutoScalingGroups: answers as never });
  const at = { nowMs: 1_000_000 };
  const deps = { autoScaling: aws.autoScaling, now: () => at.nowMs };
  return { aws, at, deps, kept: { ...deps, asgsKeptMs: 1_000 } };
};
const found = (desired: number) => ({ AutoScalingGroups: [{ ...autoScalingGroup('web', {}), DesiredCapacity: desired }] });

test('Auto Scaling groups that were read a moment ago are not read again', async () => {
  const { aws, at, kept } = open([found(1), found(2)]);
  expect((await recentAsgs(kept, ['web'])).map(({ desired }) => desired)).toEqual([1]);
  at.nowMs += 999;
  expect((await recentAsgs(kept, ['web'])).map(({ desired }) => desired)).toEqual([1]);
  at.nowMs += 1;
  expect((await recentAsgs(kept, ['web'])).map(({ desired }) => desired)).toEqual([2]);
  expect(aws.calls).toHaveLength(2);
});

test('other groups are read, and without a keeping time each use reads', async () => {
  const { deps, kept } = open([found(1), { AutoScalingGroups: [] }, found(2), found(3)]);
  await recentAsgs(kept, ['web']);
  expect(await recentAsgs(kept, ['other'])).toEqual([]);
  expect((await recentAsgs(deps, ['web'])).map(({ desired }) => desired)).toEqual([2]);
  expect((await recentAsgs(deps, ['web'])).map(({ desired }) => desired)).toEqual([3]);
});

test('a read that failed is not kept', async () => {
  const { kept } = open([failsWith('Throttling'), found(1)]);
  await expect(recentAsgs(kept, ['web'])).rejects.toThrow();
  expect((await recentAsgs(kept, ['web'])).map(({ desired }) => desired)).toEqual([1]);
});
