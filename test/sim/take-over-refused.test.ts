import { expect, test } from 'vitest';
import { scripted } from './audit/scripted.ts';
import { play } from './play.ts';
import { interrupt, kill, setSpot } from './steps.ts';
import { settingOf, zones } from './worlds.ts';

test('where a size cannot be lowered, warned members are replaced all the same, and looks stay rare', async () => {
  const down = {
    on: 'call',
    kind: 'error',
    code: 'InternalFailure',
    status: 500,
    untilMs: 600_000,
    match: { operation: 'UpdateAutoScalingGroup' },
  } as const;
  const one = scripted(900_000)('no size can be lowered', settingOf('launch-instances'), {
    asked: { web: { size: 6 } },
    // The group of the killed member finds no spot, and is to be taken over.
    steps: [setSpot(500, zones, 0), kill(1_000, 1), interrupt(60_000, 2), setSpot(600_000, zones, 0)],
    faults: [down],
  });
  const launchedAtMs: number[] = [];
  let upAtMs = 0;
  const { violations } = await play(one, {
    onReady: ({ sandbox }) => {
      upAtMs = sandbox.clock.now();
      sandbox.callLog.observe(({ operation, outcome }) => {
        if (operation === 'LaunchInstances' && outcome === 'ok') launchedAtMs.push(sandbox.clock.now());
      });
    },
  });
  expect(violations).toEqual([]);
  expect((launchedAtMs[0] ?? Number.POSITIVE_INFINITY) - upAtMs).toBeLessThan(75_000);
});
