import { expect, test } from 'vitest';
import { scripted } from './audit/scripted.ts';
import { play } from './play.ts';
import { interrupt, setSpot } from './steps.ts';
import { settingOf, zones } from './worlds.ts';

test('where a user forbids to suspend processes, warned members of a group whose size others set are replaced all the same', async () => {
  const forbidden = {
    on: 'call',
    kind: 'error',
    code: 'AccessDenied',
    status: 403,
    untilMs: 600_000,
    match: { operation: 'SuspendProcesses' },
  } as const;
  const options = { size: 6, max: 20, market: 'spot', policy: { size: { from: 'asg', min: 0, max: 20 } } } as const;
  const one = scripted(900_000)('no process can be suspended', settingOf('attach', options), {
    asked: { web: { size: 6 } },
    steps: [setSpot(500, zones, 0), interrupt(1_000, 2)],
    faults: [forbidden],
  });
  const launchedAtMs: number[] = [];
  let upAtMs = 0;
  const { violations } = await play(one, {
    onReady: ({ sandbox }) => {
      upAtMs = sandbox.clock.now();
      sandbox.callLog.observe(({ operation, outcome }) => {
        if (operation === 'CreateFleet' && outcome === 'ok') launchedAtMs.push(sandbox.clock.now());
      });
    },
  });
  expect(violations).toEqual([]);
  expect((launchedAtMs[0] ?? Number.POSITIVE_INFINITY) - upAtMs).toBeLessThan(10_000);
});
