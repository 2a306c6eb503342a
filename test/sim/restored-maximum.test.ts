import { expect, test } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { scripted } from './audit/scripted.ts';
import { play } from './play.ts';
import { lastingAlarm } from './steps.ts';
import { restoreState } from './table-steps.ts';
import { settingOf } from './worlds.ts';

const ownMax = 5;
const setting = settingOf('attach', {
  size: { min: 1, max: 10, desired: ownMax },
  spot: 12,
  max: ownMax,
  policy: {
    scaling: [
      { alarm: 'high', adjust: '+1', cooldown: '10m' },
      { alarm: 'low', adjust: '-1', cooldown: '1m' },
    ],
  },
});

test.each([
  ['is restored', [restoreState(4_000, 56_000)]],
  ['is emptied', [restoreState(60_000, 'empty')]],
] as const)('a raised maximum is put back, although the table %s while it is raised', async (_, restored) => {
  const { history, violations } = await play(
    scripted(600_000)('the table lacks a raise', setting, {
      asked: { web: { size: ownMax } },
      steps: [lastingAlarm(6_000, 'high', 10_000), ...restored, lastingAlarm(120_000, 'low', 10_000)],
      calmAtMs: 200_000,
    }),
  );
  const { cloud } = chronicleOf(history);
  expect(violations).toEqual([]);
  expect(Math.max(...cloud.asgChanges('web-asg').map(({ max }) => max))).toBeGreaterThan(ownMax);
  expect(cloud.asgAt('web-asg', history.endedAtMs)?.max).toBe(ownMax);
});
