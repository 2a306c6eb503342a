import type { Quiet, Step } from './situation.ts';
import type { Stage } from './stage.ts';
import type { StepKind } from './step-kind.ts';

const noticeMs = 120_000;

/** EC2 takes all spot instances of a zone, and has no more there. */
export const loseZone = (atMs: number, zone: string, instanceType = 'm7g.large'): Step => ({
  kind: 'zone-lost',
  atMs,
  what: `${zone} loses its spot capacity`,
  happen: ({ sandbox, did }) => {
    did({ kind: 'zone-lost' });
    sandbox.world.setOffering({ instanceType, zone, market: 'spot' }, { capacity: 0, reclaim: { noticeMs } });
  },
});

/** The oldest running members of a group. */
export const some = (stage: Stage, count: number, market?: string, group = 'web'): readonly string[] =>
  stage
    .members(group, market === undefined ? {} : { market })
    .filter(({ state }) => state === 'running')
    .slice(0, count)
    .map(({ id }) => id);

const ofGroup = (group: string): string => (group === 'web' ? '' : ` of ${group}`);

/** What EC2 does to an instance that it takes. An instance that hibernates has no notice. */
export type Ending = 'terminate' | 'stop' | 'hibernate';

export const interrupt = (atMs: number, count: number, givenMs = noticeMs, group = 'web', action: Ending = 'terminate'): Step => ({
  kind: 'interrupted',
  atMs,
  what: `EC2 takes ${count} spot instances${ofGroup(group)} in ${givenMs / 1_000} s${action === 'terminate' ? '' : ` (${action})`}`,
  about: { group },
  happen: (stage) => {
    const instances = some(stage, count, 'spot', group);
    stage.did({ kind: 'interrupted', instances, groups: [group] });
    stage.sandbox.world.interrupt(instances, { noticeMs: givenMs, action });
  },
});

/** The user ends members with EC2 alone, past their group. */
export const endThroughEc2 = (atMs: number, count: number, group = 'web'): Step => ({
  kind: 'ended-by-user',
  atMs,
  what: `the user ends ${count} members${ofGroup(group)} through EC2`,
  about: { group },
  happen: async (stage) => {
    const InstanceIds = some(stage, count, undefined, group);
    stage.did({ kind: 'ended-by-user', instances: InstanceIds, groups: [group] });
    if (InstanceIds.length > 0) await stage.attempt('ec2', 'TerminateInstances', { InstanceIds });
  },
});

/** The warning of one instance comes a second time, as EventBridge may deliver it. */
export const warnAgain = (atMs: number): Step => ({
  kind: 'warning-repeated',
  atMs,
  what: 'one warning comes again',
  happen: ({ sandbox, watched, did }) => {
    const [warned] = [...watched.lives.values()].filter(({ warnedAtMs, goneAtMs }) => warnedAtMs !== undefined && goneAtMs === undefined);
    did({ kind: 'warning-repeated', instances: warned === undefined ? [] : [warned.instance] });
    sandbox.emitEvent({
      source: 'aws.ec2',
      'detail-type': 'EC2 Spot Instance Interruption Warning',
      detail: { 'instance-id': warned?.instance, 'instance-action': 'terminate' },
    });
  },
});

export const recommendRebalance = (atMs: number, count: number, group = 'web'): Step => ({
  kind: 'rebalance-advised',
  atMs,
  what: `EC2 recommends to rebalance ${count} instances${ofGroup(group)}`,
  about: { group },
  happen: (stage) => {
    const instances = some(stage, count, 'spot', group);
    stage.did({ kind: 'rebalance-advised', instances, groups: [group] });
    stage.sandbox.world.recommendRebalance(instances);
  },
});

/** The same for the youngest spot instances: those that come up first. */
export const adviseNewest = (atMs: number, count: number, group = 'web'): Step => ({
  kind: 'rebalance-advised',
  atMs,
  what: `EC2 recommends to rebalance the ${count} youngest instances${ofGroup(group)}`,
  about: { group },
  happen: (stage) => {
    const youngest = stage.members(group, { market: 'spot' }).toReversed();
    const instances = youngest.slice(0, count).map(({ id }) => id);
    stage.did({ kind: 'rebalance-advised', instances, groups: [group] });
    stage.sandbox.world.recommendRebalance(instances);
  },
});

/** Instances fail without any warning: the youngest, so that one that is still pending comes first. */
export const kill = (atMs: number, count: number, group = 'web'): Step => ({
  kind: 'died',
  atMs,
  what: `${count} instances${ofGroup(group)} die`,
  about: { group },
  happen: (stage) => {
    const instances = stage
      .members(group)
      .toReversed()
      .slice(0, count)
      .map(({ id }) => id);
    stage.did({ kind: 'died', instances, groups: [group] });
    for (const id of instances) stage.sandbox.world.kill(id);
  },
});

/** An event as CloudWatch sends it when an alarm goes off, or is over. */
const alarmEvent = (alarmName: string, atMs: number, value: 'ALARM' | 'OK' = 'ALARM', more: object = {}, isMuted = false) => ({
  source: 'aws.cloudwatch',
  'detail-type': 'CloudWatch Alarm State Change',
  detail: {
    alarmName,
    state: { value, reason: 'Threshold Crossed', timestamp: new Date(atMs).toISOString(), ...more },
    previousState: { value: value === 'ALARM' ? 'OK' : 'ALARM', reason: 'Within bounds', timestamp: new Date(atMs - 60_000).toISOString() },
    configuration: { metrics: [] },
    ...(isMuted && { muteDetail: { mutedByArn: 'arn:aws:cloudwatch:eu-west-1:111122223333:alarm-mute-rule:night' } }),
  },
});

/** What CloudWatch evaluated, where it tells: the newest value first, or last. */
const evaluated = (fromThreshold: number | undefined, atMs: number): object => {
  if (fromThreshold === undefined) return {};
  const threshold = 50;
  const datapoint = (agoMs: number, value: number) => ({ timestamp: new Date(atMs - agoMs).toISOString(), sampleCount: 60, value });
  return {
    reasonData: JSON.stringify({
      version: '1.0',
      statistic: 'Average',
      period: 60,
      recentDatapoints: [threshold, threshold + fromThreshold],
      threshold,
      evaluatedDatapoints: [datapoint(60_000, threshold + fromThreshold), datapoint(120_000, threshold)],
    }),
  };
};

/** How long an alarm of a moment stays in `ALARM`. */
export const momentMs = 30_000;

const quietTexts: Readonly<Record<Quiet, string>> = { suppressed: 'suppressed by another one', muted: 'muted by a rule' };

/** An alarm goes off, and is over after a while: CloudWatch sends nothing in between. */
export const lastingAlarm = (atMs: number, alarmName: string, forMs: number, quiet?: Quiet, fromThreshold?: number): Step => ({
  kind: 'alarmed',
  atMs,
  lastsMs: forMs,
  what: `alarm ${alarmName} for ${Math.round(forMs / 1_000)} s${quiet === undefined ? '' : `, ${quietTexts[quiet]}`}${fromThreshold === undefined ? '' : `, ${fromThreshold} from its threshold`}`,
  about: { alarm: alarmName, ...(quiet && { quiet }) },
  happen: ({ sandbox, did }) => {
    const { clock } = sandbox;
    did({ kind: 'alarmed' });
    sandbox.emitEvent(
      alarmEvent(
        alarmName,
        clock.now(),
        'ALARM',
        { ...(quiet === 'suppressed' && { actionsSuppressedBy: 'Alarm' }), ...evaluated(fromThreshold, clock.now()) },
        quiet === 'muted',
      ),
    );
    clock.after(forMs, () => sandbox.emitEvent(alarmEvent(alarmName, clock.now(), 'OK')));
  },
});

export const alarm = (atMs: number, alarmName: string): Step => {
  const { lastsMs: _moment, ...step } = lastingAlarm(atMs, alarmName, momentMs);
  return { ...step, what: `alarm ${alarmName}` };
};

/** Members in service of one Auto Scaling group, as many as it may lose without falling below its minimum. */
const spareInAsg = ({ sandbox: { world } }: Stage, candidates: readonly string[]) => {
  const { autoScalingGroups } = world.snapshot();
  const group = autoScalingGroups.find(({ instances }) => instances.some(({ id }) => candidates.includes(id)));
  const inService = group?.instances.filter(({ id, lifecycleState }) => lifecycleState === 'InService' && candidates.includes(id)) ?? [];
  const spare = Math.max(0, (group?.desired ?? 0) - (group?.min ?? 0));
  return { name: group?.name, instances: inService.map(({ id }) => id).slice(0, spare) };
};

/** The user ends members through their Auto Scaling group, so that its terminating hook waits for Holdfast. */
export const endThroughAsg = (atMs: number, count: number, group = 'web'): Step => ({
  kind: 'ended-through-asg',
  atMs,
  what: `the user ends ${count} members${ofGroup(group)} through their Auto Scaling group`,
  about: { group },
  happen: async (stage) => {
    const { name, instances: InstanceIds } = spareInAsg(stage, some(stage, count, undefined, group));
    stage.did({ kind: 'ended-through-asg', instances: InstanceIds, groups: [group], asgs: name === undefined ? [] : [name] });
    if (InstanceIds.length === 0) return;
    await stage.operate('autoscaling', 'TerminateInstanceInAutoScalingGroup', {
      AutoScalingGroupName: name,
      InstanceIds,
      ShouldDecrementDesiredCapacity: true,
    });
  },
});

export const setSpot = (atMs: number, zones: readonly string[], capacity: number): Step => ({
  kind: 'capacity-changed',
  atMs,
  what: `spot capacity of ${zones.join(', ')} is ${capacity}`,
  happen: ({ sandbox, did }) => {
    did({ kind: 'capacity-changed' });
    for (const zone of zones) sandbox.world.setOffering({ instanceType: 'm7g.large', zone, market: 'spot' }, { capacity });
  },
});

/** How long after a loss its replacements are looked for: they take at least five seconds from pending to running. */
const pendingAfterMs = [4_000, 8_000, 12_000];

/** EC2 takes instances, and what is launched in their place dies on its way up. */
export const killPending = (atMs: number, count: number, group = 'web'): Step => {
  const { what, happen, ...step } = interrupt(atMs, count, noticeMs, group);
  return {
    ...step,
    what: `${what}; what is launched for them dies while it is pending`,
    happen: async (stage) => {
      await happen(stage);
      const die = (): void => {
        const pending = stage.members(group).slice(-count);
        const instances = pending.filter(({ state }) => state === 'pending').map(({ id }) => id);
        if (instances.length > 0) stage.did({ kind: 'died', instances, groups: [group] });
        for (const id of instances) stage.sandbox.world.kill(id);
      };
      for (const afterMs of pendingAfterMs) stage.sandbox.clock.after(afterMs, die);
    },
  };
};

/** The user raises the desired capacity of the group's Auto Scaling group, as far as its maximum allows. */
export const raiseDesired = (atMs: number, asg: string): Step => ({
  kind: 'desired-raised',
  atMs,
  what: `the user sets the desired capacity of ${asg} one higher`,
  about: { asg },
  happen: async (stage) => {
    const { desired, max } = stage.sandbox.world.snapshot().autoScalingGroups.find(({ name }) => name === asg) ?? { desired: 0, max: 0 };
    stage.did({ kind: 'desired-raised', asgs: [asg] });
    if (desired < max) await stage.operate('autoscaling', 'SetDesiredCapacity', { AutoScalingGroupName: asg, DesiredCapacity: desired + 1 });
  },
});

/** Each zone gives a little of what is asked: launches are answered in part. */
export const fewEverywhere = (atMs: number, zones: readonly string[]): Step => ({
  kind: 'capacity-changed',
  atMs,
  what: 'every zone has room for one more spot instance',
  happen: ({ sandbox, did }) => {
    did({ kind: 'capacity-changed' });
    for (const { zone, market, used, instanceType } of sandbox.world.snapshot().offerings) {
      if (market === 'spot' && zones.includes(zone)) sandbox.world.setOffering({ instanceType, zone, market }, { capacity: used + 1 });
    }
  },
});

type Document = Readonly<Record<string, unknown>>;

/** What an edit of a policy changes. */
export type EditKind = Extract<
  StepKind,
  | 'size-edited'
  | 'shares-edited'
  | 'tags-edited'
  | 'tree-edited'
  | 'pools-edited'
  | 'asg-edited'
  | 'holding-edited'
  | 'swap-edited'
  | 'mode-edited'
  | 'policy-edited'
  | 'policy-broken'
  | 'policy-written-again'
>;

export const putPolicy = (atMs: number, document: Document, what = 'the policy changes', kind: EditKind = 'policy-edited'): Step => ({
  kind,
  atMs,
  what,
  about: { group: String(document.group) },
  happen: ({ did, putPolicy: put }) => {
    did({ kind, groups: [String(document.group)] });
    return put(document);
  },
});

/** The user deletes the policy: its group is let go, and its instances run on. */
export const deletePolicy = (atMs: number, group = 'web'): Step => ({
  kind: 'policy-deleted',
  atMs,
  what: `the policy${group === 'web' ? '' : ` of ${group}`} is deleted`,
  about: { group },
  happen: (stage) => {
    stage.did({ kind: 'policy-deleted', groups: [group] });
    return stage.deletePolicy(group);
  },
});
