import { expect, test } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { outsideSituations } from '../mutants/outside-situations.ts';
import { play } from './play.ts';

test.each(['let go while a function is late to suspend processes', 'renamed while a function is late to suspend processes'] as const)(
  '%s: they are resumed',
  async (name) => {
    const { history, violations } = await play(outsideSituations[name]());
    const suspended = history.events.flatMap((event) => (event.kind === 'asg-changed' && event.asg === 'web-asg' ? event.suspended : []));
    expect(violations).toEqual([]);
    expect(suspended).toContain('Launch');
    expect(chronicleOf(history).cloud.asgAt('web-asg', history.endedAtMs)?.suspended).toEqual([]);
  },
);
