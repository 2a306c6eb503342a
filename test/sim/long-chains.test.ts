import { expect, test } from 'vitest';
import { lineageOf } from '../../sandbox/platform/functions/lineage.ts';
import { play } from './play.ts';
import { recommendRebalance } from './steps.ts';
import { settingOf } from './worlds.ts';

/**
 * A group that waits is looked at again by a message that the function sends to itself: each look is one call more in the same chain. Lambda stops a
 * chain after about sixteen calls by default. Looks at what takes long become rare, and a tick begins a new chain. So these chains stay shorter, and
 * that `react` allows longer ones is for storms.
 */
test('a slow rebalance of one member at a time makes chains that Lambda would not stop', async () => {
  const { spec, policy } = settingOf('tag', {
    size: 2,
    bootSeconds: [190, 200],
    policy: { rebalance: { act: true }, swap: { order: 'launch-first', maxSurge: 1 } },
  });
  const chains: number[] = [];
  const { violations } = await play(
    {
      name: 'a slow rebalance',
      seed: 1,
      spec,
      policies: [policy],
      asked: { web: { size: 2, endsAt: 2 } },
      steps: [recommendRebalance(1_000, 2)],
      calmAtMs: 61_000,
      restWithinMs: 3_600_000,
    },
    {
      onEnd: ({ sandbox }) =>
        void chains.push(
          ...sandbox
            .invocations()
            .filter(({ functionName }) => functionName === 'holdfast-react')
            .map(({ event }) => lineageOf(event).get('holdfast-react') ?? 0),
        ),
    },
  );
  expect(violations).toEqual([]);
  expect(Math.max(...chains)).toBeGreaterThan(5);
  expect(Math.max(...chains)).toBeLessThan(16);
});
