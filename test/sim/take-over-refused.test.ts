import { expect, test } from 'vitest';
import { scripted } from './audit/scripted.ts';
import { firstLaunch } from './first-launch.ts';
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
  const { violations, afterMs } = await firstLaunch(one, 'LaunchInstances');
  expect(violations).toEqual([]);
  expect(afterMs).toBeLessThan(75_000);
});
