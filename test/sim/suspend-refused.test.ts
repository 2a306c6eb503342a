import { expect, test } from 'vitest';
import { scripted } from './audit/scripted.ts';
import { firstLaunch } from './first-launch.ts';
import { suspend } from './operator-steps.ts';
import { interrupt, kill, setSpot } from './steps.ts';
import { settingOf, zones } from './worlds.ts';

const forbidden = {
  on: 'call',
  kind: 'error',
  code: 'AccessDenied',
  status: 403,
  untilMs: 600_000,
  match: { operation: 'SuspendProcesses' },
} as const;
const options = { size: 6, max: 20, market: 'spot', policy: { size: { from: 'asg', min: 0, max: 20 } } } as const;

test('where a user forbids to suspend processes, warned members of a group whose size others set are replaced all the same', async () => {
  const one = scripted(900_000)('no process can be suspended', settingOf('attach', options), {
    asked: { web: { size: 6 } },
    steps: [setSpot(500, zones, 0), interrupt(1_000, 2)],
    faults: [forbidden],
  });
  const { violations, afterMs } = await firstLaunch(one, 'CreateFleet');
  expect(violations).toEqual([]);
  expect(afterMs).toBeLessThan(10_000);
});

test('a process that its owner suspends while Holdfast may not is left suspended', async () => {
  const one = scripted(900_000)('no process can be suspended by Holdfast', settingOf('attach', options), {
    asked: { web: { size: 6 } },
    steps: [setSpot(500, zones, 0), interrupt(1_000, 2), suspend(9_500, 'web-asg', 'Terminate', 1_800_000)],
    faults: [forbidden],
  });
  const { violations } = await firstLaunch(one, 'CreateFleet');
  expect(violations).toEqual([]);
});

test('a desired capacity that Holdfast may not lower costs no look every two seconds', async () => {
  const lowering = { ...forbidden, untilMs: 400_000, match: { operation: 'UpdateAutoScalingGroup' } };
  const one = scripted(900_000)('no desired capacity can be lowered', settingOf('attach', options), {
    asked: { web: { size: 6 } },
    steps: [setSpot(500, zones, 0), interrupt(1_000, 2), kill(100_000, 1)],
    faults: [lowering],
  });
  const { violations, afterMs } = await firstLaunch(one, 'CreateFleet');
  expect(violations).toEqual([]);
  expect(afterMs).toBeLessThan(10_000);
});
