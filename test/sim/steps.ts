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

/** The user ends a member through its Auto Scaling group, so that its terminating hook waits for Holdfast. */
export const endThroughAsg = (atMs: number, count: number): Step => ({
  atMs,
  what: `the user ends ${count} members through their Auto Scaling group`,
  happen: async (stage) => {
    const InstanceIds = some(stage, count);
    for (const id of InstanceIds) stage.watched.endedByScript(id);
    if (InstanceIds.length === 0) return;
    const AutoScalingGroupName = stage.sandbox.world.snapshot().instances.find(({ id }) => id === InstanceIds[0])?.asg?.name;
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

export const setSpot = (atMs: number, zones: readonly string[], capacity: number): Step => ({
  atMs,
  what: `spot capacity of ${zones.join(', ')} is ${capacity}`,
  happen: ({ sandbox }) => {
    for (const zone of zones) sandbox.world.setOffering({ instanceType: 'm7g.large', zone, market: 'spot' }, { capacity });
  },
});
