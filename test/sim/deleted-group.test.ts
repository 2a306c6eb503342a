import { describe, expect, it } from 'vitest';
import type { AutoScalingGroupSpec } from '../../sandbox/world/spec.ts';
import { scripted } from './audit/scripted.ts';
import { deleteAsg, recreateAsg } from './operator-steps.ts';
import { play } from './play.ts';
import { deletePolicy, endThroughAsg, interrupt, setSpot } from './steps.ts';
import { settingOf, zones } from './worlds.ts';

type Protection = NonNullable<AutoScalingGroupSpec['deletionProtection']>;

const asg = 'web-asg';
const announced = 'Holdfast Auto Scaling Group ';
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
      expect(told.left).toEqual({ min: 0, max: 20, desired: 6, suspended: ['AZRebalance'] });
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

/** Spot is gone and takes two of six members, which are replaced on demand. The owner deletes the Auto Scaling group, for good or for a while. */
const playGone = async (size: object | undefined, atMs: number, backAfterMs?: number) => {
  const deletes = backAfterMs === undefined ? deleteAsg(atMs, asg, true) : recreateAsg(atMs, asg, backAfterMs);
  const one = scripted(900_000)(
    'an Auto Scaling group that is gone',
    settingOf('attach', { size: 6, max: 20, min: 0, market: 'on-demand', ...(size && { policy: { size } }) }),
    {
      asked: { web: { size: 6, ...(backAfterMs === undefined && { endsAt: 0 }) } },
      steps: [setSpot(500, zones, 0), interrupt(1_000, 2), deletes],
      calmAtMs: atMs + (backAfterMs ?? 0) + 180_000,
    },
  );
  // Launches from 15 s after the deletion on, while there is no such group.
  let [running, inVain, goneAtMs] = [-1, 0, Number.POSITIVE_INFINITY];
  const { history, violations } = await play(one, {
    onReady: ({ sandbox }) =>
      sandbox.callLog.observe(({ operation }) => {
        if (operation === 'DeleteAutoScalingGroup') goneAtMs = sandbox.clock.now();
        if (operation === 'CreateAutoScalingGroup') goneAtMs = Number.POSITIVE_INFINITY;
        if (operation === 'CreateFleet' && sandbox.clock.now() > goneAtMs + 15_000) inVain += 1;
      }),
    onEnd: ({ sandbox: { world }, groupOf }) => {
      running = world.snapshot().instances.filter(({ id, state }) => state === 'running' && groupOf(id) === 'web').length;
    },
  });
  const told = history.events.flatMap((event) =>
    event.kind === 'announced' && event.detailType.startsWith(announced) ? [event.detailType.slice(announced.length)] : [],
  );
  return { violations, running, inVain, told };
};

/** Members leave on a hook and have the time of their connections. Their Auto Scaling group is deleted meanwhile. */
const playHeld = async () => {
  const hooks = [{ name: 'drain', transition: 'terminating', heartbeatSeconds: 600, defaultResult: 'CONTINUE' }] as const;
  const one = scripted(900_000)('deleted while hooks wait', settingOf('attach', { size: 6, max: 20, min: 0, market: 'on-demand', hooks }), {
    asked: { web: { size: 6, endsAt: 0 } },
    steps: [endThroughAsg(1_000, 3), deleteAsg(12_000, asg, true)],
  });
  let completions = 0;
  const { violations } = await play(one, {
    onReady: ({ sandbox }) =>
      sandbox.callLog.observe(({ operation }) => {
        if (operation === 'CompleteLifecycleAction') completions += 1;
      }),
  });
  return { violations, completions };
};

describe('an Auto Scaling group that its owner deletes', () => {
  const outside = { from: 'asg', min: 0, max: 20 };

  it('has no hooks left: each drain that waits for one completes it once', async () => {
    expect(await playHeld()).toEqual({ violations: [], completions: 3 });
  });

  it.each([
    ['before members join', beforeJoinMs],
    ['while all serve', servingMs],
  ])('%s gets no more launches where the policy sets the size, and no instance runs on', async (_, atMs) => {
    expect(await playGone(undefined, atMs)).toEqual({ violations: [], running: 0, inVain: 0, told: ['Gone'] });
  });

  it.each([
    ['the policy sets the size', undefined],
    ['others set the size', outside],
  ])('has its members again once it is created anew, where %s', async (_, size) => {
    expect(await playGone(size, servingMs, 120_000)).toEqual({ violations: [], running: 6, inVain: 0, told: ['Gone', 'Back'] });
  });
});

describe('a pool whose Auto Scaling group its owner deletes', () => {
  /** All spot pools are in zone a, which gives the most. Members are lost there every minute. */
  const playPool = async (backAfterMs?: number) => {
    const setting = settingOf('launch-instances', { size: 6, spot: 8 });
    const [first = ''] = Object.values(setting.policy.pools as Readonly<Record<string, { readonly asg: string }>>).map((pool) => pool.asg);
    const one = scripted(900_000)('the Auto Scaling group of a pool is gone', setting, {
      asked: { web: { size: 6 } },
      steps: [
        backAfterMs === undefined ? deleteAsg(30_000, first, true) : recreateAsg(30_000, first, backAfterMs),
        ...[100, 220, 340, 460].map((second) => interrupt(1_000 * second, 2)),
      ],
      calmAtMs: 600_000,
    });
    const { history, violations } = await play(one, {});
    const launches = history.events.flatMap((event) => {
      if (event.kind !== 'called' || event.launch?.asg !== first) return [];
      return [{ atS: (event.askedAtMs - history.readyAtMs) / 1_000, outcome: event.outcome }];
    });
    return { violations, launches, decisions: JSON.stringify(history.stored.decisions) };
  };

  it('is passed over once that is told, and the other pools provide', async () => {
    const { violations, launches, decisions } = await playPool();
    expect(violations).toEqual([]);
    expect(launches.filter(({ atS }) => atS > 60)).toEqual([]);
    expect(decisions).toContain('"code":"asg-gone"');
  });

  it('is used again once there is one of that name', async () => {
    const { violations, launches } = await playPool(120_000);
    expect(violations).toEqual([]);
    expect(launches.filter(({ atS }) => atS > 60 && atS < 150)).toEqual([]);
    expect(launches.filter(({ atS, outcome }) => atS > 150 && outcome === 'ok').length).toBeGreaterThan(0);
  });
});
