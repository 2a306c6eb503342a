import { describe, expect, test } from 'vitest';
import { onEach } from '../../functions/runtime/drain/on-each.ts';

describe('work on each of many items', () => {
  test('runs as many at once as it may, and returns the results in order', async () => {
    let running = 0;
    let most = 0;
    const results = await onEach([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
      return item * 2;
    });
    expect([results, most]).toEqual([[2, 4, 6, 8, 10, 12, 14], 3]);
  });

  test('goes on after a failure, throws a single one as it is, and several as one that counts them', async () => {
    const done: number[] = [];
    const failing = (...bad: readonly number[]) =>
      onEach([1, 2, 3, 4], 1, async (item) => {
        if (bad.includes(item)) throw new Error(`no ${item}`);
        done.push(item);
      });
    await expect(failing(2)).rejects.toThrow(/^no 2$/);
    expect(done).toEqual([1, 3, 4]);
    await expect(failing(2, 3)).rejects.toThrow('2 of 4 failed, the first with: Error: no 2. The others succeeded.');
  });
});
