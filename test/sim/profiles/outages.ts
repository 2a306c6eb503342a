import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import { denyLaunches } from '../denied.ts';
import type { Draw } from '../random-draw.ts';
import { drawFaults } from '../random-faults.ts';
import { randomTree } from '../random-tree.ts';
import type { Step } from '../situation.ts';
import { alarm, interrupt, kill, loseZone, putPolicy, recommendRebalance } from '../steps.ts';
import { restoreState } from '../table-steps.ts';
import { groupIn, holdings, plainLandscape, zones } from '../worlds.ts';
import { calmAfter, type DrawnWorld, drawSome, minutes, type Profile, seconds } from './profile.ts';
import { alarmsBy, drawHabits, drawTargetGroups, namesOf, worldOf } from './usual.ts';

type Match = { readonly service: string; readonly operation?: string };

/** What can fail by itself: a whole service, or one of its actions. */
const apis: readonly Match[] = [
  { service: 'ec2' },
  { service: 'autoscaling' },
  { service: 'elasticloadbalancing' },
  { service: 'dynamodb' },
  { service: 'states' },
  { service: 'events' },
  { service: 'sqs' },
  { service: 'ec2', operation: 'CreateFleet' },
  { service: 'ec2', operation: 'DescribeInstances' },
  { service: 'ec2', operation: 'DescribeSpotPriceHistory' },
  { service: 'ec2', operation: 'TerminateInstances' },
  { service: 'autoscaling', operation: 'LaunchInstances' },
  { service: 'autoscaling', operation: 'AttachInstances' },
  { service: 'autoscaling', operation: 'DescribeAutoScalingGroups' },
  { service: 'autoscaling', operation: 'TerminateInstanceInAutoScalingGroup' },
  { service: 'autoscaling', operation: 'UpdateAutoScalingGroup' },
  { service: 'elasticloadbalancing', operation: 'DescribeTargetHealth' },
  { service: 'elasticloadbalancing', operation: 'DeregisterTargets' },
  { service: 'dynamodb', operation: 'PutItem' },
  { service: 'dynamodb', operation: 'Query' },
  { service: 'states', operation: 'StartExecution' },
];

const within = (draw: Draw, longestMs: number): Pick<FaultInput, 'fromMs' | 'untilMs'> => {
  const fromMs = draw.between(0, 60) * 1_000;
  return { fromMs, untilMs: fromMs + longestMs };
};

const outages: readonly ((draw: Draw) => FaultInput)[] = [
  // Down: every call fails, for up to ten minutes.
  (draw) => ({ on: 'call', kind: 'error', code: 'InternalError', status: 500, match: draw.one(apis), ...within(draw, minutes(draw, 1, 10)) }),
  (draw) => ({ on: 'call', kind: 'error', code: 'ServiceUnavailable', status: 503, match: draw.one(apis), ...within(draw, minutes(draw, 1, 10)) }),
  // What a launch names is not there, or the account has too many fleets: no refusal of an offering.
  (draw) => ({
    on: 'call',
    kind: 'error',
    code: draw.one(['InvalidLaunchTemplateName.NotFoundException', 'InvalidParameterValue', 'MaxFleetCountExceeded', 'IdempotentCallInProgress']),
    status: 400,
    match: { operation: ['CreateFleet', 'LaunchInstances'] },
    ...within(draw, minutes(draw, 1, 10)),
  }),
  // Throttled by somebody else in the account, for up to an hour.
  (draw) => ({ on: 'call', kind: 'throttle', probability: draw.one([0.3, 0.7, 0.95]), match: draw.one(apis), ...within(draw, minutes(draw, 3, 60)) }),
  (draw) => ({ on: 'call', kind: 'throttle', probability: draw.one([0.5, 0.9]), match: draw.one(apis), ...within(draw, minutes(draw, 3, 20)) }),
  // Slow, or silent.
  (draw) => ({ on: 'call', kind: 'delay', delayMs: draw.between(2, 9) * 1_000, match: draw.one(apis), ...within(draw, minutes(draw, 2, 20)) }),
  (draw) => ({
    on: 'call',
    kind: 'lose-answer',
    when: draw.one(['before', 'after'] as const),
    as: draw.one(['reset', 'timeout'] as const),
    afterMs: draw.one([0, 6_000]),
    probability: draw.one([0.3, 1]),
    match: draw.one(apis),
    ...within(draw, minutes(draw, 1, 10)),
  }),
  (draw) => ({ on: 'event', kind: 'drop', ...within(draw, minutes(draw, 2, 20)) }),
  (draw) => ({ on: 'event', kind: 'delay', delayMs: minutes(draw, 1, 10), ...within(draw, minutes(draw, 2, 10)) }),
];

const needs = (policy: Readonly<Record<string, unknown>>): readonly ((draw: Draw, atMs: number) => Step)[] => [
  (draw, atMs) => interrupt(atMs, draw.between(1, 3)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 3)),
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => kill(atMs, draw.between(1, 2)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 3)),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
  (draw, atMs) => restoreState(atMs, draw.one([30_000, 300_000, 'empty'] as const)),
  (draw, atMs) => putPolicy(atMs, { ...policy, tags: { run: String(draw.between(1, 9)) } }, 'the policy gets other tags', 'tags-edited'),
];

/** For minutes no launch is allowed: a right was taken away, or the organisation forbids it. Members are lost meanwhile, one after another. */
const denied = (draw: Draw, world: DrawnWorld): DrawnWorld => {
  const fromMs = seconds(draw, 1, 20);
  const fault = denyLaunches(fromMs, fromMs + minutes(draw, 3, 15));
  const lose = draw.one([interrupt, kill, recommendRebalance]);
  const losses = [1, 2, 3].map((turn) => lose(fromMs + turn * seconds(draw, 10, 90), draw.between(1, 3)));
  const steps = draw.chance(0.6) ? losses : [...world.steps, ...losses];
  return { ...world, steps, faults: [fault], calmAtMs: calmAfter(steps, [fault]) };
};

export const outage: Profile = {
  about: 'one API down for up to ten minutes or throttled for up to an hour, events lost or late for minutes',
  weight: 4,
  draw: (draw) => {
    const landscape = { ...plainLandscape, spot: draw.between(2, 5), targetGroups: drawTargetGroups(draw) };
    const size = { min: 1, max: 10, desired: draw.between(3, 6) };
    const policy = { capacity: randomTree(draw), ...alarmsBy('+2', '-2'), ...drawHabits(draw) };
    const asg = { min: draw.one([0, 2]) };
    const placed = groupIn(landscape, { name: 'web', holding: draw.one(holdings), size, targetGroups: namesOf(landscape), policy, asg });
    const faults = [...Array.from({ length: draw.between(1, 2) }, () => draw.one(outages)(draw)), ...(draw.chance(0.2) ? drawFaults(draw) : [])];
    const steps = drawSome(draw, needs(placed.policy), { least: 1, most: 4, withinSeconds: 240 });
    if (draw.chance(0.3)) return denied(draw, worldOf(draw, { landscape, placed, size, steps, faults: 0, restWithinMs: 1_200_000 }));
    return {
      ...worldOf(draw, { landscape, placed, size, steps, faults: 0, restWithinMs: 1_200_000 }),
      faults,
      calmAtMs: calmAfter(steps, faults),
      // An error of a service's own is what other judges take for a fault of the sandbox.
    };
  },
};
