import { describe, expect, it } from 'vitest';
import { asMap, fieldOf, isDeeperThan, isLargerThan, valueAt } from '../../core/policy/reading.ts';

describe('a document of any content', () => {
  it('counts its texts, names and values, each value once more than its text', () => {
    const counts = (document: unknown, size: number) => {
      expect([isLargerThan(document, size), isLargerThan(document, size - 1)]).toEqual([false, true]);
    };
    counts('abc', 4);
    counts(7, 1);
    counts({ ab: 'c', d: [1, 2] }, 1 + 3 + 2 + 1 + 2);
    counts(['a', null, ['bc']], 1 + 2 + 1 + 1 + 3);
  });

  it('counts a value again wherever it is referred to, and stops at the bound', () => {
    const shared = { text: 'xyz' };
    expect([isLargerThan([shared, shared], 1 + 2 * 9), isLargerThan([shared, shared], 2 * 9)]).toEqual([false, true]);
    const endless: unknown[] = [];
    endless.push(endless);
    expect(isLargerThan(endless, 1_000)).toBe(true);
  });

  it('nests as deep as its maps and lists do', () => {
    const nested = { a: [{ b: 'text' }], c: null };
    expect([isDeeperThan(nested, 2), isDeeperThan(nested, 1), isDeeperThan('text', 0), isDeeperThan([null, 1, 'a'], 0)]).toEqual([
      false,
      true,
      false,
      false,
    ]);
    const endless: Record<string, unknown> = {};
    endless.itself = endless;
    expect(isDeeperThan(endless, 50)).toBe(true);
  });

  it('is read along a path, and a missing value is absent', () => {
    expect([valueAt({ a: [{ b: 1 }] }, ['a', 0, 'b']), valueAt({ a: 1 }, ['a', 0, 'b']), fieldOf({}, 'toString'), asMap([])]).toEqual([
      1,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
