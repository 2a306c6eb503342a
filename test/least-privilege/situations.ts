import { groupsDue } from '../../functions/accept-policy/look-up-again.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { alarm, deletePolicy, endThroughAsg, interrupt, loseZone, recommendRebalance } from '../sim/steps.ts';
import { type HoldingKind, type SettingOptions, settingOf, zones } from '../sim/worlds.ts';

type Rest = { readonly steps: readonly Step[]; readonly calmAtMs?: number } & Pick<Partial<Situation>, 'faults' | 'spec' | 'policies'>;

const situation = (name: string, holding: HoldingKind, options: SettingOptions, rest: Rest): Situation => {
  const { spec, policy } = settingOf(holding, options);
  return { name, seed: 1, spec, policies: [policy], asked: { web: { size: 6 } }, calmAtMs: 60_000, restWithinMs: 300_000, ...rest };
};

const slowBoots = (holding: HoldingKind, options: SettingOptions) => {
  const { spec } = settingOf(holding, options);
  return { ...spec, timing: { ...spec.timing, bootSeconds: [80, 90] as const } };
};

/** Auto Scaling groups that look after their members only every few minutes. */
const inattentive = (holding: HoldingKind, options: SettingOptions) => {
  const { spec } = settingOf(holding, options);
  return { ...spec, timing: { ...spec.timing, asgPeriodSeconds: 240 } };
};

const slowTargets = (options: SettingOptions) => {
  const { spec } = settingOf('tag', options);
  return { ...spec, targetGroups: spec.targetGroups.map((group) => ({ ...group, deregistrationDelaySeconds: 600 })) };
};

/** A plain Auto Scaling group: what it launches is in its template alone. */
const plainGroup: Step = {
  kind: 'asg-created',
  atMs: 1_000,
  what: 'the user makes an Auto Scaling group of a template alone, and names it in a policy',
  happen: async ({ operate, sandbox, did }) => {
    did({ kind: 'asg-created', groups: ['plain'], asgs: ['plain'] });
    const LaunchTemplateData = { InstanceType: 'm7g.large', ImageId: 'ami-0123456789abcdef0' };
    await operate('ec2', 'CreateLaunchTemplate', { LaunchTemplateName: 'plain', LaunchTemplateData });
    const sizes = { MinSize: 0, MaxSize: 1, DesiredCapacity: 0 };
    const LaunchTemplate = { LaunchTemplateName: 'plain', Version: '$Default' };
    await operate('autoscaling', 'CreateAutoScalingGroup', {
      AutoScalingGroupName: 'plain',
      ...sizes,
      LaunchTemplate,
      VPCZoneIdentifier: 'subnet-a',
    });
    await sandbox.putPolicy({ group: 'plain', size: 0, capacity: 'only', pools: { only: { asg: 'plain' } } });
  },
};

/** A group whose policy is looked up again a quarter of an hour from now: its name decides about the time of the day. */
const dueSoon: Step = {
  kind: 'policy-edited',
  atMs: 1_000,
  what: 'the user writes the policy of a group that is looked up again soon',
  happen: async ({ sandbox, did }) => {
    const names = Array.from({ length: 2_000 }, (_, index) => `again-${index}`);
    const [group = ''] = groupsDue(names, sandbox.clock.now() + 900_000);
    did({ kind: 'policy-edited', groups: [group] });
    const pool = { market: 'spot', launchTemplate: 'web', subnets: ['subnet-a'], instanceTypes: ['m7g.large'] };
    await sandbox.putPolicy({ group, size: 0, capacity: 'only', pools: { only: pool } });
  },
};

/** Templates that name their image by its id, which runs on Graviton alone. */
const stated = () => {
  const { spec } = settingOf('tag');
  return { ...spec, launchTemplates: spec.launchTemplates.map(({ name }) => ({ name, architecture: 'arm64' as const })) };
};

const elastic = { min: 2, max: 10, desired: 6 };
const scaling = { scaling: [{ alarm: 'low', adjust: '-2', cooldown: '1m' }] };
const act = { rebalance: { act: true } };
const endsNobody = {
  kind: 'error',
  on: 'call',
  code: 'InternalFailure',
  status: 500,
  match: { service: 'autoscaling', operation: 'TerminateInstanceInAutoScalingGroup' },
  untilMs: 60_000,
} as const;
const hooks = [{ name: 'drain', transition: 'terminating', heartbeatSeconds: 30, defaultResult: 'CONTINUE' }] as const;
const cheapest = { capacity: { tiered: [{ cheapest: ['spot-a', 'spot-b', 'spot-c'] }, 'od-b', 'od-c'] } };

/** No drain can begin any more: its end does what is left to do. */
const breakDrains: Step = {
  kind: 'fault-arranged',
  atMs: 500,
  what: 'begin-drain cannot read its swaps',
  happen: ({ sandbox, addFaults, did }) => {
    did({ kind: 'fault-arranged' });
    const caller = sandbox.platform.functions.specs.find(({ name }) => name === 'holdfast-begin-drain')?.role ?? 'none';
    addFaults([{ kind: 'error', on: 'call', code: 'InternalServerError', status: 500, match: { caller, service: 'dynamodb', operation: 'Query' } }]);
  },
};

/** The youngest member, which Holdfast launched and tagged. */
const endYoungest = (atMs: number): Step => ({
  kind: 'ended-through-asg',
  atMs,
  what: 'the user ends the youngest member through its Auto Scaling group',
  happen: async ({ operate, members, did }) => {
    const InstanceId = members('web').at(-1)?.id;
    did({ kind: 'ended-through-asg', instances: InstanceId === undefined ? [] : [InstanceId], groups: ['web'], asgs: ['web-asg'] });
    await operate('autoscaling', 'TerminateInstanceInAutoScalingGroup', { InstanceId, ShouldDecrementDesiredCapacity: true });
  },
});

/** What the workflows of the simulation do not need: less usual policies, late drains, broken ones, members that die. */
export const situations: readonly (() => Situation)[] = [
  () => situation('cheapest', 'tag', { policy: cheapest }, { steps: [loseZone(1_000, zones[0])] }),
  () => situation('let-go', 'tag', {}, { steps: [deletePolicy(1_000)] }),
  () =>
    situation(
      'let-go, then a hook',
      'attach',
      { hooks },
      { steps: [interrupt(1_000, 1), deletePolicy(200_000), endYoungest(210_000)], calmAtMs: 260_000 },
    ),
  () => situation('plain-asg', 'tag', {}, { steps: [plainGroup] }),
  () => situation('looked-up-again', 'tag', {}, { steps: [dueSoon], spec: stated(), calmAtMs: 1_900_000 }),
  () => situation('history', 'tag', {}, { steps: [interrupt(1_000, 1)], calmAtMs: 1_500_000 }),
  () => situation('late-drain', 'tag', {}, { steps: [interrupt(1_000, 2)], spec: slowTargets({}), calmAtMs: 200_000 }),
  () =>
    situation('drain-first', 'tag', { policy: { ...act, swap: { order: 'drain-first', maxSurge: 2 } } }, { steps: [recommendRebalance(1_000, 2)] }),
  () => situation('slow-hook', 'attach', { hooks }, { steps: [endThroughAsg(1_000, 2)], spec: slowBoots('attach', { hooks }), calmAtMs: 200_000 }),
  () => situation('scale-in-attach', 'attach', { size: elastic, policy: scaling }, { steps: [alarm(1_000, 'low')] }),
  () => situation('rebalance-attach', 'attach', { policy: act }, { steps: [recommendRebalance(1_000, 2)] }),
  () => situation('broken-drain', 'tag', {}, { steps: [breakDrains, interrupt(1_000, 2)], calmAtMs: 180_000 }),
  () => situation('broken-drain-attach', 'attach', { min: 0 }, { steps: [breakDrains, interrupt(1_000, 2)], calmAtMs: 180_000 }),
  () => situation('status-checks', 'tag', { policy: { ready: { checks: 'ec2' } } }, { steps: [interrupt(1_000, 2)], calmAtMs: 180_000 }),
  () => situation('taken-at-once', 'attach', { min: 0 }, { steps: [interrupt(1_000, 2, 1_000)], spec: inattentive('attach', { min: 0 }) }),
  () => situation('not-ended', 'attach', { min: 0 }, { steps: [interrupt(1_000, 2)], faults: [endsNobody], calmAtMs: 180_000 }),
  () => situation('taken-at-the-minimum', 'attach', { min: 6 }, { steps: [interrupt(1_000, 2, 6_000)], spec: inattentive('attach', { min: 6 }) }),
];
