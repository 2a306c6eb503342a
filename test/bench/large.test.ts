import { beforeAll, describe, expect, test } from 'vitest';
import { assemble } from '../../assembly/assemble.ts';
import { sizeLarge } from '../../bench/large.ts';
import { attachedPerCall } from '../../core/decide/admissions.ts';
import { reactTimeoutMs } from '../../core/times/times.ts';

const members = 1_101;

describe('a group of 2,000 in Auto Scaling groups is sized from zero', () => {
  beforeAll(() => assemble());

  test('its first launches do not wait until all tokens of their bucket are there', async () => {
    const { firstRequestedMs, requested, throttled } = await sizeLarge({ members: 2_000, held: 'launch-instances', seed: 1 }, 15_000);
    expect([firstRequestedMs !== null && firstRequestedMs < 5_000, throttled]).toEqual([true, 0]);
    expect(requested).toBeGreaterThanOrEqual(1_000);
  }, 120_000);
});

describe('a group of 1,101 attached members is sized from zero', () => {
  beforeAll(() => assemble());

  test('in bounded batches: no function takes half of its time, and few members are attached twice', async () => {
    const { calls, failed, longestMs, throttled, servingMs } = await sizeLarge({ members, held: 'attach', seed: 1 }, 150_000);
    expect([failed, throttled]).toEqual([0, 0]);
    expect(longestMs.react).toBeLessThan(reactTimeoutMs / 2);
    expect(calls['AttachInstances by react']).toBeLessThan((1.5 * members) / attachedPerCall);
    expect(servingMs).toBeLessThan(120_000);
  }, 240_000);
});
