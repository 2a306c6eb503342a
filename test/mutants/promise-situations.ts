import type { FaultInput } from '../../sandbox/fault-schema.ts';
import { stopAllDrains } from '../sim/audit/draining.ts';
import { denyLaunches } from '../sim/denied.ts';
import { replayOldEvent, stopUnannounced, warnInVain } from '../sim/ending-steps.ts';
import { recreateAsg } from '../sim/operator-steps.ts';
import type { Step } from '../sim/situation.ts';
import { alarm, deletePolicy, endThroughAsg, interrupt, kill, lastingAlarm, putPolicy, raiseDesired, recommendRebalance } from '../sim/steps.ts';
import { restoreState } from '../sim/table-steps.ts';
import { minuteMs, ofOneGroup as of, ofPolicyTargets } from './one-group.ts';

const denied = (operation: string, fromMs: number, untilMs: number): FaultInput => ({
  ...{ on: 'call', kind: 'error', code: 'AccessDenied', message: 'not authorized', status: 403 },
  ...{ match: { operation }, fromMs, untilMs },
});
const throttled = (operation: string, fromMs: number, untilMs: number): FaultInput => ({
  ...{ on: 'call', kind: 'throttle', match: { operation }, fromMs, untilMs },
});

const terminating = (heartbeatSeconds: number) =>
  [{ name: 'drain', transition: 'terminating', heartbeatSeconds, defaultResult: 'CONTINUE' }] as const;
const atRisk = { rebalance: { act: true }, swap: { order: 'launch-first', maxSurge: 2 } } as const;
const scaled = { scaling: [{ alarm: 'high', adjust: '+2', cooldown: '2m' }] } as const;
const sized = { size: { min: 1, max: 12, desired: 6 }, spot: 8 } as const;

/** AWS Health says again that it will retire members, and that this is over: the window was called off. */
const closedRetirement = (atMs: number): Step => ({
  kind: 'old-event-replayed',
  atMs,
  what: 'AWS says of two members that their retirement is called off',
  happen: (stage) => {
    const instances = stage.members('web').slice(0, 2);
    stage.did({ kind: 'old-event-replayed', instances: instances.map(({ id }) => id), groups: ['web'] });
    const at = (inMs: number): string => new Date(stage.sandbox.clock.now() + inMs).toISOString();
    stage.sandbox.emitEvent({
      source: 'aws.health',
      'detail-type': 'AWS Health Event',
      detail: {
        ...{ service: 'EC2', eventTypeCategory: 'scheduledChange', eventTypeCode: 'AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED' },
        ...{ statusCode: 'closed', startTime: at(minuteMs), endTime: at(60 * minuteMs) },
        affectedEntities: instances.map(({ id }) => ({ entityValue: id })),
      },
    });
  },
});

const made1 = {
  'EC2 spares members that a long hook holds': of(
    'EC2 spares members that a long hook holds',
    'attach',
    { hooks: terminating(3_600), delaySeconds: 300, policy: { drain: { timeout: '5m', loadBalancers: [`\${targetGroup:web}`] } } },
    () => [warnInVain(1_000, 2)],
    { calmAtMs: 12 * minuteMs },
  ),
  'EC2 takes members before their connections end': of(
    'EC2 takes members before their connections end',
    'tag',
    { delaySeconds: 90, policy: { drain: { timeout: '5m', loadBalancers: [`\${targetGroup:web}`] } } },
    () => [interrupt(1_000, 2, 20_000)],
    { calmAtMs: 5 * minuteMs },
  ),
  'advised members are stopped while they wait for their turn': of(
    'advised members are stopped while they wait for their turn',
    'tag',
    { policy: { rebalance: { act: true }, swap: { order: 'launch-first', maxSurge: 1 } }, pendingSeconds: [60, 60] },
    () => [recommendRebalance(1_000, 4), stopUnannounced(5_000, 4)],
    { calmAtMs: 10 * minuteMs },
  ),
  'a user stops drains that wait, and the delay is long': of(
    'a user stops drains that wait, and the delay is long',
    'tag',
    { pendingSeconds: [150, 150], delaySeconds: 300, policy: { drain: { timeout: '5m', loadBalancers: [`\${targetGroup:web}`] } } },
    () => [interrupt(1_000, 2), stopAllDrains(40_000)],
    { calmAtMs: 5 * minuteMs },
  ),
  'a user stops drains of members on a hook': of(
    'a user stops drains of members on a hook',
    'attach',
    { hooks: terminating(60), delaySeconds: 200, policy: { drain: { timeout: '5m', loadBalancers: [`\${targetGroup:web}`] } } },
    () => [endThroughAsg(1_000, 2), stopAllDrains(40_000)],
    { calmAtMs: 7 * minuteMs },
  ),
  'a surplus cannot be ended for four minutes': of(
    'a surplus cannot be ended for four minutes',
    'attach',
    { max: 8, size: { min: 1, max: 8, desired: 6 }, policy: { drain: { timeout: '30m' } } },
    (policy) => [putPolicy(1_000, { ...policy, size: { min: 1, max: 8, desired: 4 } }, 'the policy wants 4', 'size-edited')],
    { faults: [throttled('TerminateInstanceInAutoScalingGroup', 0, 4 * minuteMs)], calmAtMs: 5 * minuteMs },
  ),
  'the load balancer denies to take advised members out': of(
    'the load balancer denies to take advised members out',
    'tag',
    { policy: { ...atRisk, drain: { timeout: '30m', loadBalancers: [`\${targetGroup:web}`] } } },
    () => [recommendRebalance(1_000, 2)],
    { faults: [denied('DeregisterTargets', 0, 6 * minuteMs)], calmAtMs: 8 * minuteMs },
  ),
  'spared members cannot be registered': of('spared members cannot be registered', 'tag', {}, () => [warnInVain(1_000, 2)], {
    faults: [denied('RegisterTargets', 5 * minuteMs, 40 * minuteMs)],
    calmAtMs: 41 * minuteMs,
  }),
  'members die while the drain of a surplus cannot start': of(
    'members die while the drain of a surplus cannot start',
    'tag',
    { size: { min: 1, max: 8, desired: 6 } },
    (policy) => [putPolicy(1_000, { ...policy, size: { min: 1, max: 8, desired: 4 } }, 'the policy wants 4', 'size-edited'), kill(3_500, 2)],
    { faults: [throttled('StartExecution', 0, 14_000)], endsAt: 4 },
  ),
  'the load balancer denies to take advised members of an Auto Scaling group out': ofPolicyTargets(
    of(
      'the load balancer denies to take advised members of an Auto Scaling group out',
      'attach',
      { policy: { ...atRisk, drain: { loadBalancers: [`\${targetGroup:web}`] } } },
      () => [recommendRebalance(1_000, 2)],
      { faults: [denied('DeregisterTargets', 0, 3 * minuteMs)], calmAtMs: 8 * minuteMs },
    ),
  ),
};

const made2 = {
  'an alarm of two hours ago comes': of('an alarm of two hours ago comes', 'tag', { ...sized, policy: scaled }, () => [
    replayOldEvent(1_000, 'alarm', 120 * minuteMs, 1),
  ]),
  'an alarm acts late, and goes off again soon': of(
    'an alarm acts late, and goes off again soon',
    'tag',
    { ...sized, policy: scaled },
    () => [alarm(1_000, 'high'), alarm(140_000, 'high')],
    { faults: [{ on: 'event', kind: 'delay', delayMs: 70_000, untilMs: 20_000 }] },
  ),
  'the state table is emptied after an alarm': of('the state table is emptied after an alarm', 'tag', { ...sized, policy: scaled }, () => [
    alarm(1_000, 'high'),
    restoreState(90_000, 'empty'),
  ]),
  'a group that an alarm scales is let go and comes back': of(
    'a group that an alarm scales is let go and comes back',
    'tag',
    { ...sized, policy: scaled },
    (policy) => [lastingAlarm(1_000, 'high', 100_000), deletePolicy(60_000), putPolicy(180_000, policy, 'the policy is written again')],
    { calmAtMs: 8 * minuteMs },
  ),
  'an alarm comes after the state table was emptied': of(
    'an alarm comes after the state table was emptied',
    'tag',
    { ...sized, policy: scaled },
    () => [alarm(1_000, 'high'), restoreState(60_000, 'empty')],
    { faults: [{ on: 'event', kind: 'delay', delayMs: 160_000, untilMs: 50_000, match: { source: 'aws.cloudwatch' } }], calmAtMs: 5 * minuteMs },
  ),
  'others set the size of an observed group': of(
    'others set the size of an observed group',
    'attach',
    { max: 12, size: { min: 1, max: 12, desired: 6 } },
    (policy) => [putPolicy(1_000, { ...policy, mode: 'observe' }, 'the mode becomes observe', 'mode-edited'), raiseDesired(60_000, 'web-asg')],
    { calmAtMs: 4 * minuteMs },
  ),
  'a policy is written while launches are denied': of(
    'a policy is written while launches are denied',
    'tag',
    {},
    (policy) => [putPolicy(1_000, { ...policy, tags: { run: 'other' } }, 'the policy gets other tags', 'tags-edited')],
    { faults: [denyLaunches(500, minuteMs)], calmAtMs: 3 * minuteMs },
  ),
  'launches are denied for two minutes': of('launches are denied for two minutes', 'tag', {}, () => [kill(5_000, 2)], {
    faults: [denyLaunches(500, 2 * minuteMs)],
    calmAtMs: 6 * minuteMs,
    endsAt: 6,
  }),
  'its Auto Scaling group is deleted for ten minutes': of('its Auto Scaling group is deleted for ten minutes', 'attach', {}, () => [
    recreateAsg(5_000, 'web-asg', 10 * minuteMs),
  ]),
  'the table cannot be read for a minute and a half': of('the table cannot be read for a minute and a half', 'tag', {}, () => [interrupt(1_000, 2)], {
    faults: [
      { on: 'call', kind: 'error', code: 'InternalServerError', status: 500, untilMs: 90_000, match: { service: 'dynamodb', operation: 'GetItem' } },
    ],
    calmAtMs: 5 * minuteMs,
  }),
  'a group is let go for whose Auto Scaling group another one waits': of(
    'a group is let go for whose Auto Scaling group another one waits',
    'attach',
    {},
    (policy) => [putPolicy(1_000, { ...policy, group: 'heir' }, 'a second group wants its Auto Scaling group'), deletePolicy(20_000)],
    { calmAtMs: 5 * minuteMs },
  ),
  'the state table is emptied while a maximum is raised': of(
    'the state table is emptied while a maximum is raised',
    'attach',
    {
      ...{ size: { min: 1, max: 10, desired: 5 }, spot: 12, max: 5 },
      policy: {
        scaling: [
          { alarm: 'high', adjust: '+1', cooldown: '10m' },
          { alarm: 'low', adjust: '-1', cooldown: '1m' },
        ],
      },
    },
    () => [lastingAlarm(6_000, 'high', 10_000), restoreState(60_000, 'empty'), lastingAlarm(120_000, 'low', 10_000)],
    { size: 5, calmAtMs: 200_000 },
  ),
  'the end of members is told ten minutes late': of('the end of members is told ten minutes late', 'tag', {}, () => [
    replayOldEvent(15 * minuteMs, 'terminated', 10 * minuteMs, 2),
  ]),
  'advice of two hours ago comes': of('advice of two hours ago comes', 'tag', { policy: atRisk }, () => [
    replayOldEvent(1_000, 'rebalance', 120 * minuteMs, 2),
  ]),
  'a warning of an hour ago comes': of('a warning of an hour ago comes', 'tag', {}, () => [replayOldEvent(1_000, 'warning', 60 * minuteMs, 2)]),
  'AWS calls a retirement off': of('AWS calls a retirement off', 'tag', {}, () => [closedRetirement(1_000)]),
};

/** Worlds for mutants that each make one sentence of the documentation false. */
export const promiseSituations = { ...made1, ...made2 };
