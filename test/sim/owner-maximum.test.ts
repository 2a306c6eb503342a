import { expect, test } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { outsideSituations } from '../mutants/outside-situations.ts';
import { play } from './play.ts';

test('a maximum that its owner sets stays, although Holdfast had raised it to the same value less than 35 s before', async () => {
  const { history, violations } = await play(outsideSituations['its owner sets the maximum soon to which Holdfast had raised it']());
  const changes = chronicleOf(history).cloud.asgChanges('web-asg');
  const byOwner = changes.findLastIndex(({ by }) => by.kind === 'user');
  const raised = changes.findLast(({ max, by }, index) => index < byOwner && max === 8 && by.kind === 'function');
  expect(violations).toEqual([]);
  expect(changes[byOwner]?.max).toBe(8);
  expect((changes[byOwner]?.atMs ?? 0) - (raised?.atMs ?? 0)).toBeLessThan(35_000);
  expect(chronicleOf(history).cloud.asgAt('web-asg', history.endedAtMs)?.max).toBe(8);
});
