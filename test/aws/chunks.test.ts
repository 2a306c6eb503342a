import { expect, test } from 'vitest';
import { chunksByWeight } from '../../aws/calls/chunks.ts';

test.each([
  [
    'as many items as fit by weight',
    [3, 3, 3, 3],
    [
      [3, 3],
      [3, 3],
    ],
  ],
  ['as many items as fit by number', [1, 1, 1, 1], [[1, 1, 1], [1]]],
  ['a heavier item alone', [1, 9, 1], [[1], [9], [1]]],
  ['items without weight beside others', [6, 0, 0, 0], [[6, 0, 0], [0]]],
  ['nothing', [], []],
])('a part of at most three items and a weight of six has %s', (_rule, weights, parts) => {
  expect(chunksByWeight(weights, (weight) => weight, { items: 3, weight: 6 })).toEqual(parts);
});
