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

test('when a member dies while it drains by choice, no record states that Holdfast cut its connections later', async () => {
  const policy = { rebalance: { act: true }, drain: { timeout: '2m' } };
  const setting = settingOf('tag', { size: 4, delaySeconds: 300, policy });
  const steps = [recommendRebalance(2_000, 2), ...[51, 60, 70, 90, 110].map((second) => killDraining(second * 1_000))];
  const one = scripted(900_000)('members die while they drain for advice', setting, { asked: { web: { size: 4 } }, steps });
  const { violations } = await play(one);
  expect(violations).toEqual([]);
});
