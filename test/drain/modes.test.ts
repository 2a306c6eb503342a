import { describe, expect, test } from 'vitest';
import { beginDrain } from '../../functions/begin-drain/begin-drain.ts';
import { execute } from './execution.ts';
import { createFleet, group, noonMs, order, swap } from './fleet.ts';

const pair = (changes = {}) => [swap('i-1', changes), swap('i-2', changes)];
const warned = { deadlineMs: noonMs + 120_000 };
const hook = { asg: 'web', hook: 'drain', token: 't', expiresAtMs: noonMs + 600_000, timeoutMs: 600_000 };

describe.each(['observe', 'pause'] as const)('when the mode becomes %s', (mode) => {
  test('a drain of our own choice that has not begun leaves its instances as they are, and records that', async () => {
    const fleet = createFleet(pair({ reason: 'rebalance' }));
    fleet.group = group({ mode });
    await execute(fleet, order());
    expect(fleet.ended.size + fleet.releasedAtMs.size).toBe(0);
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'leaving', shortfall: { code: 'held-back', mode } });
  });

  test('a drain that has begun comes to its end', async () => {
    const fleet = createFleet(pair({ reason: 'scale-in' }), 60_000);
    await beginDrain(fleet.ports, order());
    fleet.group = group({ mode });
    await execute(fleet, order());
    expect([...fleet.ended]).toEqual(['i-1', 'i-2']);
    expect(fleet.stateOf('i-1').shortfall).toBeUndefined();
  });
});

test('a paused group drains what EC2 takes, and completes its hooks', async () => {
  const fleet = createFleet([swap('i-1', warned), swap('i-2', { reason: 'hook', hooks: [hook] })], 10_000);
  fleet.group = group({ mode: 'pause' });
  await execute(fleet, order());
  expect([...fleet.releasedAtMs.keys()]).toEqual(['i-1', 'i-2']);
  expect([...fleet.completed]).toEqual(['i-2']);
});

test('an observed group drains nothing that EC2 or Auto Scaling takes, and completes no hook', async () => {
  const before = [swap('i-1', warned), swap('i-2', { reason: 'hook', hooks: [hook] })];
  const fleet = createFleet(before);
  fleet.group = group({ mode: 'observe' });
  await execute(fleet, order());
  expect(fleet.releasedAtMs.size + fleet.completed.size + fleet.ended.size).toBe(0);
  expect([fleet.stateOf('i-1'), fleet.stateOf('i-2')]).toEqual(before);
});
