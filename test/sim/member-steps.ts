import { launchByHand } from './by-hand.ts';
import type { Step } from './situation.ts';
import type { Stage } from './stage.ts';
import { some } from './steps.ts';

type Befalling = {
  readonly kind: Step['kind'];
  readonly what: string;
  /** What some target group shows of the members. */
  readonly health: string;
  /** At most so many of them. Absent: all. */
  readonly most?: number;
};

/** Something happens to members of `web` that are in this state in a target group. */
export const befalls = (
  atMs: number,
  { kind, what, health, most = Number.POSITIVE_INFINITY }: Befalling,
  act: (world: Stage['sandbox']['world'], instances: readonly string[]) => void,
): Step => ({
  kind,
  atMs,
  what,
  about: {},
  happen: (stage) => {
    const { world } = stage.sandbox;
    const instances = world
      .snapshot()
      .instances.filter(({ id, targets }) => stage.groupOf(id) === 'web' && Object.values<string>(targets).includes(health))
      .map(({ id }) => id)
      .slice(0, most);
    stage.did({ kind, instances, groups: ['web'] });
    act(world, instances);
  },
});

type Members = { readonly asg: string; readonly instances: readonly string[] };

/** Members in service of the Auto Scaling group that most of the group's oldest members are in. */
const inService = (stage: Stage, count: number, group: string): Members | undefined => {
  const wanted = new Set(some(stage, Number.POSITIVE_INFINITY, undefined, group));
  const asgs = stage.sandbox.world.snapshot().autoScalingGroups.map(({ name, instances }) => ({
    asg: name,
    instances: instances.filter(({ id, lifecycleState }) => lifecycleState === 'InService' && wanted.has(id)).map(({ id }) => id),
  }));
  const largest = asgs.toSorted((a, b) => b.instances.length - a.instances.length)[0];
  return largest === undefined || largest.instances.length === 0 ? undefined : { asg: largest.asg, instances: largest.instances.slice(0, count) };
};

/** The user puts members into standby and takes them back after a while. Whether the group launches others meanwhile is the user's choice. */
export const standBy = (atMs: number, count: number, forMs: number, replaces: boolean, group = 'web'): Step => ({
  kind: 'standby-entered',
  atMs,
  lastsMs: forMs,
  what: `the user puts ${count} members into standby for ${forMs / 1_000} s${replaces ? ', to be replaced' : ''}`,
  about: { group },
  happen: async (stage) => {
    const found = inService(stage, count, group);
    if (found === undefined) return stage.did({ kind: 'standby-entered', groups: [group] });
    const { asg, instances } = found;
    const input = { AutoScalingGroupName: asg, InstanceIds: instances };
    stage.did({ kind: 'standby-entered', instances, groups: [group], asgs: [asg] });
    const entered = await stage.attempt('autoscaling', 'EnterStandby', { ...input, ShouldDecrementDesiredCapacity: !replaces });
    if (entered === undefined) return;
    stage.sandbox.clock.after(forMs, async () => {
      stage.did({ kind: 'standby-left', instances, groups: [group], asgs: [asg] });
      await stage.attempt('autoscaling', 'ExitStandby', input);
    });
  },
});

/** The user takes members out of their Auto Scaling group; they run on, and are no longer the group's. */
export const detach = (atMs: number, count: number, replaces: boolean, group = 'web'): Step => ({
  kind: 'detached',
  atMs,
  what: `the user detaches ${count} members${replaces ? ', to be replaced' : ''}`,
  about: { group },
  happen: async (stage) => {
    const { asg, instances } = inService(stage, count, group) ?? { instances: [] };
    stage.did({ kind: 'detached', instances, groups: [group], asgs: asg === undefined ? [] : [asg] });
    if (asg === undefined) return;
    const input = { AutoScalingGroupName: asg, InstanceIds: instances, ShouldDecrementDesiredCapacity: !replaces };
    const detached = await stage.attempt('autoscaling', 'DetachInstances', input);
    if (detached !== undefined) for (const instance of instances) stage.watched.takenOut(instance);
  },
});

/** The user attaches an instance of their own to an Auto Scaling group; it must run first. */
export const attachStray = (atMs: number, asg: string, group = 'web'): Step => ({
  kind: 'attached',
  atMs,
  lastsMs: 30_000,
  what: `the user launches an instance and attaches it to ${asg}`,
  about: { group, asg },
  happen: async (stage) => {
    const instances = await launchByHand(stage, 'subnet-b');
    if (instances.length === 0) return;
    stage.did({ kind: 'stray-launched', instances, asgs: [asg] });
    stage.sandbox.clock.after(20_000, async () => {
      stage.did({ kind: 'attached', instances, groups: [group], asgs: [asg] });
      await stage.attempt('autoscaling', 'AttachInstances', { AutoScalingGroupName: asg, InstanceIds: instances });
    });
  },
});

/** The user protects members: from scale-in where an Auto Scaling group holds them, from termination where EC2 is to keep them. */
export const protect = (atMs: number, count: number, from: 'scale-in' | 'termination', forMs: number | undefined, group = 'web'): Step => ({
  kind: 'protected',
  atMs,
  lastsMs: forMs ?? 0,
  what: `the user protects ${count} members from ${from}${forMs === undefined ? '' : ` for ${forMs / 1_000} s`}`,
  about: { group },
  happen: async (stage) => {
    const set = from === 'scale-in' ? protectInAsg(stage, count, group) : protectInEc2(stage, count, group);
    await set(true);
    if (forMs !== undefined) stage.sandbox.clock.after(forMs, () => set(false));
  },
});

const protectInAsg = (stage: Stage, count: number, group: string) => {
  const found = inService(stage, count, group);
  return async (isOn: boolean): Promise<void> => {
    stage.did({ kind: 'protected', instances: found?.instances ?? [], groups: [group], asgs: found === undefined ? [] : [found.asg] });
    if (found === undefined) return;
    const input = { AutoScalingGroupName: found.asg, InstanceIds: found.instances, ProtectedFromScaleIn: isOn };
    await stage.attempt('autoscaling', 'SetInstanceProtection', input);
  };
};

/** EC2 protects no spot instance. */
const protectInEc2 = (stage: Stage, count: number, group: string) => {
  const instances = some(stage, count, 'on-demand', group);
  return async (isOn: boolean): Promise<void> => {
    stage.did({ kind: 'protected', instances, groups: [group] });
    for (const InstanceId of instances) {
      await stage.attempt('ec2', 'ModifyInstanceAttribute', { InstanceId, DisableApiTermination: { Value: isOn } });
    }
  };
};

/** The user puts a hook on an Auto Scaling group, and takes it away after a while. */
export const hookFor = (
  atMs: number,
  asg: string,
  transition: 'launching' | 'terminating',
  heartbeatSeconds: number,
  defaultResult: 'CONTINUE' | 'ABANDON',
  forMs: number,
): Step => ({
  kind: 'hook-put',
  atMs,
  lastsMs: forMs,
  what: `the user puts a ${transition} hook of ${heartbeatSeconds} s (${defaultResult}) on ${asg} for ${forMs / 1_000} s`,
  about: { asg },
  happen: async (stage) => {
    const hook = { AutoScalingGroupName: asg, LifecycleHookName: `by-hand-${transition}` };
    stage.did({ kind: 'hook-put', asgs: [asg] });
    await stage.attempt('autoscaling', 'PutLifecycleHook', {
      ...hook,
      LifecycleTransition: `autoscaling:EC2_INSTANCE_${transition.toUpperCase()}`,
      HeartbeatTimeout: heartbeatSeconds,
      DefaultResult: defaultResult,
    });
    stage.sandbox.clock.after(forMs, async () => {
      stage.did({ kind: 'hook-removed', asgs: [asg] });
      await stage.attempt('autoscaling', 'DeleteLifecycleHook', hook);
    });
  },
});

/** Members' software stops answering, and after a while answers again where the instance still runs. */
export const stopServing = (atMs: number, count: number, forMs: number, group = 'web'): Step => ({
  kind: 'serving-broken',
  atMs,
  lastsMs: forMs,
  what: `${count} members stop answering for ${forMs / 1_000} s`,
  about: { group },
  happen: (stage) => {
    const instances = some(stage, count, undefined, group);
    const set = (isServing: boolean): void => {
      stage.did({ kind: 'serving-broken', instances, groups: [group] });
      stage.sandbox.world.setServing(instances, isServing);
    };
    set(false);
    stage.sandbox.clock.after(forMs, () => set(true));
  },
});
