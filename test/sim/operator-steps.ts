import { launchByHand } from './by-hand.ts';
import type { Step } from './situation.ts';
import type { Stage } from './stage.ts';
import { interrupt, some } from './steps.ts';

const asgOf = ({ sandbox: { world } }: Stage, asg: string) => world.snapshot().autoScalingGroups.find(({ name }) => name === asg);

/** The user lowers the desired capacity by one, as far as the minimum allows: the group ends a member of its own choice. */
export const lowerDesired = (atMs: number, asg: string): Step => ({
  kind: 'desired-lowered',
  atMs,
  what: `the user sets the desired capacity of ${asg} one lower`,
  about: { asg },
  happen: async (stage) => {
    stage.did({ kind: 'desired-lowered', asgs: [asg] });
    const { desired, min } = asgOf(stage, asg) ?? { desired: 0, min: 0 };
    if (desired > min) await stage.operate('autoscaling', 'SetDesiredCapacity', { AutoScalingGroupName: asg, DesiredCapacity: desired - 1 });
  },
});

/** The user moves a bound of an Auto Scaling group: from then on it is theirs, whatever it was before. */
export const moveBound = (atMs: number, asg: string, bound: 'min' | 'max', by: number): Step => ({
  kind: 'bound-moved',
  atMs,
  what: `the user moves the ${bound}imum of ${asg} by ${by}`,
  about: { asg },
  happen: async (stage) => {
    stage.did({ kind: 'bound-moved', asgs: [asg] });
    const now = asgOf(stage, asg);
    if (now === undefined) return;
    const wanted = bound === 'max' ? Math.max(now.desired, now.max + by) : Math.min(now.desired, Math.max(0, now.min + by));
    stage.operated.bounds.set(asg, { ...stage.operated.bounds.get(asg), [bound]: wanted });
    await stage.operate('autoscaling', 'UpdateAutoScalingGroup', {
      AutoScalingGroupName: asg,
      [bound === 'max' ? 'MaxSize' : 'MinSize']: wanted,
    });
  },
});

/** The user tries to delete an Auto Scaling group, by force with all its members. Auto Scaling may refuse it: then the user lets it be. */
export const deleteAsg = (atMs: number, asg: string, force: boolean): Step => ({
  kind: 'asg-deleted',
  atMs,
  what: `the user deletes ${asg}${force ? ' by force' : ''}`,
  about: { asg },
  happen: async (stage) => {
    const done = await stage.attempt('autoscaling', 'DeleteAutoScalingGroup', { AutoScalingGroupName: asg, ForceDelete: force });
    if (done !== undefined) stage.did({ kind: 'asg-deleted', asgs: [asg] });
  },
});

const described = async (stage: Stage, asg: string) => {
  const input = { AutoScalingGroupName: asg };
  const {
    AutoScalingGroups: [group],
  } = (await stage.operate('autoscaling', 'DescribeAutoScalingGroups', { AutoScalingGroupNames: [asg] })) as {
    readonly AutoScalingGroups: readonly Readonly<Record<string, unknown>>[];
  };
  const hooks = (await stage.operate('autoscaling', 'DescribeLifecycleHooks', input)) as { readonly LifecycleHooks: readonly object[] };
  return group && { ...group, LifecycleHookSpecificationList: hooks.LifecycleHooks };
};

/** The user deletes an Auto Scaling group by force, with all its members, and creates one of the same name and settings later. */
export const recreateAsg = (atMs: number, asg: string, afterMs: number): Step => ({
  kind: 'asg-deleted',
  atMs,
  lastsMs: afterMs,
  what: `the user deletes ${asg} by force, and creates it again after ${afterMs / 1_000} s`,
  about: { asg },
  happen: async (stage) => {
    const found = await described(stage, asg);
    if (found === undefined) return;
    await deleteAsg(atMs, asg, true).happen(stage);
    stage.sandbox.clock.after(afterMs, async () => {
      stage.did({ kind: 'asg-created', asgs: [asg] });
      await stage.operate('autoscaling', 'CreateAutoScalingGroup', found);
    });
  },
});

/** The user turns Capacity Rebalancing of an Auto Scaling group on, or off. */
export const setRebalancing = (atMs: number, asg: string, isOn: boolean): Step => ({
  kind: 'asg-setting-changed',
  atMs,
  what: `the user turns Capacity Rebalancing of ${asg} ${isOn ? 'on' : 'off'}`,
  about: { asg },
  happen: async (stage) => {
    stage.did({ kind: 'asg-setting-changed', asgs: [asg] });
    if (asgOf(stage, asg) === undefined) return;
    await stage.operate('autoscaling', 'UpdateAutoScalingGroup', { AutoScalingGroupName: asg, CapacityRebalance: isOn });
  },
});

type Policy = { readonly LaunchTemplate: object; readonly InstancesDistribution?: object };

/** The mixed instances policy of a group with these weights. A group with a plain launch template gets one of the same market. */
const weighed = (group: Readonly<Record<string, unknown>>, weights: Weights | undefined): Policy => {
  const { LaunchTemplate: plain, MixedInstancesPolicy: mixed } = group as {
    readonly LaunchTemplate?: { readonly LaunchTemplateName: string };
    readonly MixedInstancesPolicy?: { readonly LaunchTemplate: { readonly Overrides: readonly { readonly InstanceType: string }[] } };
  };
  const types = mixed === undefined ? ['m7g.large', 'm6g.large'] : mixed.LaunchTemplate.Overrides.map(({ InstanceType }) => InstanceType);
  const Overrides = types.map((InstanceType) => ({ InstanceType, ...(weights && { WeightedCapacity: String(weights[InstanceType] ?? 1) }) }));
  if (mixed !== undefined) return { ...mixed, LaunchTemplate: { ...mixed.LaunchTemplate, Overrides } };
  const isSpot = plain?.LaunchTemplateName === 'plain-spot';
  return {
    LaunchTemplate: { LaunchTemplateSpecification: { LaunchTemplateName: 'web', Version: '$Default' }, Overrides },
    InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: isSpot ? 0 : 100, SpotAllocationStrategy: 'price-capacity-optimized' },
  };
};

/** What an instance of each type counts. */
export type Weights = Readonly<Record<string, number>>;

/**
 * The user gives the instance types of an Auto Scaling group weights, or takes them away. `times`: in the same call its desired and its maximum size become
 * so many times what they are.
 */
export const setWeights = (atMs: number, asg: string, weights: Weights | undefined, times?: number): Step => ({
  kind: 'asg-setting-changed',
  atMs,
  what: `the user ${weights === undefined ? 'takes the weights of' : `gives weights (${Object.values(weights).join(' and ')}) to`} ${asg}${
    times === undefined ? '' : `, with ${times} times its sizes`
  }`,
  about: { asg },
  happen: async (stage) => {
    stage.did({ kind: 'asg-setting-changed', asgs: [asg] });
    const found = await described(stage, asg);
    const now = asgOf(stage, asg);
    if (found === undefined || now === undefined) return;
    const max = Math.round(now.max * (times ?? 1));
    const sizes = times === undefined ? {} : { MaxSize: max, DesiredCapacity: Math.min(max, Math.max(now.min, Math.round(now.desired * times))) };
    if (times !== undefined) stage.operated.bounds.set(asg, { ...stage.operated.bounds.get(asg), max });
    await stage.operate('autoscaling', 'UpdateAutoScalingGroup', {
      AutoScalingGroupName: asg,
      MixedInstancesPolicy: weighed(found, weights),
      ...sizes,
    });
  },
});

/** The user suspends a process of an Auto Scaling group, and resumes it after this time. */
export const suspend = (atMs: number, asg: string, process: string, forMs: number): Step => ({
  kind: 'process-suspended',
  atMs,
  what: `the user suspends ${process} of ${asg} for ${forMs / 1_000} s`,
  about: { asg, process },
  happen: async (stage) => {
    stage.did({ kind: 'process-suspended', asgs: [asg] });
    const { suspended = [] } = stage.sandbox.world.snapshot().autoScalingGroups.find(({ name }) => name === asg) ?? {};
    // Only the owner suspends this one, and finds it suspended. What Holdfast suspends too, the owner may not have seen.
    if (process === 'AZRebalance' && suspended.includes(process)) return;
    const input = { AutoScalingGroupName: asg, ScalingProcesses: [process] };
    await stage.operate('autoscaling', 'SuspendProcesses', input);
    stage.sandbox.clock.after(forMs, async () => void (await stage.operate('autoscaling', 'ResumeProcesses', input)));
  },
});

/** The user writes a tag of their own on members, or takes one of ours away. The tag of the group stays: without it a member is nobody's. */
export const tagMembers = (atMs: number, count: number, remove?: string, group = 'web'): Step => ({
  kind: remove === undefined ? 'tagged' : 'tag-removed',
  atMs,
  what: remove === undefined ? `the user tags ${count} members` : `the user takes the tag ${remove} from ${count} members`,
  about: { group },
  happen: async (stage) => {
    const Resources = some(stage, count, undefined, group);
    stage.did({ kind: remove === undefined ? 'tagged' : 'tag-removed', instances: Resources, groups: [group] });
    if (Resources.length === 0) return;
    if (remove === undefined) await stage.operate('ec2', 'CreateTags', { Resources, Tags: [{ Key: 'owner', Value: 'web' }] });
    else await stage.operate('ec2', 'DeleteTags', { Resources, Tags: [{ Key: remove }] });
  },
});

const stopRunning = async (stage: Stage): Promise<number> => {
  const running = stage.sandbox.executions().filter(({ status }) => status === 'RUNNING');
  for (const { name, arn } of running) {
    stage.operated.stopped.add(name);
    await stage.operate('states', 'StopExecution', { executionArn: arn });
  }
  return running.length;
};

/** How long the user waits for a drain to stop. */
const patienceMs = 28_000;

/** EC2 takes an instance, and the user stops the drains that run, or else the first that begins soon after. */
export const stopDrains = (atMs: number, group = 'web'): Step => ({
  kind: 'drains-stopped',
  atMs,
  what: 'EC2 takes a spot instance in 120 s, and the user stops drains',
  about: { group },
  happen: async (stage) => {
    stage.did({ kind: 'drains-stopped', groups: [group] });
    const { clock } = stage.sandbox;
    await interrupt(atMs, 1, undefined, group).happen(stage);
    const untilMs = clock.now() + patienceMs;
    const look = async (): Promise<void> => {
      if ((await stopRunning(stage)) === 0 && clock.now() < untilMs) clock.after(1_000, look);
    };
    return look();
  },
});

/** The user ends members through their Auto Scaling group and lets it replace them. */
export const replaceThroughAsg = (atMs: number, count: number, group = 'web'): Step => ({
  kind: 'replaced-through-asg',
  atMs,
  what: `the user has ${count} members replaced by their Auto Scaling group`,
  about: { group },
  happen: async (stage) => {
    const wanted = some(stage, count, undefined, group);
    const members = stage.sandbox.world.snapshot().autoScalingGroups.flatMap(({ instances }) => instances);
    const found = members.filter(({ id, lifecycleState }) => lifecycleState === 'InService' && wanted.includes(id));
    for (const { id } of found) {
      stage.did({ kind: 'replaced-through-asg', instances: [id], groups: [group] });
      await stage.operate('autoscaling', 'TerminateInstanceInAutoScalingGroup', { InstanceId: id, ShouldDecrementDesiredCapacity: false });
    }
  },
});

/** Somebody launches an instance that carries the tag of the group, in no pool of it and by nobody's reservation. */
export const launchStray = (atMs: number, group = 'web'): Step => ({
  kind: 'stray-launched',
  atMs,
  what: `somebody launches an instance with the tag of ${group}, in no pool of it`,
  about: { group },
  happen: async (stage) => {
    const instances = await launchByHand(stage, 'subnet-a', { 'holdfast:group': `holdfast/${group}` });
    if (instances.length > 0) stage.did({ kind: 'stray-launched', instances, groups: [group] });
  },
});
