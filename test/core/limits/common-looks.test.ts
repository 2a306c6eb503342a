import { describe, expect, test } from 'vitest';
import { emptyBudget } from '../../../core/limits/account-budget.ts';
import { endsLookAtMs, joinLookAtMs, putOffLooks } from '../../../core/limits/common-looks.ts';
import type { Waiting } from '../../../core/limits/need.ts';

/** On a multiple of twenty seconds. */
const nowMs = 1_000_000;
const waits = (group: string, inMs: number, rest: Partial<Waiting> = {}): Waiting => ({
  ...{ group, bucket: 'createFleet', calls: 1, instances: 20, need: { urgency: 'warned', size: 100 }, sinceMs: nowMs },
  turnAtMs: nowMs + inMs,
  ...rest,
});
const budget = {
  ...emptyBudget,
  version: 7,
  waiting: [waits('web', 60_000), waits('api', 60_000, { lookAtMs: nowMs + 20_000 }), waits('jobs', 19_000)],
};
const all = new Set(['web', 'api', 'jobs', 'elsewhere']);
const none = new Set<string>();

describe('looks at groups that wait for their turn', () => {
  test('are put off to the next common one, if the turn comes after it', () => {
    const atTheLook = { ...budget, waiting: [waits('web', 20_000), waits('api', 20_001)] };
    expect(putOffLooks(atTheLook, all, none, nowMs).groups).toEqual(new Set(['api']));
    expect(putOffLooks(budget, all, none, nowMs)).toMatchObject({ lookAtMs: nowMs + 20_000, groups: new Set(['web', 'api']) });
    expect(putOffLooks(budget, new Set(['api', 'jobs']), none, nowMs).groups).toEqual(new Set(['api']));
  });

  test('leave describes two seconds to show what happened', () => {
    expect(putOffLooks(budget, all, none, nowMs + 18_000).lookAtMs).toBe(nowMs + 20_000);
    expect(putOffLooks(budget, all, none, nowMs + 18_001).lookAtMs).toBe(nowMs + 40_000);
  });

  test('are arranged once, and again when their time has come', () => {
    const first = putOffLooks(budget, all, none, nowMs);
    expect([first.fresh, first.budget.version]).toEqual([new Set(['web']), 8]);
    expect(first.budget.waiting.map(({ lookAtMs }) => lookAtMs)).toEqual([nowMs + 20_000, nowMs + 20_000, undefined]);
    expect(putOffLooks(first.budget, all, none, nowMs + 5_000).fresh).toEqual(new Set());
    expect(putOffLooks(first.budget, all, none, nowMs + 20_000)).toMatchObject({ lookAtMs: nowMs + 40_000, fresh: new Set(['web', 'api']) });
  });

  test('are left to the tick where two ticks come before the turn, unless the tick leaves them to the common look', () => {
    const line = { ...budget, waiting: [waits('web', 120_000), waits('api', 120_001), waits('jobs', 4_000_000)] };
    const left = putOffLooks(line, all, none, nowMs);
    expect([left.groups, left.fresh]).toEqual([new Set(['web', 'api', 'jobs']), new Set(['web'])]);
    const ticked = putOffLooks(line, all, new Set(['jobs']), nowMs);
    expect([ticked.groups, ticked.fresh]).toEqual([new Set(['web', 'api', 'jobs']), new Set(['web', 'jobs'])]);
    expect(ticked.budget.waiting.map(({ lookAtMs }) => lookAtMs)).toEqual([nowMs + 20_000, undefined, nowMs + 20_000]);
    expect(putOffLooks(ticked.budget, new Set(['jobs']), new Set(['jobs']), nowMs + 5_000).fresh).toEqual(new Set());
  });
});

describe('members that begin to run', () => {
  test('are looked at every ten seconds, and at last every five, as long as a group that has waited for a minute waits for a turn to launch after that', () => {
    const line = (inMs: number, rest: Partial<Waiting> = {}) => ({
      ...emptyBudget,
      waiting: [waits('web', inMs, { sinceMs: nowMs - 60_000, ...rest })],
    });
    expect(joinLookAtMs(line(5_001), nowMs)).toBe(nowMs + 5_000);
    expect(joinLookAtMs(line(10_000), nowMs)).toBe(nowMs + 5_000);
    expect(joinLookAtMs(line(10_001), nowMs)).toBe(nowMs + 10_000);
    expect(joinLookAtMs(line(60_000), nowMs + 9_999)).toBe(nowMs + 10_000);
    expect(joinLookAtMs(line(60_000), nowMs + 10_000)).toBe(nowMs + 20_000);
    expect(joinLookAtMs(line(5_000), nowMs)).toBe(undefined);
    expect(joinLookAtMs(line(60_000, { sinceMs: nowMs - 59_999 }), nowMs)).toBe(undefined);
    // A drain that looks launches nothing.
    expect(joinLookAtMs(line(60_000, { instances: 0 }), nowMs)).toBe(undefined);
    expect(joinLookAtMs(emptyBudget, nowMs)).toBe(undefined);
  });

  test('are looked at every five seconds from the first second on, if the bucket that a group waits for is the one of these looks', () => {
    const line = (bucket: Waiting['bucket'], rest: Partial<Waiting> = {}) => ({
      ...emptyBudget,
      waiting: [waits('web', 5_001, { bucket, ...rest })],
    });
    expect([joinLookAtMs(line('autoScaling'), nowMs), joinLookAtMs(line('createFleet'), nowMs)]).toEqual([nowMs + 5_000, undefined]);
    expect(joinLookAtMs(line('autoScaling', { instances: 0 }), nowMs)).toBe(undefined);
    expect(joinLookAtMs(line('autoScaling', { turnAtMs: nowMs + 5_000 }), nowMs)).toBe(undefined);
  });
});

test('ends of leaving members are looked at every five seconds while calls to Auto Scaling, with or without a turn, leave less than half of its bucket', () => {
  const turns = (tokens: number) => ({ ...emptyBudget, levels: { autoScaling: { tokens, atMs: nowMs } } });
  expect([endsLookAtMs(turns(9), nowMs), endsLookAtMs(turns(9), nowMs + 100)]).toEqual([nowMs + 5_000, nowMs + 5_000]);
  expect([endsLookAtMs(turns(10), nowMs), endsLookAtMs(turns(9), nowMs + 200), endsLookAtMs(emptyBudget, nowMs)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(endsLookAtMs({ ...emptyBudget, fullAt: { autoScaling: nowMs + 2_500 } }, nowMs)).toBe(nowMs + 5_000);
  expect(endsLookAtMs({ ...emptyBudget, fullAt: { autoScaling: nowMs + 2_000 } }, nowMs)).toBe(undefined);
});
