import type { Violation } from './invariants.ts';
import { play } from './play.ts';
import type { Situation } from './situation.ts';

/** How long after its members were up a world sees the first launch by this operation, and what it breaks. */
export const firstLaunch = async (one: Situation, by: string): Promise<{ readonly violations: readonly Violation[]; readonly afterMs: number }> => {
  const launchedAtMs: number[] = [];
  let upAtMs = 0;
  const { violations } = await play(one, {
    onReady: ({ sandbox }) => {
      upAtMs = sandbox.clock.now();
      sandbox.callLog.observe(({ operation, outcome }) => {
        if (operation === by && outcome === 'ok') launchedAtMs.push(sandbox.clock.now());
      });
    },
  });
  return { violations, afterMs: (launchedAtMs[0] ?? Number.POSITIVE_INFINITY) - upAtMs };
};
