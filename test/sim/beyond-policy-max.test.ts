import { expect, test } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { isFunction } from '../../sandbox/judge/world/life.ts';
import { setBy } from './outside-steps.ts';
import { play } from './play.ts';
import { interrupt, recommendRebalance } from './steps.ts';
import { settingOf } from './worlds.ts';

const asg = 'web-asg';
const policy = { size: { from: 'asg', min: 0, max: 7 }, rebalance: { act: true } };

test.each([
  ['takes', interrupt],
  ['advises to replace', recommendRebalance],
])('members beyond the maximum of the policy that EC2 %s are replaced by their Auto Scaling group', async (_, loses) => {
  const { spec, policy: document } = settingOf('attach', { size: 6, max: 20, market: 'spot', policy });
  const steps = [setBy(1_000, { kind: 'person', asg, wants: [{ atSeconds: 0, value: 9 }] }, 5_000), loses(240_000, 2)];
  const { history, violations } = await play({
    name: 'members beyond the maximum of the policy',
    seed: 1,
    spec,
    policies: [document],
    asked: { web: { size: 6 } },
    steps,
    calmAtMs: 900_000,
    restWithinMs: 600_000,
  });
  expect(violations).toEqual([]);
  const { lives, cloud } = chronicleOf(history);
  expect(lives.filter(({ by, launchedAtMs }) => isFunction(by) && launchedAtMs > history.readyAtMs)).toEqual([]);
  expect(cloud.asgAt(asg, history.endedAtMs)?.desired).toBe(9);
  expect(lives.filter((life) => life.stays.some((stay) => stay.asg === asg && stay.untilMs > history.endedAtMs))).toHaveLength(9);
});
