import type { Step } from './situation.ts';
import type { Stage } from './stage.ts';
import { type Ending, some } from './steps.ts';

/** EC2 takes instances and keeps them stopped; after so long it starts them again, where it has capacity. Hibernation has no notice. */
export const stopForAWhile = (atMs: number, count: number, action: Exclude<Ending, 'terminate'>, forMs: number, group = 'web'): Step => ({
  kind: 'interrupted',
  atMs,
  lastsMs: forMs,
  what: `EC2 takes ${count} spot instances (${action}), and starts them again ${forMs / 1_000} s later`,
  about: { group },
  happen: (stage) => {
    const { world, clock } = stage.sandbox;
    const instances = some(stage, count, 'spot', group);
    stage.did({ kind: 'interrupted', instances, groups: [group] });
    world.interrupt(instances, { noticeMs: action === 'hibernate' ? 0 : 120_000, action });
    clock.after(forMs, () => {
      stage.did({ kind: 'restarted', instances, groups: [group] });
      world.restart(instances);
    });
  },
});

/** EC2 stops spot instances and sends no warning, which it does not promise. Only the changes of their state say so. */
export const stopUnannounced = (atMs: number, count: number, group = 'web'): Step => ({
  kind: 'interrupted',
  atMs,
  what: `EC2 stops ${count} spot instances without a warning`,
  about: { group },
  happen: (stage) => {
    const instances = some(stage, count, 'spot', group);
    stage.did({ kind: 'interrupted', instances, groups: [group] });
    stage.sandbox.world.interrupt(instances, { noticeMs: 0, silent: true, action: 'stop' });
  },
});

/** A warning every so often, each for the longest running spot instance that has none yet: a trickle, or a storm when it is fast. */
export const trickle = (atMs: number, forMs: number, everyMs: number, group = 'web'): Step => ({
  kind: 'interrupted',
  atMs,
  lastsMs: forMs,
  what: `EC2 takes a spot instance every ${everyMs / 1_000} s for ${forMs / 1_000} s`,
  about: { group },
  happen: (stage) => {
    const { clock, world } = stage.sandbox;
    const untilMs = clock.now() + forMs;
    const take = (): void => {
      const instances = some(stage, 1, 'spot', group);
      stage.did({ kind: 'interrupted', instances, groups: [group] });
      world.interrupt(instances, { noticeMs: 120_000 });
      if (clock.now() + everyMs < untilMs) clock.after(everyMs, take);
    };
    take();
  },
});

const [minuteMs, hourMs] = [60_000, 3_600_000];

/** How long ago such events were true or were said: so long that nothing follows from them any more. Younger ones are no replays but late. */
export const agesOf = (event: OldEvent): readonly number[] => [
  ...(event === 'rebalance' || event === 'alarm' ? [] : [10 * minuteMs, hourMs]),
  2 * hourMs,
  6 * hourMs,
  72 * hourMs,
];

/** Kinds of events that EventBridge may deliver long after what they report. */
export const oldEvents = ['stopped', 'terminated', 'shutting-down', 'running', 'warning', 'rebalance', 'alarm'] as const;
export type OldEvent = (typeof oldEvents)[number];

const detailTypes = {
  warning: 'EC2 Spot Instance Interruption Warning',
  rebalance: 'EC2 Instance Rebalance Recommendation',
  alarm: 'CloudWatch Alarm State Change',
} as const;

const oldEvent = (stage: Stage, event: OldEvent, instance: string, toldAtMs: number) => {
  const time = new Date(toldAtMs).toISOString();
  const ec2 = { source: 'aws.ec2', time, resources: [`arn:aws:ec2:eu-west-1:${stage.sandbox.place.accountId}:instance/${instance}`] };
  if (event === 'warning') return { ...ec2, 'detail-type': detailTypes.warning, detail: { 'instance-id': instance, 'instance-action': 'terminate' } };
  if (event === 'rebalance') return { ...ec2, 'detail-type': detailTypes.rebalance, detail: { 'instance-id': instance } };
  if (event !== 'alarm')
    return { ...ec2, 'detail-type': 'EC2 Instance State-change Notification', detail: { 'instance-id': instance, state: event } };
  const state = (value: string, atMs: number) => ({ value, reason: 'Threshold Crossed', timestamp: new Date(atMs).toISOString() });
  const detail = {
    alarmName: 'high',
    state: state('ALARM', toldAtMs),
    previousState: state('OK', toldAtMs - 60_000),
    configuration: { metrics: [] },
  };
  return { source: 'aws.cloudwatch', time, resources: [], 'detail-type': detailTypes.alarm, detail };
};

/** An event about members that run well comes out of an archive, or from a rule that was held up: it was true, or never was, so long ago. */
export const replayOldEvent = (atMs: number, event: OldEvent, agoMs: number, count: number, group = 'web'): Step => ({
  kind: 'old-event-replayed',
  atMs,
  what: `a ${event} event of ${agoMs / 60_000} minutes ago comes for ${count} members`,
  about: { group },
  happen: (stage) => {
    const instances = some(stage, count, undefined, group);
    stage.did({ kind: 'old-event-replayed', instances, groups: [group] });
    for (const instance of instances) stage.sandbox.putEvent(oldEvent(stage, event, instance, stage.sandbox.clock.now() - agoMs));
  },
});

/** AWS Health says that instances will be retired after so long: members of any market. */
export const scheduleRetirement = (atMs: number, count: number, inMs: number, group = 'web'): Step => ({
  kind: 'retirement-scheduled',
  atMs,
  lastsMs: inMs,
  what: `AWS announces to retire ${count} instances in ${inMs / 60_000} minutes`,
  about: { group },
  happen: (stage) => {
    const instances = some(stage, count, undefined, group);
    stage.did({ kind: 'retirement-scheduled', instances, groups: [group] });
    stage.sandbox.world.scheduleRetirement(instances, inMs);
  },
});

/** The owner of an interruptible capacity reservation takes it back: EC2 takes instances that run in it, on demand. */
export const takeReservation = (atMs: number, count: number, group = 'web'): Step => ({
  kind: 'interrupted',
  atMs,
  what: `the owner of a capacity reservation takes it back from ${count} instances`,
  about: { group },
  happen: (stage) => {
    const instances = some(stage, count, 'on-demand', group);
    stage.did({ kind: 'interrupted', instances, groups: [group] });
    stage.sandbox.world.interrupt(instances, { noticeMs: 120_000, reserved: true });
  },
});

/** EC2 warns of an interruption and does not follow: the instances run on. */
export const warnInVain = (atMs: number, count: number, group = 'web'): Step => ({
  kind: 'warned-in-vain',
  atMs,
  lastsMs: 120_000,
  what: `EC2 warns ${count} spot instances and does not take them`,
  about: { group },
  happen: (stage) => {
    const instances = some(stage, count, 'spot', group);
    stage.did({ kind: 'warned-in-vain', instances, groups: [group] });
    stage.sandbox.world.interrupt(instances, { noticeMs: 120_000, spares: true });
  },
});

/** Every member in the zone fails without a warning. */
export const killZone = (atMs: number, zone: string): Step => ({
  kind: 'died',
  atMs,
  what: `the members in ${zone} die`,
  about: { group: 'web' },
  happen: (stage) => {
    const instances = stage.members('web').flatMap((member) => (member.zone === zone ? [member.id] : []));
    stage.did({ kind: 'died', instances, groups: ['web'] });
    for (const id of instances) stage.sandbox.world.kill(id);
  },
});

/** For so long a user ends what is launched in a zone before it runs. */
export const endWhilePending = (atMs: number, forMs: number, zone: string): Step => ({
  kind: 'ended-by-user',
  atMs,
  lastsMs: forMs,
  what: `a user ends what is launched in ${zone} before it runs, for ${forMs / 1_000} s`,
  about: { group: 'web' },
  happen: (stage) => {
    const { world, clock } = stage.sandbox;
    const end = async (): Promise<void> => {
      const pending = world.snapshot().instances.filter((one) => one.zone === zone && one.state === 'pending');
      const instances = pending.map(({ id }) => id);
      if (instances.length === 0) return;
      stage.did({ kind: 'ended-by-user', instances, groups: ['web'] });
      await stage.attempt('ec2', 'TerminateInstances', { InstanceIds: instances });
    };
    for (let laterMs = 0; laterMs < forMs; laterMs += 3_000) clock.after(laterMs, () => end());
  },
});

/** EC2 takes the youngest spot instances, also those that are still pending. */
export const takeYoungest = (atMs: number, count: number, group = 'web'): Step => ({
  kind: 'interrupted',
  atMs,
  what: `EC2 takes the ${count} youngest spot instances in 120 s`,
  about: { group },
  happen: (stage) => {
    const youngest = stage.members(group, { market: 'spot' }).toReversed();
    const instances = youngest.slice(0, count).map(({ id }) => id);
    stage.did({ kind: 'interrupted', instances, groups: [group] });
    stage.sandbox.world.interrupt(instances, { noticeMs: 120_000, action: 'terminate' });
  },
});
