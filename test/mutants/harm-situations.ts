import type { FaultInput } from '../../sandbox/fault-schema.ts';
import { movePrice, neverServing, noCapacity } from '../sim/capacity-steps.ts';
import { takeYoungest, warnInVain } from '../sim/ending-steps.ts';
import { moveBound } from '../sim/operator-steps.ts';
import { scheduled } from '../sim/random-scaling.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { alarm, interrupt, kill, putPolicy, recommendRebalance } from '../sim/steps.ts';
import { zones } from '../sim/worlds.ts';
import { minuteMs, ofOneGroup as of, ofPolicyTargets } from './one-group.ts';

const sized = { size: { min: 1, max: 12, desired: 6 }, spot: 8 } as const;
const failing = (operation: string, code: string, fromMs: number, untilMs: number): FaultInput => ({
  ...{ on: 'call', kind: 'error', code, match: { operation }, fromMs, untilMs },
});

/** The youngest members are protected from scale-in, for good. */
const protectYoungest = (atMs: number, count: number): Step => ({
  kind: 'protected',
  atMs,
  what: `the ${count} youngest members are protected from scale-in`,
  happen: async (stage) => {
    const instances = stage
      .members('web')
      .toReversed()
      .slice(0, count)
      .map(({ id }) => id);
    stage.did({ kind: 'protected', instances, groups: ['web'], asgs: ['web-asg'] });
    await stage.attempt('autoscaling', 'SetInstanceProtection', {
      AutoScalingGroupName: 'web-asg',
      InstanceIds: instances,
      ProtectedFromScaleIn: true,
    });
  },
});

/** Its user detaches the youngest members, and EC2 warns about them later. */
const detachYoungest = (atMs: number, count: number, warnedAtMs: number): readonly Step[] => {
  let instances: readonly string[] = [];
  const asg = 'web-asg';
  return [
    {
      kind: 'detached',
      atMs,
      what: `the user detaches the ${count} youngest members`,
      about: { group: 'web' },
      happen: async (stage) => {
        instances = stage
          .members('web')
          .toReversed()
          .slice(0, count)
          .map(({ id }) => id);
        stage.did({ kind: 'detached', instances, groups: ['web'], asgs: [asg] });
        await stage.attempt('autoscaling', 'DetachInstances', {
          ...{ AutoScalingGroupName: asg, InstanceIds: [...instances], ShouldDecrementDesiredCapacity: false },
        });
        for (const instance of instances) stage.watched.takenOut(instance);
      },
    },
    {
      kind: 'interrupted',
      atMs: warnedAtMs,
      what: 'EC2 takes the detached instances',
      happen: ({ sandbox, did }) => {
        did({ kind: 'interrupted', instances });
        sandbox.world.interrupt([...instances], { noticeMs: 120_000 });
      },
    },
  ];
};

/** Worlds for faults that cost users members, money or the truth. */
export const harmSituations = {
  'a group outgrows the maximum of its owner': of(
    'a group outgrows the maximum of its owner',
    'attach',
    { ...sized, max: 6, policy: { scaling: [{ alarm: 'high', adjust: '+2', cooldown: '2m' }] } },
    () => [alarm(1_000, 'high')],
    { calmAtMs: 5 * minuteMs, endsAt: 8 },
  ),
  'its owner sets another maximum while members come': of(
    'its owner sets another maximum while members come',
    'attach',
    { ...sized, max: 6, min: 0, pendingSeconds: [60, 60], policy: { scaling: [{ alarm: 'high', adjust: '+1', cooldown: '2m' }] } },
    () => [interrupt(1_000, 2), moveBound(80_000, 'web-asg', 'max', 5)],
    { calmAtMs: 8 * minuteMs },
  ),
  'spot is above a limit that what is paid would meet': of(
    'spot is above a limit that what is paid would meet',
    'launch-instances',
    {
      spot: 12,
      policy: {
        capacity: { tiered: ['spot-a', { spread: ['od-b', 'od-c'] }] },
        pools: {
          'spot-a': { market: 'spot', asg: 'spot-a', maxPriceUsdPerHour: 0.05, priceFactor: 0.5 },
          'od-b': { market: 'on-demand', asg: 'od-b' },
          'od-c': { market: 'on-demand', asg: 'od-c' },
        },
      },
    },
    () => [movePrice(1_000, 'm7g.large', zones, 2), interrupt(12 * minuteMs, 2)],
    { calmAtMs: 16 * minuteMs },
  ),
  'spot becomes dear right before members are lost': of(
    'spot becomes dear right before members are lost',
    'tag',
    {
      policy: {
        capacity: { tiered: ['spot-a', { spread: ['od-b', 'od-c'] }] },
        defaults: { launchTemplate: 'web', instanceTypes: ['m7g.large'] },
        pools: {
          'spot-a': { market: 'spot', subnets: ['subnet-a'], maxPriceUsdPerHour: 0.05 },
          'od-b': { market: 'on-demand', subnets: ['subnet-b'] },
          'od-c': { market: 'on-demand', subnets: ['subnet-c'] },
        },
      },
    },
    () => [movePrice(1_000, 'm7g.large', zones, 3), kill(2_000, 2)],
    { calmAtMs: 16 * minuteMs },
  ),
  'launches have no response in a group with a limit': of(
    'launches have no response in a group with a limit',
    'tag',
    sized,
    (policy) => [
      putPolicy(1_000, { ...policy, launches: { atMost: 2, within: '30m' } }, 'the policy limits launches'),
      kill(20_000, 2),
      kill(26_000, 2),
    ],
    {
      faults: [{ on: 'call', kind: 'lose-answer', when: 'after', match: { operation: 'CreateFleet' }, untilMs: 60_000 }],
      calmAtMs: 34 * minuteMs,
    },
  ),
  'advice comes again after half an hour': of(
    'advice comes again after half an hour',
    'tag',
    { policy: { rebalance: { act: true, atMostPerHour: 2 }, swap: { order: 'launch-first', maxSurge: 2 } } },
    () => [recommendRebalance(1_000, 2), recommendRebalance(33 * minuteMs, 2)],
    { calmAtMs: 45 * minuteMs },
  ),
  'EC2 warns about members that their user detached': ofPolicyTargets(
    of(
      'EC2 warns about members that their user detached',
      'attach',
      { ...sized, policy: { drain: { timeout: '30s', loadBalancers: [`\${targetGroup:web}`] } } },
      () => [interrupt(1_000, 2), ...detachYoungest(4 * minuteMs, 2, 5 * minuteMs)],
      { calmAtMs: 10 * minuteMs },
    ),
  ),
  'EC2 warns about members that no describe shows': of(
    'EC2 warns about members that no describe shows',
    'tag',
    { ...sized, lagSeconds: [20, 20] },
    () => [kill(1_000, 2), takeYoungest(14_000, 2)],
    { calmAtMs: 6 * minuteMs },
  ),
  'times of a schedule are missed': of(
    'times of a schedule are missed',
    'tag',
    sized,
    (policy) => [
      scheduled(1_000, policy, [
        { afterMinutes: 2, timezone: 'UTC', size: 9 },
        { afterMinutes: 3, timezone: 'UTC', size: 5 },
      ]),
    ],
    { faults: [failing('GetItem', 'InternalServerError', 60_000, 4.5 * minuteMs)], calmAtMs: 8 * minuteMs, endsAt: 5 },
  ),
  'a protected member has a better place': of(
    'a protected member has a better place',
    'attach',
    { policy: { return: { after: '1m', every: '1m', atMost: 3 } } },
    () => [noCapacity(1_000, 3 * minuteMs, ['spot'], zones), interrupt(2_000, 2), protectYoungest(2.5 * minuteMs, 2)],
    { calmAtMs: 12 * minuteMs },
  ),
  'EC2 spares members whose connections it would have cut': of(
    'EC2 spares members whose connections it would have cut',
    'tag',
    { delaySeconds: 300, policy: { drain: { timeout: '5m', loadBalancers: [`\${targetGroup:web}`] } } },
    () => [warnInVain(1_000, 2)],
    { calmAtMs: 12 * minuteMs },
  ),
  'nobody serves any more': of(
    'nobody serves any more',
    'tag',
    { size: 4, policy: { swap: { order: 'launch-first', maxSurge: 2 }, ready: { within: '3m' } } },
    () => [neverServing(1_000, 15 * minuteMs, {}, 'never-answers'), kill(2_000, 4)],
    { calmAtMs: 20 * minuteMs, size: 4 },
  ),
  'a breaker is open, and a better place gives': of(
    'a breaker is open, and a better place gives',
    'tag',
    {
      policy: {
        capacity: { tiered: ['od-b', { spread: ['spot-a', 'spot-b', 'spot-c'] }] },
        return: { after: '1m', every: '1m', atMost: 3 },
        breaker: { interruptions: 2, within: '3m', hold: '10m' },
      },
    },
    () => [noCapacity(1_000, 5 * minuteMs, ['on-demand'], zones), kill(2_000, 3), interrupt(4 * minuteMs, 2)],
    { calmAtMs: 20 * minuteMs },
  ),
} as const satisfies Readonly<Record<string, () => Situation>>;
