import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import { rename } from '../edit-steps.ts';
import type { Situation, Step } from '../situation.ts';
import { endThroughAsg, interrupt, loseZone, putPolicy } from '../steps.ts';
import { type Setting, settingOf, zones } from '../worlds.ts';
import { scripted } from './scripted.ts';

const of = scripted(600_000);

const six = { web: { size: 6, endsAt: 6 } };

/** From one moment to another nobody may change an Auto Scaling group. */
const unchangeable = (fromMs: number, untilMs: number): FaultInput => ({
  on: 'call',
  kind: 'throttle',
  match: { operation: 'UpdateAutoScalingGroup' },
  fromMs,
  untilMs,
});

const onSpotAlone = { capacity: { spread: ['spot-a', 'spot-b', 'spot-c'] } };
const lastingHook = [{ name: 'drain', transition: 'terminating', heartbeatSeconds: 3_600, defaultResult: 'CONTINUE' }] as const;

/** The user attaches a new member as soon as it runs, before Holdfast does. For a while, describes do not show that. */
const attachNew = (atMs: number): Step => ({
  kind: 'attached',
  atMs,
  what: 'the user attaches a new member',
  about: { group: 'web', asg: 'web-asg' },
  happen: async (stage) => {
    const fresh = () => stage.members('web').filter(({ state, asg }) => state === 'running' && asg === undefined);
    while (fresh().length === 0) await stage.sandbox.clock.sleep(100);
    const InstanceIds = fresh()
      .slice(0, 1)
      .map(({ id }) => id);
    stage.did({ kind: 'attached', instances: InstanceIds, groups: ['web'], asgs: ['web-asg'] });
    await stage.operate('autoscaling', 'AttachInstances', { AutoScalingGroupName: 'web-asg', InstanceIds });
  },
});

/** A world with one more Auto Scaling group like the one that members are attached to, empty. */
const withNextAsg = ({ spec, policy }: Setting): Setting => {
  const next = spec.autoScalingGroups.filter(({ name }) => name === 'web-asg').map((asg) => ({ ...asg, name: 'next-asg', min: 0, desired: 0 }));
  return { spec: { ...spec, autoScalingGroups: [...spec.autoScalingGroups, ...next] }, policy };
};

const withMaxima = ({ spec, policy }: Setting, max: number): Setting => ({
  spec: { ...spec, autoScalingGroups: spec.autoScalingGroups.map((asg) => (asg.name === 'strangers' ? asg : { ...asg, max })) },
  policy,
});

const without = (policy: Setting['policy'], dropped: string): Setting['policy'] => ({
  ...policy,
  capacity: { tiered: [{ spread: ['spot-b', 'spot-c'] }, { spread: ['od-b', 'od-c'] }] },
  pools: Object.fromEntries(Object.entries(policy.pools as object).filter(([name]) => name !== dropped)),
});

const renamed = (name: string, raises: number, later: readonly Step[]): Situation => {
  const setting = settingOf('attach', { spot: 12, hooks: lastingHook, policy: onSpotAlone });
  const renames = rename(raises, setting.policy, 'api', 3_000);
  return of(name, setting, { asked: { web: { size: 6 } }, steps: [interrupt(1_000, 3), renames, ...later] });
};

/** Situations in which the audit saw a fault, by what goes wrong in them. */
export const holding: Readonly<Record<string, () => Situation>> = {
  'a second raise never comes about': () =>
    of('a second raise never comes about', settingOf('attach', { spot: 12 }), {
      asked: six,
      steps: [interrupt(1_000, 2), interrupt(30_000, 1)],
      faults: [unchangeable(29_000, 240_000)],
      calmAtMs: 250_000,
    }),
  'a group gets another name, then a member is warned': () =>
    renamed('a group gets another name, then a member is warned', 200_000, [interrupt(240_000, 4, 120_000, 'api')]),
  'a group gets another name, then a member is ended with a hook': () =>
    renamed('a group gets another name, then a member is ended with a hook', 200_000, [endThroughAsg(240_000, 2, 'api')]),
  'a group gets another name while a maximum is raised': () =>
    renamed('a group gets another name while a maximum is raised', 30_000, [interrupt(36_000, 2, 120_000, 'api')]),
  'a pool is dropped, then its zone is lost': () => {
    const { spec, policy } = settingOf('launch-instances', { spot: 12 });
    const dropped = putPolicy(1_000, without(policy, 'spot-a'), 'the policy drops a pool', 'pools-edited');
    return of('a pool is dropped, then its zone is lost', { spec, policy }, { asked: six, steps: [dropped, loseZone(120_000, zones[0])] });
  },
  'the policy moves to another Auto Scaling group while a maximum is raised': () => {
    const setting = withNextAsg(settingOf('attach', { spot: 12, min: 0 }));
    const moves = putPolicy(25_000, { ...setting.policy, asg: 'next-asg' }, 'the policy names another Auto Scaling group', 'asg-edited');
    return of('the policy moves to another Auto Scaling group while a maximum is raised', setting, {
      asked: six,
      steps: [interrupt(1_000, 2), moves],
      restWithinMs: 1_800_000,
    });
  },
  'a zone is lost where maxima are small': () =>
    of('a zone is lost where maxima are small', withMaxima(settingOf('launch-instances', { spot: 12 }), 2), {
      asked: six,
      steps: [loseZone(1_000, zones[0])],
    }),
  'the user attaches one of two new members': () => {
    const always = { pendingSeconds: [10, 10], asgLagSeconds: [60, 60] } as const;
    return of('the user attaches one of two new members', settingOf('attach', { spot: 12, max: 10, ...always, policy: onSpotAlone }), {
      asked: six,
      steps: [interrupt(1_000, 2), attachNew(2_000)],
    });
  },
  'EC2 stops what it takes': () =>
    of('EC2 stops what it takes', settingOf('tag', { spot: 12 }), {
      asked: six,
      steps: [interrupt(1_000, 2, 120_000, 'web', 'stop'), interrupt(200_000, 1, 0, 'web', 'hibernate')],
      restWithinMs: 900_000,
    }),
};
