import { expect, test } from 'vitest';
import { knockOnDoor } from './knock.ts';

test('the control door refuses what it cannot read with an error, and keeps running', async () => {
  const { statuses, odd, errors, answersAtLast, huge } = await knockOnDoor(300, 1);
  expect(odd).toEqual([]);
  expect(errors).toEqual([]);
  expect(huge).toBe(400);
  expect(answersAtLast).toBe(200);
  expect(statuses['400']).toBeGreaterThan(100);
}, 60_000);
