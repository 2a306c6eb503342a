import { env, items } from '../../functions/contract.ts';
import { toItem } from '../../sandbox/platform/tables/plain-items.ts';
import { withArns } from '../../sandbox/scenario/perform.ts';
import type { Step } from './situation.ts';
import type { Stage } from './stage.ts';

const noticeMs = 120_000;

/** EC2 takes all spot instances of a zone, and has no more there. */
export const loseZone = (atMs: number, zone: string, instanceType = 'm7g.large'): Step => ({
  atMs,
  what: `${zone} loses its spot capacity`,
  happen: ({ sandbox }) => void sandbox.world.setOffering({ instanceType, zone, market: 'spot' }, { capacity: 0, reclaim: { noticeMs } }),
});

const some = (stage: Stage, count: number, market?: string): readonly string[] =>
  stage
    .members('web', market === undefined ? {} : { market })
    .filter(({ state }) => state === 'running')
    .slice(0, count)
    .map(({ id }) => id);

export const interrupt = (atMs: number, count: number, givenMs = noticeMs): Step => ({
  atMs,
  what: `EC2 takes ${count} spot instances in ${givenMs / 1_000} s`,
  happen: (stage) => void stage.sandbox.world.interrupt(some(stage, count, 'spot'), { noticeMs: givenMs }),
});

/** The user ends members with EC2 alone, past their group. */
export const endThroughEc2 = (atMs: number, count: number): Step => ({
  atMs,
  what: `the user ends ${count} members through EC2`,
  happen: async (stage) => {
    const InstanceIds = some(stage, count);
    for (const id of InstanceIds) stage.watched.endedByScript(id);
    if (InstanceIds.length > 0) await stage.operate('ec2', 'TerminateInstances', { InstanceIds });
  },
});

/** The warning of one instance comes a second time, as EventBridge may deliver it. */
export const warnAgain = (atMs: number): Step => ({
  atMs,
  what: 'one warning comes again',
  happen: ({ sandbox, watched }) => {
    const [warned] = [...watched.lives.values()].filter(({ warnedAtMs, goneAtMs }) => warnedAtMs !== undefined && goneAtMs === undefined);
    sandbox.emitEvent({
      source: 'aws.ec2',
      'detail-type': 'EC2 Spot Instance Interruption Warning',
      detail: { 'instance-id': warned?.instance, 'instance-action': 'terminate' },
    });
  },
});

export const recommendRebalance = (atMs: number, count: number): Step => ({
  atMs,
  what: `EC2 recommends to rebalance ${count} instances`,
  happen: (stage) => void stage.sandbox.world.recommendRebalance(some(stage, count, 'spot')),
});

/** Instances fail without any warning: the youngest, so that one that is still pending comes first. */
export const kill = (atMs: number, count: number): Step => ({
  atMs,
  what: `${count} instances die`,
  happen: (stage) => {
    for (const { id } of stage.members('web').toReversed().slice(0, count)) {
      stage.watched.endedByScript(id);
      stage.sandbox.world.kill(id);
    }
  },
});

export const alarm = (atMs: number, alarmName: string): Step => ({
  atMs,
  what: `alarm ${alarmName}`,
  happen: ({ sandbox }) =>
    sandbox.emitEvent({
      source: 'aws.cloudwatch',
      'detail-type': 'CloudWatch Alarm State Change',
      detail: {
        alarmName,
        state: { value: 'ALARM', reason: 'Threshold Crossed', timestamp: new Date(sandbox.clock.now()).toISOString() },
        previousState: { value: 'OK', reason: 'Within bounds', timestamp: new Date(sandbox.clock.now() - 60_000).toISOString() },
        configuration: { metrics: [] },
      },
    }),
});

/** Members in service of one Auto Scaling group, as many as it may lose without falling below its minimum. */
const spareInAsg = ({ sandbox: { world } }: Stage, candidates: readonly string[]) => {
  const { autoScalingGroups } = world.snapshot();
  const group = autoScalingGroups.find(({ instances }) => instances.some(({ id }) => candidates.includes(id)));
  const inService = group?.instances.filter(({ id, lifecycleState }) => lifecycleState === 'InService' && candidates.includes(id)) ?? [];
  const spare = Math.max(0, (group?.desired ?? 0) - (group?.min ?? 0));
  return { name: group?.name, instances: inService.map(({ id }) => id).slice(0, spare) };
};

/** The user ends members through their Auto Scaling group, so that its terminating hook waits for Holdfast. */
export const endThroughAsg = (atMs: number, count: number): Step => ({
  atMs,
  what: `the user ends ${count} members through their Auto Scaling group`,
  happen: async (stage) => {
    const { name: AutoScalingGroupName, instances: InstanceIds } = spareInAsg(stage, some(stage, count));
    if (InstanceIds.length === 0) return;
    for (const id of InstanceIds) stage.watched.endedByScript(id);
    await stage.operate('autoscaling', 'TerminateInstanceInAutoScalingGroup', {
      AutoScalingGroupName,
      InstanceIds,
      ShouldDecrementDesiredCapacity: true,
    });
  },
});

export const putPolicy = (atMs: number, document: Readonly<Record<string, unknown>>, what = 'the policy changes'): Step => ({
  atMs,
  what,
  happen: ({ sandbox }) => sandbox.putPolicy(withArns(sandbox as never, document)),
});

/** The user deletes the policy: its group is let go, and its instances run on. */
export const deletePolicy = (atMs: number): Step => ({
  atMs,
  what: 'the policy is deleted',
  happen: async (stage) => {
    const { variables } = stage.sandbox.platform.functions.specs.find(({ variables }) => variables[env.groupsTable] !== undefined) ?? {};
    await stage.operate('dynamodb', 'DeleteItem', {
      TableName: variables?.[env.groupsTable],
      Key: toItem({ group: 'web', item: items.policy }),
    });
  },
});

export const setSpot = (atMs: number, zones: readonly string[], capacity: number): Step => ({
  atMs,
  what: `spot capacity of ${zones.join(', ')} is ${capacity}`,
  happen: ({ sandbox }) => {
    for (const zone of zones) sandbox.world.setOffering({ instanceType: 'm7g.large', zone, market: 'spot' }, { capacity });
  },
});

/** How long after a loss its replacements are looked for: they take at least five seconds from pending to running. */
const pendingAfterMs = [4_000, 8_000, 12_000];

/** EC2 takes instances, and what is launched in their place dies on its way up. */
export const killPending = (atMs: number, count: number): Step => {
  const { what, happen } = interrupt(atMs, count);
  return {
    atMs,
    what: `${what}; what is launched for them dies while it is pending`,
    happen: async (stage) => {
      await happen(stage);
      const kill = (): void => {
        for (const { id, state } of stage.members('web').slice(-count)) {
          if (state !== 'pending') continue;
          stage.watched.endedByScript(id);
          stage.sandbox.world.kill(id);
        }
      };
      for (const afterMs of pendingAfterMs) stage.sandbox.clock.after(afterMs, kill);
    },
  };
};

/** The user raises the desired capacity of the group's Auto Scaling group, as far as its maximum allows. */
export const raiseDesired = (atMs: number, asg: string): Step => ({
  atMs,
  what: `the user sets the desired capacity of ${asg} one higher`,
  happen: async (stage) => {
    const { desired, max } = stage.sandbox.world.snapshot().autoScalingGroups.find(({ name }) => name === asg) ?? { desired: 0, max: 0 };
    if (desired < max) await stage.operate('autoscaling', 'SetDesiredCapacity', { AutoScalingGroupName: asg, DesiredCapacity: desired + 1 });
  },
});

/** Each zone gives a little of what is asked: launches are answered in part. */
export const fewEverywhere = (atMs: number, zones: readonly string[]): Step => ({
  atMs,
  what: 'every zone has room for one more spot instance',
  happen: ({ sandbox }) => {
    for (const { zone, market, used, instanceType } of sandbox.world.snapshot().offerings) {
      if (market === 'spot' && zones.includes(zone)) sandbox.world.setOffering({ instanceType, zone, market }, { capacity: used + 1 });
    }
  },
});
