import { describe, expect, it } from 'vitest';
import type { History } from '../../sandbox/judge/history.ts';
import type { AutoScalingGroupSpec } from '../../sandbox/world/spec.ts';
import { scripted } from './audit/scripted.ts';
import { suspend } from './operator-steps.ts';
import { setBy } from './outside-steps.ts';
import { play } from './play.ts';
import type { Step } from './situation.ts';
import { interrupt, putPolicy, recommendRebalance, setSpot } from './steps.ts';
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
const playWith = async (feature: Feature, more: readonly Step[] = []) => {
  let group: { readonly desired: number; readonly inService: number; readonly suspended: readonly string[] } | undefined;
  const one = scripted(900_000)('a feature of an Auto Scaling group', settingWith(feature), {
    asked: { web: { size: 4, endsAt: 6 } },
    steps: [
      setSpot(500, ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'], 0),
      interrupt(1_000, 1),
      setBy(180_000, { kind: 'person', asg, wants: [{ atSeconds: 0, value: 6 }] }, 5_000),
      ...more,
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
  const warnings = history.events.flatMap((event) => (event.kind === 'announced' ? [JSON.stringify(event.detail)] : []));
  return { violations, group, launched, warnings, stored: history.stored };
};

/** The owner of the Auto Scaling group turns a setting on after the policy was accepted. EC2 then advises about two members, and takes two others. */
const playChanged = async (settings: Readonly<Record<string, unknown>>, act: boolean) => {
  const size = { from: 'asg', min: 0, max: 20 };
  const setting = settingOf('attach', { size: 6, max: 24, min: 0, market: 'spot', policy: { size, rebalance: { act } } });
  const turnsOn: Step = {
    kind: 'asg-setting-changed',
    atMs: 1_000,
    what: 'the owner changes the Auto Scaling group',
    happen: async (stage) => {
      stage.did({ kind: 'asg-setting-changed', asgs: [asg] });
      await stage.operate('autoscaling', 'UpdateAutoScalingGroup', { AutoScalingGroupName: asg, ...settings });
    },
  };
  let group: { readonly desired: number; readonly inService: number } | undefined;
  const one = scripted(900_000)('the owner changes the Auto Scaling group', setting, {
    asked: { web: { size: 6 } },
    steps: [turnsOn, recommendRebalance(90_000, 2), interrupt(240_000, 2)],
    calmAtMs: 420_000,
  });
  const { violations, history } = await play(one, {
    onEnd: ({ sandbox: { world } }) => {
      const found = world.snapshot().autoScalingGroups.find(({ name }) => name === asg);
      group = found && {
        desired: found.desired,
        inService: found.instances.filter(({ lifecycleState }) => lifecycleState === 'InService').length,
      };
    },
  });
  const since = history.events.filter(({ atMs }) => atMs > history.readyAtMs);
  const byUs = since.flatMap((event) => (event.kind === 'launched' && event.by.kind === 'function' ? [event.instance] : []));
  const sizes = since.flatMap((event) => (event.kind === 'asg-changed' && event.by.kind === 'function' ? [event.desired] : []));
  const ended = since.flatMap((event) => (event.kind === 'ending' ? [event.instance] : []));
  return { violations, group, byUs, sizes, ended, stored: history.stored };
};

/** Whether a decision remarks that the owner suspends Launch, and whether the state says so at the end. */
const closedIn = ({ states, decisions }: History['stored']) => ({
  remarks: (JSON.stringify(decisions).match(/"asg-unfit","asgs":\[\{"asg":"web-asg","found":\["launch-suspended"\]\}\]/g) ?? []).length,
  state: (states.web as { readonly unfit?: unknown }).unfit,
});

const six = { desired: 6, inService: 6 };

describe('a group that others size is served', () => {
  it.each([
    ['a plain launch template', { isPlain: true }],
    ['a mixed instances policy of both markets', { market: 'mixed' }],
    ['members that are protected from scale-in', { protectsNew: true }],
  ] as const)('with %s', async (_, feature) => {
    const { violations, group } = await playWith(feature);
    expect(violations).toEqual([]);
    expect(group).toEqual({ ...six, suspended: ['AZRebalance'] });
  });

  it('while its owner suspends Launch for two minutes: what Holdfast launches joins once Launch runs again', async () => {
    const { violations, group, launched, stored } = await playWith({}, [suspend(500, asg, 'Launch', 120_000)]);
    expect(violations).toEqual([]);
    expect(group).toEqual({ ...six, suspended: ['AZRebalance'] });
    expect(new Set(launched)).toEqual(new Set(['function']));
    expect(closedIn(stored)).toEqual({ remarks: 1, state: undefined });
  });

  it('and nobody says that its owner suspends Launch where only Holdfast does, at each policy that is written meanwhile either', async () => {
    const { policy } = settingWith({});
    const writes = Array.from({ length: 60 }, (_, index) => putPolicy(2_000 * (index + 1), { ...policy, tags: { write: `${index}` } }));
    const { violations, stored, warnings } = await playWith({}, writes);
    expect(violations).toEqual([]);
    expect(closedIn(stored)).toEqual({ remarks: 0, state: undefined });
    expect(warnings.filter((text) => text.includes('warnings')).length).toBeGreaterThanOrEqual(60);
    expect(warnings.filter((text) => text.includes('suspended Launch'))).toEqual([]);
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

describe('a group that others size, whose owner turns on after acceptance', () => {
  it.each([true, false])('Capacity Rebalancing: it is said, the group keeps its size, and nobody replaces twice (rebalance.act: %s)', async (act) => {
    const { violations, group, ended, stored } = await playChanged({ CapacityRebalance: true }, act);
    expect(violations).toEqual([]);
    expect(group).toEqual({ desired: 6, inService: 6 });
    expect(ended).toHaveLength(4);
    expect(stored.states.web).toMatchObject({ unfit: [{ asg, found: ['capacity-rebalancing'] }] });
    expect(JSON.stringify(stored.decisions)).toContain('asg-unfit');
  });

  it('weights: it is said, and Holdfast launches nothing, ends nobody and sets no size, because nobody can say how many are missing', async () => {
    const LaunchTemplate = {
      LaunchTemplateSpecification: { LaunchTemplateName: 'web', Version: '$Default' },
      Overrides: [{ InstanceType: 'm7g.large', WeightedCapacity: '4' }],
    };
    const InstancesDistribution = { OnDemandPercentageAboveBaseCapacity: 0, SpotAllocationStrategy: 'price-capacity-optimized' };
    const units = { MixedInstancesPolicy: { LaunchTemplate, InstancesDistribution }, DesiredCapacity: 24 };
    const { group, byUs, sizes, ended, stored } = await playChanged(units, true);
    expect({ byUs, sizes: sizes.filter((size) => size !== 24) }).toEqual({ byUs: [], sizes: [] });
    expect(group).toEqual({ desired: 24, inService: 6 });
    expect(ended).toHaveLength(2);
    expect(stored.states.web).toMatchObject({ unfit: [{ asg, found: ['weights'] }] });
  });
});

describe('a group whose owner has suspended Launch for good', () => {
  it.each([
    ['others set the size', { from: 'asg', min: 0, max: 20 }],
    ['the policy sets the size', { min: 0, max: 20, desired: 4 }],
  ])('says so when the policy is accepted and in a decision, where %s', async (_, size) => {
    const setting = settingOf('attach', { size: 4, max: 20, min: 0, market: 'spot', policy: { size } });
    const again = putPolicy(120_000, { ...setting.policy, tags: { write: 'again' } });
    const steps = [suspend(90_000, asg, 'Launch', 3_600_000), again];
    const one = scripted(900_000)('Launch is suspended for good', setting, { asked: { web: { size: 4 } }, steps, calmAtMs: 300_000 });
    const { violations, history } = await play(one, {});
    const accepted = history.events.flatMap((event) => (event.kind === 'announced' && event.atMs > history.readyAtMs ? [event.detail] : []));
    const status = JSON.stringify(accepted);
    expect(violations).toEqual([]);
    expect(status).toContain('whose owner has suspended Launch: no instance can join it');
    expect(status).toContain('aws autoscaling resume-processes --auto-scaling-group-name web-asg --scaling-processes Launch');
    expect(closedIn(history.stored)).toEqual({ remarks: 1, state: [{ asg, found: ['launch-suspended'] }] });
  });
});
