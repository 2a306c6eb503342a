import {
  alarmStateChange,
  interruptionWarning,
  launchUnsuccessfulEvent,
  lifecycleDetail,
  ownMessage,
  rebalanceRecommendation,
  stateChangeNotification,
  terminateLifecycleAction,
} from '../react/event-samples.ts';
import type { Draw } from './draw.ts';
import { brokenAt, disfigured, mutated, type Path, spoilt } from './mutate.ts';
import { nastyText, nested } from './nasties.ts';

/** Who the events are about, and when and where they happen. */
export type About = {
  readonly instance: string;
  readonly member: string;
  readonly account: string;
  readonly region: string;
  readonly nowMs: number;
};

type Sample = { readonly event: Readonly<Record<string, unknown>>; readonly needed: readonly Path[] };

const inEnvelope: readonly Path[] = [['source'], ['detail-type'], ['time'], ['detail']];
/** The hook's name is left out: nobody can tell a wrong one from a right one. */
const ofHook = ['LifecycleActionToken', 'AutoScalingGroupName', 'EC2InstanceId', 'LifecycleTransition'];

const enveloped = (event: Readonly<Record<string, unknown>>, { account, region, nowMs }: About, members: readonly string[]): Sample => ({
  event: { ...event, account, region, time: new Date(nowMs).toISOString() },
  needed: [...inEnvelope, ...members.map((member): Path => ['detail', ...member.split('.')])],
});

/** Every shape that the queue can bring, about living members and names that policies use, each with the places that it cannot do without. */
const samplesAbout = (about: About): readonly Sample[] => {
  const ours = { 'instance-id': about.instance };
  const hook = { EC2InstanceId: about.member, AutoScalingGroupName: 'fleet' };
  const direct = lifecycleDetail(hook);
  const alarm = alarmStateChange('ALARM');
  const state = stateChangeNotification('terminated');
  return [
    enveloped(interruptionWarning(ours), about, ['instance-id', 'instance-action']),
    enveloped(rebalanceRecommendation(ours), about, ['instance-id']),
    enveloped({ ...state, detail: { ...state.detail, ...ours } }, about, ['instance-id', 'state']),
    enveloped(terminateLifecycleAction(hook), about, ofHook),
    enveloped(launchUnsuccessfulEvent({ AutoScalingGroupName: 'fleet' }), about, ['AutoScalingGroupName']),
    enveloped({ ...alarm, detail: { ...alarm.detail, alarmName: 'web-cpu-high' } }, about, ['alarmName', 'state', 'state.value']),
    enveloped(ownMessage('Holdfast Tick', 'web'), about, ['group']),
    enveloped(ownMessage('Holdfast Policy Change', 'web'), about, ['group']),
    { event: direct, needed: ofHook.map((name): Path => [name]) },
    { event: { Type: 'Notification', MessageId: 'x', Message: JSON.stringify(direct) }, needed: [['Type'], ['Message']] },
  ];
};

/** The shapes about instances, groups and alarms that do not exist here. */
const foreign = (draw: Draw): Readonly<Record<string, unknown>> =>
  draw.pick([
    interruptionWarning(),
    rebalanceRecommendation(),
    stateChangeNotification(draw.pick(['running', 'stopped', 'terminated'])),
    terminateLifecycleAction(),
    launchUnsuccessfulEvent(),
    alarmStateChange('ALARM'),
    ownMessage('Holdfast Tick'),
    ownMessage('Holdfast Policy Change'),
    lifecycleDetail(),
    { Type: 'Notification', MessageId: 'x', Message: JSON.stringify(lifecycleDetail()) },
    { Event: 'autoscaling:TEST_NOTIFICATION' },
  ]);

const yearMs = 365 * 24 * 3_600_000;
const withEnvelope = (about: About): readonly Sample[] => samplesAbout(about).filter(({ event }) => 'time' in event);
const ticks = /Holdfast/;
const ofAws = (about: About) => withEnvelope(about).filter(({ event }) => !ticks.test(String(event['detail-type'])));

/** Events that tell whose they are by a name, which means something in one account and region alone; ids of instances are unique. */
const ofNames = (about: About) => ofAws(about).filter(({ event }) => event.source !== 'aws.ec2');

const kinds: Readonly<Record<string, (about: About, draw: Draw) => string>> = {
  'ours, with something needed broken': (about, draw) => {
    const { event, needed } = draw.pick(samplesAbout(about));
    return JSON.stringify(brokenAt(event, needed, draw));
  },
  'ours, no longer JSON': (about, draw) => spoilt(JSON.stringify(draw.pick(samplesAbout(about)).event), draw),
  'ours, of another account or region': (about, draw) => {
    const elsewhere = draw.pick([{ account: '999999999999' }, { region: 'ap-south-2' }, { account: '', region: 'mars-1' }]);
    return JSON.stringify({ ...draw.pick(ofNames(about)).event, ...elsewhere });
  },
  'ours, replayed years later': (about, draw) => {
    const time = new Date(about.nowMs - (1 + draw.int(50)) * yearMs).toISOString();
    return JSON.stringify({ ...draw.pick(ofAws(about)).event, time });
  },
  'strangers, changed anywhere': (_, draw) => JSON.stringify(mutated(foreign(draw), draw)),
  'strangers, changed and disfigured': (_, draw) => disfigured(JSON.stringify(mutated(foreign(draw), draw)), draw),
  'strangers, as they are, at any time': ({ nowMs, account, region }, draw) =>
    JSON.stringify({ ...foreign(draw), account, region, time: new Date(nowMs + (draw.int(200) - 100) * yearMs).toISOString() }),
  noise: (_, draw) => draw.pick([nastyText(draw), JSON.stringify(nested(2_000, draw)), String(draw.int(1e9)), 'null', '[]', '{}', '"', '\u0000']),
  'huge noise': (_, draw) =>
    draw.chance(0.1) ? JSON.stringify({ source: 'aws.ec2', detail: nastyText(draw).repeat(20_000).slice(0, 250_000) }) : '['.repeat(50_000),
};

export const eventKinds = Object.keys(kinds);

/** One message for the queue. None of them is a reason to change anything. */
export const eventText = (about: About, draw: Draw): { readonly kind: string; readonly text: string } => {
  const kind = draw.pick(eventKinds);
  return { kind, text: kinds[kind]?.(about, draw) ?? '' };
};
