import { expect, test } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { isFunction } from '../../sandbox/judge/world/life.ts';
import { scripted } from './audit/scripted.ts';
import { breakBoots } from './capacity-steps.ts';
import { killZone } from './ending-steps.ts';
import { play } from './play.ts';
import { type SettingOptions, settingOf, zones } from './worlds.ts';

const [zone] = zones;
const size = 6;

/** The members of a zone die, and for so long everything that is launched there ends before it runs. */
const playDying = async (holding: 'attach' | 'launch-instances', forMs: number, options: SettingOptions = {}) => {
  const situation = scripted(900_000)('refills die', settingOf(holding, { size, market: 'spot', ...options }), {
    asked: { web: { size } },
    steps: [breakBoots(1_000, forMs, { zone }, 'dies'), killZone(2_000, zone)],
  });
  const { history, violations } = await play(situation);
  const chronicle = chronicleOf(history);
  const { readyAtMs, endedAtMs } = history;
  const serving = (atMs: number) => chronicle.membersAt('web', atMs).filter((life) => chronicle.servesAt(life, atMs)).length;
  const launched = chronicle.lives.filter(({ launchedAtMs }) => launchedAtMs > readyAtMs);
  return {
    violations,
    servingAfter: (seconds: number) => serving(readyAtMs + 1_000 * seconds),
    atEnd: chronicle.membersAt('web', endedAtMs).length,
    own: launched.filter(({ by }) => isFunction(by)).length,
    refills: launched.filter(({ by }) => by.kind === 'asg').length,
  };
};

test.each(['attach', 'launch-instances'] as const)('%s: the gap of a group whose own launches die for long is taken over', async (holding) => {
  const told = await playDying(holding, 840_000);
  expect(told.violations).toEqual([]);
  // 90 seconds from the first launch of the group itself, and the time of a launch and of one that fails before it.
  expect([90, 210, 800].map(told.servingAfter)).toEqual([4, size, size]);
  expect(told.atEnd).toBe(size);
  expect(told.own).toBeLessThan(10);
  expect(told.refills).toBeLessThan(30);
});

test.each(['attach', 'launch-instances'] as const)('%s: launches of a group that come up again within its time are waited for', async (holding) => {
  const told = await playDying(holding, 70_000);
  expect(told.violations).toEqual([]);
  expect(told.own).toBe(0);
  expect(told.atEnd).toBe(size);
});

test.each(['attach', 'launch-instances'] as const)('%s: no member is left over when they come up as their gap is taken over', async (holding) => {
  const told = await playDying(holding, 112_000);
  expect(told.violations).toEqual([]);
  expect([told.servingAfter(240), told.atEnd]).toEqual([size, size]);
});

test('replacements stay although the minimum size keeps what the group launches and what dies', async () => {
  const told = await playDying('attach', 840_000, { min: size, max: size });
  expect(told.violations).toEqual([]);
  expect([210, 800].map(told.servingAfter)).toEqual([size, size]);
  expect(told.own).toBeLessThan(12);
});
