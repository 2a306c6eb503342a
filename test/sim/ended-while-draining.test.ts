import { expect, test } from 'vitest';
import { scripted } from './audit/scripted.ts';
import { befalls } from './member-steps.ts';
import { play } from './play.ts';
import { recommendRebalance } from './steps.ts';
import { settingOf } from './worlds.ts';

/** Whatever drains at this time dies without a word. */
const killDraining = (atMs: number) =>
  befalls(atMs, { kind: 'died', what: 'members that drain die', health: 'draining' }, (world, instances) => {
    for (const id of instances) world.kill(id);
  });

// At 50 s they die between their deregistration and the look that follows it in the same function.
test.each([50, 51])('when members die from %d s on while they drain by choice, the record of each is true', async (first) => {
  const policy = { rebalance: { act: true }, drain: { timeout: '2m' } };
  const setting = settingOf('tag', { size: 4, delaySeconds: 300, policy });
  const steps = [recommendRebalance(2_000, 2), ...[first, 60, 70, 90, 110].map((second) => killDraining(second * 1_000))];
  const one = scripted(900_000)('members die while they drain for advice', setting, { asked: { web: { size: 4 } }, steps });
  const { violations } = await play(one);
  expect(violations).toEqual([]);
});
