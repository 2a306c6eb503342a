import { expect, test } from 'vitest';
import { floodTable } from './flood-table.ts';
import { withoutPaths } from './listen.ts';
import { canary } from './nasties.ts';

test('hundreds of writes of every kind each get a status, change no existing group, and stay out of the logs', async () => {
  const flooded = await floodTable(400, 1);
  expect(flooded.unanswered).toEqual([]);
  expect(flooded.statuses.accepted).toBeGreaterThan(15);
  expect(flooded.statuses.rejected).toBeGreaterThan(200);
  expect(flooded.inForceAfter).toEqual(flooded.inForceBefore);
  expect(flooded.after).toEqual(flooded.before);
  expect(flooded).toMatchObject({ failures: [], left: 0, deadLetters: 0, polluted: false });
  expect(flooded.logged).toContain('Policy rejected');
  expect(withoutPaths(flooded.logged)).not.toContain(canary);
}, 90_000);
