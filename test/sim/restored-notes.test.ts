import { expect, test } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { scripted } from './audit/scripted.ts';
import { noCapacity } from './capacity-steps.ts';
import { play } from './play.ts';
import { interrupt } from './steps.ts';
import { restoreState } from './table-steps.ts';
import { settingOf, zones } from './worlds.ts';

/** Others set the size. Spot is gone for good and takes two members with it, so Holdfast attaches two on demand. */
const setting = settingOf('attach', { size: 6, max: 20, market: 'spot', policy: { size: { from: 'asg', min: 0, max: 20 } } });
const lost = [noCapacity(500, 840_000, ['spot'], zones), interrupt(1_000, 2)];

/** For a minute, Auto Scaling does not take off what attaching added. */
const busy = {
  ...({ on: 'call', kind: 'error', code: 'ScalingActivityInProgress', match: { operation: 'UpdateAutoScalingGroup' } } as const),
  ...{ fromMs: 0, untilMs: 60_000 },
};

test.each([
  ['is restored while processes are suspended', restoreState(500, 11_500), { suspended: 3, desired: 6 }, []],
  ['is emptied while processes are suspended', restoreState(12_000, 'empty'), { suspended: 3, desired: 6 }, []],
  ['is restored while attaching has added to the size', restoreState(500, 44_500), { suspended: 3, desired: 8 }, [busy]],
  ['is emptied while attaching has added to the size', restoreState(45_000, 'empty'), { suspended: 3, desired: 8 }, [busy]],
] as const)('what Holdfast changed in a group whose size others set is put back, although the table %s', async (_, restored, before, faults) => {
  const { history, violations } = await play(
    scripted(900_000)('the table lacks notes', setting, {
      asked: { web: { size: 6 } },
      steps: [...lost, restored],
      faults: [...faults],
      calmAtMs: 300_000,
    }),
  );
  const { cloud } = chronicleOf(history);
  const restoredAtMs = history.events.find((event) => event.kind === 'step' && event.step === 'state-restored')?.atMs ?? 0;
  const found = cloud.asgAt('web-asg', restoredAtMs);
  expect({ suspended: found?.suspended.length, desired: found?.desired }).toEqual(before);
  expect(violations).toEqual([]);
  expect(cloud.asgAt('web-asg', history.endedAtMs)).toMatchObject({ suspended: ['AZRebalance'], desired: 6 });
});
