import { expect, test } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { otherSizes, outsideOnes } from '../../sandbox/judge/rules/size/outside.ts';
import { scripted } from './audit/scripted.ts';
import { play } from './play.ts';
import { interrupt, setSpot } from './steps.ts';
import { settingOf, zones } from './worlds.ts';

/** A scaler that reads the group as often sees an error once at most. */
const scalerPeriodMs = 10_000;

const dies = { on: 'call', kind: 'crash-caller', when: 'after', times: 1 } as const;
/** Nobody says that members run. So only planned looks, and messages that come again, find what an attach added. */
const unheard = { on: 'event', kind: 'drop', match: { detailType: 'EC2 Instance State-change Notification' } } as const;

/** What a world breaks in which the function dies after its attach, and the longest time above the set size. */
const longestAboveMs = async () => {
  const options = { size: 6, max: 20, market: 'spot', policy: { size: { from: 'asg', min: 0, max: 20 } } } as const;
  const one = scripted(600_000)('functions die while members join', settingOf('attach', options), {
    asked: { web: { size: 6 } },
    steps: [setSpot(500, zones, 0), interrupt(1_000, 2)],
    faults: [{ ...dies, match: { operation: 'AttachInstances' } }, unheard],
  });
  const { history, violations } = await play(one);
  const chronicle = chronicleOf(history);
  const spans = outsideOnes(chronicle).flatMap((outside) => otherSizes(chronicle, outside));
  return { violations, aboveMs: Math.max(0, ...spans.map(({ fromMs, untilMs }) => untilMs - fromMs)) };
};

test('what an attach added is taken off within a scaler’s period, although the function dies after the attach', async () => {
  const { violations, aboveMs } = await longestAboveMs();
  expect(violations).toEqual([]);
  expect(aboveMs).toBeGreaterThan(1_000);
  expect(aboveMs).toBeLessThan(scalerPeriodMs);
});
