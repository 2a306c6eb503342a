import { expect, it } from 'vitest';
import { auditSituations } from './audit/situations.ts';
import { play } from './play.ts';

// A situation that breaks a rule with the code as it is shows nothing about a fault that is put back.
it.each(Object.entries(auditSituations))('%s: holds with the code as it is', async (_, make) => {
  const { violations } = await play(make());
  expect(violations).toEqual([]);
});
