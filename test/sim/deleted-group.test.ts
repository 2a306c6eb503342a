import { describe, expect, it } from 'vitest';
import type { AutoScalingGroupSpec } from '../../sandbox/world/spec.ts';
import { scripted } from './audit/scripted.ts';
import { deleteAsg } from './operator-steps.ts';
import { play } from './play.ts';
import { deletePolicy, interrupt, setSpot } from './steps.ts';
import { settingOf, zones } from './worlds.ts';

type Protection = NonNullable<AutoScalingGroupSpec['deletionProtection']>;

const asg = 'web-asg';
/** Before and after the replacements have joined, and after the group was let go. */
const [beforeJoinMs, servingMs, letGoMs] = [12_000, 90_000, 360_000];

/** Two of six members are replaced on demand in a group that others size. Its owner tries to delete it by force at one of three times, or at each. */
const situation = (deletionProtection: Protection, timesMs: readonly number[]) => {
  const size = { from: 'asg', min: 0, max: 20 };
  const { spec, policy } = settingOf('attach', { size: 6, max: 20, min: 0, market: 'spot', policy: { size } });
  const groups = (spec.autoScalingGroups ?? []).map((group) => (group.name === asg ? { ...group, deletionProtection } : group));
  const deletions = timesMs.map((atMs) => deleteAsg(atMs, asg, true));
  return scripted(900_000)(
    `deletion protection ${deletionProtection}`,
    { spec: { ...spec, autoScalingGroups: groups }, policy },
    {
      asked: { web: { size: 6, ...(deletionProtection === 'none' && { endsAt: 0 }) } },
      steps: [setSpot(500, zones, 0), interrupt(1_000, 2), ...deletions, ...(timesMs.includes(letGoMs) ? [deletePolicy(300_000)] : [])],
    },
  );
};

const playDeleted = async (deletionProtection: Protection, timesMs: readonly number[]) => {
  const refused: string[] = [];
  let [left, running, shown]: [unknown, number, unknown] = [undefined, -1, undefined];
  const { violations } = await play(situation(deletionProtection, timesMs), {
    onReady: ({ sandbox }) =>
      sandbox.callLog.observe(({ operation, outcome, caller }) => {
        if (operation === 'DeleteAutoScalingGroup') refused.push(`${caller} ${outcome}`);
      }),
    onEnd: ({ sandbox: { world }, groupOf }) => {
      const { autoScalingGroups, instances } = world.snapshot();
      const found = autoScalingGroups.find(({ name }) => name === asg);
      left = found && { min: found.min, max: found.max, desired: found.desired, suspended: found.suspended };
      running = instances.filter(({ id, state }) => state === 'running' && groupOf(id) === 'web').length;
      const described = world.services.find(({ service }) => service === 'autoscaling')?.operations.DescribeAutoScalingGroups;
      shown = described?.({ AutoScalingGroupNames: [asg] }, { kind: 'operator' });
    },
  });
  return { violations, refused, left, running, shown };
};

describe('an Auto Scaling group that others size', () => {
  it.each(['prevent-force-deletion', 'prevent-all-deletion'] as const)(
    'with deletion protection %s is kept and left as it was found',
    async (level) => {
      const told = await playDeleted(level, [beforeJoinMs, servingMs, letGoMs]);
      expect(told.violations).toEqual([]);
      expect(told.refused).toEqual(Array.from({ length: 3 }, () => 'operator ValidationError'));
      expect(told.left).toEqual({ min: 0, max: 20, desired: 6, suspended: [] });
      expect(told.running).toBe(6);
      expect(told.shown).toMatchObject({ AutoScalingGroups: [{ DeletionProtection: level }] });
    },
  );

  it.each([
    ['before the replacements of its members join', beforeJoinMs],
    ['while all of them serve', servingMs],
  ])('and that its owner deletes by force %s has no instance after that', async (_, atMs) => {
    const told = await playDeleted('none', [atMs]);
    expect(told.violations).toEqual([]);
    expect(told.refused).toEqual(['operator ok']);
    expect(told.left).toBeUndefined();
    expect(told.running).toBe(0);
  });
});
