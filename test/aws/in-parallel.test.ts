import { expect, test } from 'vitest';
import { chunks } from '../../aws/calls/chunks.ts';
import { allSettled, inParallel } from '../../aws/calls/in-parallel.ts';

test('work is under way for at most so many items at once, and results keep their order', async () => {
  let underWay = 0;
  let most = 0;
  const results = await inParallel([5, 1, 4, 2, 3], 2, async (item, index) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    return `${index}:${item}`;
  });
  expect(results).toEqual(['0:5', '1:1', '2:4', '3:2', '4:3']);
  expect(most).toBe(2);
});

test('after a failure nothing new is begun, what is under way is finished, and the failure is thrown', async () => {
  const finished: number[] = [];
  const run = inParallel([1, 2, 3, 4], 2, async (item) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (item === 1) throw new Error('one failed');
    await new Promise((resolve) => setImmediate(resolve));
    finished.push(item);
  });
  await expect(run).rejects.toThrow('one failed');
  expect(finished).toEqual([2]);
});

test('a failure of work that is under way is thrown when all of it has settled', async () => {
  const finished: string[] = [];
  const slow = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    finished.push('slow');
  };
  await expect(allSettled([Promise.reject(new Error('one failed')), slow()])).rejects.toThrow('one failed');
  expect(finished).toEqual(['slow']);
  await expect(allSettled([Promise.resolve(1), 'two'])).resolves.toEqual([1, 'two']);
});

test('parts are as large as allowed, in order, and none is empty', () => {
  expect(chunks([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(chunks([], 2)).toEqual([]);
});
