import { describe, expect, test } from 'vitest';
import { buckets } from '../../../core/limits/account-buckets.ts';
import { type AccountBudget, emptyBudget, levelAt, shareOut, withLessons } from '../../../core/limits/account-budget.ts';
import type { Ask } from '../../../core/limits/need.ts';
import { tokensBeside, underWayNow, withoutRefused } from '../../../core/limits/under-way.ts';
import { noLessons } from '../../../functions/runtime/share-budget.ts';

const nowMs = 1_000_000;
const { instances: bucket } = buckets;
const asks = (group: string, instances: number): Ask => ({
  ...{ group, by: `d-${group}`, bucket: 'createFleet', calls: 1, instances },
  need: { urgency: 'missing', size: 10 },
});
const left = (budget: AccountBudget, inMs: number): number => levelAt(budget, 'instances', nowMs + inMs);

describe('instances that turns have given, and that EC2 has not taken from its bucket yet', () => {
  test('leave a full bucket full, so it refills only once EC2 has taken them', () => {
    const { budget } = shareOut(emptyBudget, [asks('a', 600), asks('b', 200)], nowMs);
    expect(budget.underWay).toEqual([{ atMs: nowMs, instances: 800 }]);
    expect([0, 1_000, 2_000, 3_000].map((inMs) => left(budget, inMs))).toEqual([200, 200, 200, 202]);
    // Each write keeps what is under way, and forgets it afterwards.
    const later = shareOut(budget, [asks('c', 100)], nowMs + 1_500).budget;
    expect(later.underWay).toEqual([
      { atMs: nowMs, instances: 800 },
      { atMs: nowMs + 1_500, instances: 100 },
    ]);
    expect([2_000, 3_500, 4_500].map((inMs) => left(later, inMs))).toEqual([100, 103, 105]);
    expect(shareOut(later, [], nowMs + 3_600).budget.underWay).toEqual([]);
  });

  test('do not keep a bucket from refilling that has room for them', () => {
    const level = { tokens: 100, atMs: nowMs };
    const underWay = [{ atMs: nowMs, instances: 300 }];
    expect(tokensBeside(bucket, level, underWay, nowMs + 1_000)).toBe(102);
    expect(tokensBeside(bucket, { tokens: 699, atMs: nowMs }, underWay, nowMs + 1_500)).toBe(700);
    expect(tokensBeside(bucket, { tokens: 699, atMs: nowMs }, underWay, nowMs + 3_000)).toBe(702);
    expect(tokensBeside(bucket, undefined, [], nowMs)).toBe(1_000);
  });

  test('count no longer when EC2 has refused them, the earliest first', () => {
    const underWay = [
      { atMs: nowMs, instances: 40 },
      { atMs: nowMs + 1, instances: 60 },
    ];
    expect(withoutRefused(underWay, 50)).toEqual([{ atMs: nowMs + 1, instances: 50 }]);
    expect(withoutRefused(underWay, 200)).toEqual([]);
    const { budget } = shareOut(emptyBudget, [asks('a', 100)], nowMs);
    const refused = withLessons(budget, { ...noLessons, unspent: { instances: 100 } }, nowMs + 1_600);
    expect([refused.underWay, left(refused, 1_600)]).toEqual([[], 1_000]);
    // What another group has under way is still in EC2's bucket.
    const both = shareOut(shareOut(emptyBudget, [asks('a', 100)], nowMs).budget, [asks('b', 50)], nowMs + 1_500).budget;
    expect(left(withLessons(both, { ...noLessons, unspent: { instances: 100 } }, nowMs + 2_500), 2_500)).toBe(950);
  });

  test('count for two seconds, and not at all with a time of a wrong clock', () => {
    const at = (atMs: number) => underWayNow([{ atMs, instances: 1 }], nowMs).length;
    expect([nowMs - 2_000, nowMs - 1_999, nowMs + 1_999, nowMs + 60_000].map(at)).toEqual([0, 1, 1, 0]);
  });
});
