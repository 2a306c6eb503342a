import type { FaultInput } from '../../sandbox/fault-schema.ts';
import { fillSubnet, neverServing, noCapacity } from '../sim/capacity-steps.ts';
import { denyLaunches } from '../sim/denied.ts';
import { protect } from '../sim/member-steps.ts';
import type { Situation } from '../sim/situation.ts';
import { alarm, endThroughAsg, interrupt, kill, putPolicy, recommendRebalance } from '../sim/steps.ts';
import { restoreState } from '../sim/table-steps.ts';
import { catalogue, groupIn, plainLandscape, specOf, zones } from '../sim/worlds.ts';
import { made, minuteMs, ofOneGroup as of } from './one-group.ts';

/** Two subnets in each zone, of which one in the first zone fills up. */
const ofTwoSubnets = (): Situation => {
  const landscape = { ...plainLandscape, spot: 12, subnetsPerZone: 2 };
  const { policy, asgs } = groupIn(landscape, { name: 'web', holding: 'tag', size: 6, targetGroups: ['web'] });
  const only = { ...policy, capacity: { tiered: ['spot-a', { spread: ['od-b', 'od-c'] }] } };
  return made(
    'one of two subnets is full',
    { spec: specOf(landscape, asgs), policy: only },
    {
      asked: { web: { size: 6, endsAt: 6 } },
      steps: [fillSubnet(1_000, 20 * minuteMs, 'subnet-a', 0), kill(2_000, 3), kill(90_000, 3)],
      calmAtMs: 6 * minuteMs,
    },
  );
};

/** Members serve two target groups, of which one finds them healthy a minute and a half later. */
const ofTwoTargetGroups = (): Situation => {
  const names = ['web', 'admin'];
  const landscape = { ...plainLandscape, targetGroups: names.map((name) => ({ name, deregistrationDelaySeconds: 20 })) };
  const { policy, asgs } = groupIn(landscape, { name: 'web', holding: 'tag', size: 6, targetGroups: names, policy: atRisk });
  const spec = specOf(landscape, asgs);
  const targetGroups = spec.targetGroups.map((one) => (one.name === 'admin' ? { ...one, healthCheckIntervalSeconds: 60 } : one));
  return made(
    'one of two target groups checks slowly',
    { spec: { ...spec, targetGroups }, policy },
    { asked: { web: { size: 6 } }, steps: [recommendRebalance(1_000, 2)], calmAtMs: 10 * minuteMs },
  );
};

/** Pools of two types, of which the preferred one has less left. */
const ofTwoTypes = (): Situation => {
  const landscape = { ...plainLandscape, types: catalogue.slice(0, 2) };
  const { policy, asgs } = groupIn(landscape, { name: 'web', holding: 'tag', size: 6, targetGroups: ['web'] });
  const spec = specOf(landscape, asgs);
  const isPreferred = ({ instanceType, market }: (typeof spec.offerings)[number]): boolean =>
    instanceType === landscape.types[0]?.name && market === 'spot';
  const offerings = spec.offerings.map((one) => (isPreferred(one) ? { ...one, capacity: 4 } : one));
  return made(
    'members of pools of two types are lost',
    { spec: { ...spec, offerings }, policy },
    { asked: { web: { size: 6 } }, steps: [kill(1_000, 2)], calmAtMs: 2 * minuteMs },
  );
};

const denied = (operation: string, untilMs: number): FaultInput => ({
  ...{ on: 'call', kind: 'error', code: 'AccessDenied', message: 'not authorized', status: 403 },
  ...{ match: { operation }, untilMs },
});
const throttled = (operation: string, untilMs: number): FaultInput => ({ on: 'call', kind: 'throttle', match: { operation }, untilMs });

const atRisk = { rebalance: { act: true }, swap: { order: 'launch-first', maxSurge: 1 } } as const;
const terminating = [{ name: 'drain', transition: 'terminating', heartbeatSeconds: 300, defaultResult: 'CONTINUE' }] as const;
const sized = { size: { min: 1, max: 12, desired: 6 }, spot: 8 } as const;

/** Worlds for faults that a reviewer put into the code. */
export const reviewerSituations = {
  'advised members that wait are ended by their Auto Scaling group': of(
    'advised members that wait are ended by their Auto Scaling group',
    'attach',
    { hooks: terminating, pendingSeconds: [60, 60], policy: atRisk },
    () => [recommendRebalance(1_000, 4), endThroughAsg(10_000, 3)],
    { calmAtMs: 10 * minuteMs },
  ),
  'the state table is emptied while members are missing': of(
    'the state table is emptied while members are missing',
    'tag',
    sized,
    () => [noCapacity(1_000, 3 * minuteMs, ['spot', 'on-demand'], zones), kill(2_000, 2), restoreState(60_000, 'empty')],
    { calmAtMs: 5 * minuteMs, endsAt: 6 },
  ),
  'advised members of a group that warms up': of(
    'advised members of a group that warms up',
    'tag',
    { policy: { ...atRisk, ready: { after: '2m' } } },
    () => [recommendRebalance(1_000, 2)],
    { calmAtMs: 10 * minuteMs },
  ),
  'a protected member never serves': of(
    'a protected member never serves',
    'attach',
    {},
    () => [neverServing(1_000, minuteMs, {}, 'never-answers'), kill(2_000, 1), protect(150_000, 6, 'scale-in', undefined)],
    { calmAtMs: 20 * minuteMs },
  ),
  'a member never serves that a minimum size keeps': of(
    'a member never serves that a minimum size keeps',
    'attach',
    { min: 6, size: { min: 1, max: 12, desired: 6 }, policy: { scaling: [{ alarm: 'low', adjust: '-2', cooldown: '2m' }] } },
    () => [neverServing(1_000, minuteMs, {}, 'never-answers'), kill(2_000, 1), alarm(150_000, 'low')],
    { calmAtMs: 20 * minuteMs, endsAt: 6 },
  ),
  'members are lost after an alarm made the group larger': of(
    'members are lost after an alarm made the group larger',
    'tag',
    { ...sized, pendingSeconds: [45, 45], policy: { scaling: [{ alarm: 'high', adjust: '+2', cooldown: '2m' }] } },
    () => [alarm(1_000, 'high'), interrupt(150_000, 2)],
    { calmAtMs: 6 * minuteMs, endsAt: 8 },
  ),
  'prices of spot cannot be read any more': of(
    'prices of spot cannot be read any more',
    'tag',
    { policy: { capacity: { cheapest: ['spot-a', 'spot-b', 'od-b'] }, onDemandPrices: { 'm7g.large': 0.08 } } },
    () => [restoreState(5_000, 'empty'), kill(90_000, 2)],
    { faults: [throttled('DescribeSpotPriceHistory', 10 * minuteMs)], calmAtMs: 4 * minuteMs, endsAt: 6 },
  ),
  'one of two subnets is full': ofTwoSubnets,
  'two alarms go off at once': of(
    'two alarms go off at once',
    'tag',
    {
      ...sized,
      policy: {
        scaling: [
          { alarm: 'high', adjust: '+2', cooldown: '5m' },
          { alarm: 'queue', adjust: '+1', cooldown: '5m' },
        ],
      },
    },
    () => [alarm(1_000, 'high'), alarm(1_000, 'queue')],
    { calmAtMs: 3 * minuteMs, endsAt: 9 },
  ),
  'another group wants an Auto Scaling group that members leave': of(
    'another group wants an Auto Scaling group that members leave',
    'attach',
    { min: 0, spot: 12, pendingSeconds: [60, 60], policy: { swap: { maxSurge: 1 } } },
    ({ asg, ...policy }) => [
      putPolicy(
        120_000,
        { ...policy, drain: { timeout: '30s', loadBalancers: [`\${targetGroup:web}`] } },
        'the policy names no Auto Scaling group',
        'policy-edited',
      ),
      putPolicy(180_000, { ...policy, asg, group: 'heir', size: 1 }, 'a second group wants its Auto Scaling group'),
    ],
    { calmAtMs: 12 * minuteMs },
  ),
  'EC2 takes members of an Auto Scaling group while launches are denied': of(
    'EC2 takes members of an Auto Scaling group while launches are denied',
    'attach',
    { min: 0, size: { min: 1, max: 8, desired: 6 } },
    () => [interrupt(2_000, 2)],
    { faults: [denyLaunches(500, 5 * minuteMs)], calmAtMs: 6 * minuteMs, endsAt: 6 },
  ),
  'members wait for room in an Auto Scaling group that cannot be made larger': of(
    'members wait for room in an Auto Scaling group that cannot be made larger',
    'attach',
    { ...sized, max: 6, policy: { scaling: [{ alarm: 'high', adjust: '+2', cooldown: '2m' }] } },
    () => [alarm(1_000, 'high')],
    { faults: [denied('UpdateAutoScalingGroup', 18 * minuteMs)], calmAtMs: 20 * minuteMs, endsAt: 8 },
  ),
  'advised members cannot be replaced for a while, and the budget is small': of(
    'advised members cannot be replaced for a while, and the budget is small',
    'tag',
    { policy: { rebalance: { act: true, atMostPerHour: 2 }, swap: { order: 'drain-first', maxSurge: 2 } } },
    () => [kill(2_000, 1), recommendRebalance(2_000, 2)],
    { faults: [denyLaunches(500, 100_000)], calmAtMs: 5 * minuteMs },
  ),
  'one of two target groups checks slowly': ofTwoTargetGroups,
  'members of pools of two types are lost': ofTwoTypes,
  'a policy is written again with a default written out': of('a policy is written again with a default written out', 'tag', {}, (policy) => [
    putPolicy(1_000, { ...policy, mode: 'act' }, 'the policy is written again, with its mode written out'),
  ]),
};
