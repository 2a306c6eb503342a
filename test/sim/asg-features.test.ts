import { describe, expect, it } from 'vitest';
import type { AutoScalingGroupSpec } from '../../sandbox/world/spec.ts';
import { scripted } from './audit/scripted.ts';
import { setBy } from './outside-steps.ts';
import { play } from './play.ts';
import { interrupt, putPolicy, setSpot } from './steps.ts';
import { settingOf, templatesFor, withPlainTemplate } from './worlds.ts';

const asg = 'web-asg';
type Feature = Partial<AutoScalingGroupSpec>;

/** A group that others size, with a feature of its own. */
const settingWith = (feature: Feature) => {
  const size = { from: 'asg', min: 0, max: 20 };
  const { spec, policy } = settingOf('attach', { size: 4, max: 20, min: 0, market: feature.market ?? 'spot', policy: { size } });
  const autoScalingGroups = (spec.autoScalingGroups ?? []).map((group) => {
    if (group.name !== asg) return group;
    return feature.isPlain === true ? withPlainTemplate({ ...group, ...feature }) : { ...group, ...feature };
  });
  return { spec: { ...spec, autoScalingGroups, launchTemplates: templatesFor(autoScalingGroups) }, policy };
};

/** Spot is gone, EC2 takes one member, and a person sets the size from four to six. */
const playWith = async (feature: Feature) => {
  let group: { readonly desired: number; readonly inService: number; readonly suspended: readonly string[] } | undefined;
  const one = scripted(900_000)('a feature of an Auto Scaling group', settingWith(feature), {
    asked: { web: { size: 4, endsAt: 6 } },
    steps: [
      setSpot(500, ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'], 0),
      interrupt(1_000, 1),
      setBy(180_000, { kind: 'person', asg, wants: [{ atSeconds: 0, value: 6 }] }, 5_000),
    ],
    calmAtMs: 420_000,
  });
  const { violations, history } = await play(one, {
    onEnd: ({ sandbox: { world } }) => {
      const found = world.snapshot().autoScalingGroups.find(({ name }) => name === asg);
      const inService = found?.instances.filter(({ lifecycleState }) => lifecycleState === 'InService').length ?? 0;
      group = found && { desired: found.desired, inService, suspended: found.suspended };
    },
  });
  const launched = history.events.flatMap((event) => (event.kind === 'launched' && event.atMs > history.readyAtMs ? [event.by.kind] : []));
  return { violations, group, launched };
};

const six = { desired: 6, inService: 6 };

describe('a group that others size is served', () => {
  it.each([
    ['a plain launch template', { isPlain: true }],
    ['a mixed instances policy of both markets', { market: 'mixed' }],
    ['members that are protected from scale-in', { protectsNew: true }],
  ] as const)('with %s', async (_, feature) => {
    const { violations, group } = await playWith(feature);
    expect(violations).toEqual([]);
    expect(group).toEqual({ ...six, suspended: [] });
  });

  it('while its owner has suspended Launch for good: Holdfast launches everything, and leaves it suspended', async () => {
    const { violations, group, launched } = await playWith({ suspended: ['Launch'] });
    expect(violations).toEqual([]);
    expect(group).toEqual({ ...six, suspended: ['Launch'] });
    expect(new Set(launched)).toEqual(new Set(['function']));
  });
});

it.each([
  ['with a warm pool', { warmPool: { size: 1, state: 'Stopped' } }],
  ['with Capacity Rebalancing', { market: 'mixed', rebalancesCapacity: true }],
  ['whose sizes count the weights of instance types', { market: 'mixed', weights: { 'm7g.large': 2 } }],
] as const)('a group that others size is refused by name: %s', async (named, feature) => {
  const { spec, policy } = settingWith(feature);
  let items: readonly Record<string, unknown>[] = [];
  await play(
    {
      name: named,
      seed: 1,
      spec,
      policies: [],
      asked: {},
      steps: [
        putPolicy(1_000, policy),
        {
          kind: 'policy-edited',
          atMs: 60_000,
          what: 'somebody reads the status',
          happen: async ({ sandbox }) => {
            items = await sandbox.items('groups');
          },
        },
      ],
      calmAtMs: 61_000,
      restWithinMs: 600_000,
    },
    {},
  );
  const text = JSON.stringify(items.filter(({ item }) => item === 'status'));
  expect(text).toContain(named);
  expect(text).toContain('rejected');
});
