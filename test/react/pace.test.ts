import { expect, test } from 'vitest';
import { admitAgainMs } from '../../functions/react/act.ts';

test('an admission that failed is repeated soon where the group is alone, and later the more groups are beside it', () => {
  expect([1, 8, 20, 50].map(admitAgainMs)).toEqual([2_000, 2_000, 5_000, 12_500]);
});
