import { expect, test } from 'vitest';
import { lineageOf } from '../../sandbox/platform/functions/lineage.ts';
import { play } from './play.ts';
import { recommendRebalance } from './steps.ts';
import { settingOf } from './worlds.ts';

/** A group that waits asks to be looked at again, by a message that the function sends to itself: each look is one call more in the same chain. */
test('a slow rebalance of one member at a time goes on past the length at which Lambda stops a chain by default', async () => {
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
  expect(Math.max(...chains)).toBeGreaterThan(16);
});
