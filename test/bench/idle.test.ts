import { beforeAll, expect, test, vi } from 'vitest';
import { assemble } from '../../assembly/assemble.ts';
import { playIdle } from '../../bench/idle.ts';

vi.setConfig({ testTimeout: 60_000 });
beforeAll(async () => void (await assemble()));

/** What the first version was counted by: 342 calls an hour. */
const countedOnce = ['dynamodb:GetItem', 'dynamodb:Query', 'ec2:DescribeInstances'];

test('an idle hour of one group takes half of the calls of the first version, and none that is not known', async () => {
  const figures = await playIdle({ groups: 1, held: 'tag', minutes: 60 });
  const counted = figures.filter(({ call }) => countedOnce.includes(call)).reduce((sum, { count }) => sum + count, 0);
  expect(counted).toBeLessThanOrEqual(171);
  const others = figures.filter(({ call }) => !countedOnce.includes(call)).map(({ call, count }) => `${call} ${count}`);
  expect(others.toSorted()).toEqual(['elasticloadbalancing:DescribeTargetHealth 60', 'sqs:SendMessageBatch 60']);
});
