import { expect, test } from 'vitest';
import { admitAgainMs } from '../../functions/react/carry-out/admit.ts';
import { carryOutRounds } from '../../functions/react/carry-out/carry-out.ts';
import type { Round, Run } from '../../functions/react/run.ts';
import { nowMs, state, view } from '../core/views.ts';

test('an admission that failed is repeated soon where the group is alone, and later the more groups are beside it', () => {
  expect([1, 8, 20, 50].map((groups) => admitAgainMs(groups, 0))).toEqual([2_000, 2_000, 5_000, 12_500]);
});

test('it is repeated after a quarter of the time since its member was launched, from a minute on after half of it, and within 45 seconds', () => {
  expect([4_000, 20_000, 59_999, 60_000, 600_000].map((ageMs) => admitAgainMs(1, ageMs))).toEqual([2_000, 5_000, 14_999, 30_000, 45_000]);
  expect(admitAgainMs(50, 20_000)).toBe(12_500);
});

test.each([
  ['comes', nowMs + 3_000, 3_000],
  ['has come while the work was done', nowMs - 20, 1],
])('a group is woken when the time of its decision %s', async (_when, wakeAtMs, inMs) => {
  const woken: number[] = [];
  const run = {
    group: { name: 'web', holding: { kind: 'tag' } },
    turns: { learn: () => {} },
    provider: {},
    ports: { clock: { now: () => nowMs }, wakes: { wake: async (_: readonly string[], atMs: number) => void woken.push(atMs - nowMs) }, store: {} },
    groupsAtOnce: 1,
  };
  const decision = { unnoticed: [], admissions: [], raise: [], restore: [], removals: [], wakeAtMs };
  const round = { decision, view: view(), sizes: [], launched: [], state: state() };
  // No store is needed: a wake alone is written nowhere.
  await carryOutRounds({ ...run, rounds: [round] } as unknown as Run & { readonly rounds: readonly Round[] });
  expect(woken).toEqual([inMs]);
});
