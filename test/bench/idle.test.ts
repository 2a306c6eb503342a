import { beforeAll, expect, test, vi } from 'vitest';
import { assemble } from '../../assembly/assemble.ts';
import { type IdleRun, idleHour, playIdle } from '../../bench/idle.ts';
import { dollarsOf, firstVersionUsd, pricedStack } from '../../bench/idle-dollars.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let hour: IdleRun;
beforeAll(async () => {
  await assemble();
  hour = await playIdle(idleHour);
});

/** What the first version was counted by: 342 calls an hour. */
const countedOnce = ['dynamodb:GetItem', 'dynamodb:Query', 'ec2:DescribeInstances'];

test('an idle hour of one group takes half of the calls of the first version, and none that is not known', () => {
  const counted = hour.calls.filter(({ call }) => countedOnce.includes(call)).reduce((sum, { count }) => sum + count, 0);
  expect(counted).toBeLessThanOrEqual(171);
  const others = hour.calls.filter(({ call }) => !countedOnce.includes(call)).map(({ call, count }) => `${call} ${count}`);
  expect(others.toSorted()).toEqual(['elasticloadbalancing:DescribeTargetHealth 60', 'sqs:SendMessageBatch 60']);
});

test('an idle month costs less than half of the first version, with the stack as it is by default', async () => {
  const stack = await pricedStack();
  expect(dollarsOf(stack, hour).together).toBeLessThanOrEqual(firstVersionUsd / 2);
});

test('the dollars follow from the stack and the hour', async () => {
  const stack = await pricedStack();
  const usd = dollarsOf(stack, hour);
  expect(dollarsOf({ ...stack, alarmMetrics: stack.alarmMetrics + 5 }, hour).alarms).toBeCloseTo(usd.alarms + 0.5);
  expect(dollarsOf(stack, { ...hour, metrics: ['Signals', 'Launched'] }).metrics).toBeCloseTo(0.6);
  expect(dollarsOf({ ...stack, memoryGb: { ...stack.memoryGb, react: 10 } }, hour).functions).toBeGreaterThan(2 * usd.functions);
  expect(dollarsOf({ ...stack, polledQueues: 2 }, hour).queue).toBeGreaterThan(1.5 * usd.queue);
});

test('no metric is written while nothing happens', () => {
  expect(hour.metrics).toEqual([]);
  expect(hour.invocations.map(({ function: name, count }) => `${name} ${count}`)).toEqual(['tick 60', 'react 60', 'accept-policy 4']);
});
