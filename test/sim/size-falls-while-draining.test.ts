import { expect, test } from 'vitest';
import { scripted } from './audit/scripted.ts';
import { befalls } from './member-steps.ts';
import { play } from './play.ts';
import { alarm, recommendRebalance } from './steps.ts';
import { settingOf } from './worlds.ts';

/** EC2 takes one member that works. */
const takeOneServing = (atMs: number) =>
  befalls(atMs, { kind: 'interrupted', what: 'EC2 takes a member that works', health: 'healthy', most: 1 }, (world, instances) =>
    world.interrupt(instances, { noticeMs: 120_000 }),
  );

test('with drain-first, a member that is lost after a scale-in is replaced at once, although others still drain', async () => {
  const policy = {
    size: { min: 1, max: 10, desired: 5 },
    rebalance: { act: true },
    drain: { timeout: '20m' },
    swap: { order: 'drain-first', maxSurge: 2 },
    scaling: [{ alarm: 'low', adjust: '-2', cooldown: '1m' }],
  };
  const setting = settingOf('tag', { size: 5, delaySeconds: 1_200, policy });
  const steps = [recommendRebalance(2_000, 2), alarm(60_000, 'low'), takeOneServing(120_000)];
  const one = scripted(3_600_000)('the size falls while members drain', setting, { asked: { web: { size: 5 } }, steps });
  expect((await play(one)).violations).toEqual([]);
});
