import { expect, it } from 'vitest';
import type { AsgEvent } from '../../sandbox/judge/history.ts';
import { weightSituations } from '../mutants/weight-situations.ts';
import { play } from './play.ts';

/** What became of the desired capacity and the maximum of the group, and which instances Holdfast launched. */
const played = async (name: keyof typeof weightSituations) => {
  const { history, violations } = await play(weightSituations[name]());
  const changes = history.events.filter((event): event is AsgEvent => event.kind === 'asg-changed' && event.asg === 'web-asg');
  const launched = history.events.filter((event) => event.kind === 'launched' && event.by.kind === 'function' && event.atMs > history.readyAtMs);
  return { violations, most: Math.max(...changes.map(({ desired }) => desired)), last: changes.at(-1), launched: launched.length };
};

it.each([
  ['weights come while members are on their way', { most: 24, launched: 2 }, { desired: 18, max: 60 }],
  ['weights come to a group at its maximum', { most: 24, launched: 2 }, { desired: 18, max: 18 }],
  ['weights come while what an attach added stays', { most: 8, launched: 2 }, { desired: 6, max: 20 }],
  ['weights go while what an attach added stays', { most: 30, launched: 14 }, { desired: 18, max: 60 }],
  ['weights go, and a look comes at once', { most: 18, launched: 0 }, { desired: 18, max: 60 }],
  ['paused and smaller while members are on their way', { most: 6, launched: 2 }, { desired: 3, max: 20 }],
] as const)('%s: the size that others set stands', async (name, found, numbers) => {
  const { violations, last, ...rest } = await played(name);
  expect(violations).toEqual([]);
  expect(last).toMatchObject({ ...numbers, suspended: ['AZRebalance'] });
  expect(rest).toEqual(found);
});
