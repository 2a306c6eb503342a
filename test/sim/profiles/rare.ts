import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import { noCapacity } from '../capacity-steps.ts';
import { denyLaunches } from '../denied.ts';
import { takeReservation } from '../ending-steps.ts';
import { protect } from '../member-steps.ts';
import { launchStray } from '../operator-steps.ts';
import type { Draw } from '../random-draw.ts';
import type { Step } from '../situation.ts';
import { alarm, interrupt, kill, loseZone, putPolicy, recommendRebalance } from '../steps.ts';
import { type GroupOptions, groupIn, type HoldingKind, holdings, type Landscape, plainLandscape, subnetsIn, zones } from '../worlds.ts';
import { calmAfter, type DrawnWorld, minutes, type Profile, seconds } from './profile.ts';
import { alarmsBy, drawHabits, worldOf } from './usual.ts';

type Parts = {
  readonly holding: HoldingKind;
  readonly landscape?: Partial<Landscape>;
  readonly policy?: Readonly<Record<string, unknown>>;
  readonly asg?: GroupOptions['asg'];
  readonly pools?: GroupOptions['pools'];
  readonly desired?: number;
  readonly max?: number;
  readonly steps: (policy: Readonly<Record<string, unknown>>) => readonly Step[];
  readonly faults?: readonly FaultInput[];
};

/** A world of one group that is made of these parts. */
export const worldFrom = (
  draw: Draw,
  { holding, landscape: more, policy, asg, pools, desired = draw.between(4, 6), max = 12, steps, faults = [] }: Parts,
): DrawnWorld => {
  const landscape = { ...plainLandscape, spot: draw.between(4, 8), ...more };
  const size = { min: 1, max, desired };
  const options = { name: 'web', holding, size, targetGroups: landscape.targetGroups.map(({ name }) => name) };
  const placed = groupIn(landscape, {
    ...options,
    policy: { ...alarmsBy('+2', '-2'), ...drawHabits(draw), ...policy },
    ...(asg && { asg }),
    ...(pools && { pools }),
  });
  const script = steps(placed.policy);
  const world = worldOf(draw, { landscape, placed, size, steps: script, faults: 0, restWithinMs: 1_200_000 });
  return { ...world, faults, calmAtMs: calmAfter(script, faults) };
};

type Rare = (draw: Draw) => DrawnWorld;

/** Every Auto Scaling group of the first tier reaches the maximum that its owner gave it. */
const fullMaxima: Rare = (draw) =>
  worldFrom(draw, {
    holding: 'launch-instances',
    landscape: { spot: 8 },
    desired: draw.between(5, 6),
    asg: { max: draw.between(2, 3) },
    steps: () => [loseZone(seconds(draw, 1, 20), draw.one(zones)), interrupt(seconds(draw, 30, 90), draw.between(1, 3))],
  });

const names = ['m7g.large', 'm6g.large', 'c7g.xlarge', 'r7g.large', 'c6g.xlarge', 'r6g.large', 'm6gd.large', 'c6gn.xlarge'];

/** A pool of many offerings, none of which gives for minutes. */
const manyRefused: Rare = (draw) =>
  worldFrom(draw, {
    holding: 'tag',
    landscape: { types: names.slice(0, draw.between(4, 8)).map((name) => ({ name, spotUsd: 0.03, onDemandUsd: 0.08 })) },
    policy: { capacity: { tiered: ['spot-a', 'od-b'] } },
    pools: { 'spot-a': { subnets: zones.flatMap((zone) => subnetsIn({ subnetsPerZone: 1 }, zone)) } },
    steps: () => [
      noCapacity(1_000, minutes(draw, 2, 5), ['spot'], zones),
      interrupt(seconds(draw, 2, 20), draw.between(1, 2)),
      kill(seconds(draw, 30, 100), draw.between(1, 2)),
    ],
  });

/** Drains of a surplus cannot begin, because the tables do not answer. Meanwhile others are lost, and nothing can be launched. */
const neededAfterAll: Rare = (draw) => {
  const [fromMs, downMs] = [draw.between(3_000, 4_500), seconds(draw, 20, 60)];
  const down: FaultInput = { on: 'call', kind: 'throttle', match: { service: 'dynamodb' }, fromMs, untilMs: fromMs + downMs };
  return worldFrom(draw, {
    holding: 'tag',
    desired: 6,
    steps: () => [alarm(2_000, 'low'), kill(fromMs + downMs - seconds(draw, 1, 15), draw.between(2, 3))],
    faults: [down, denyLaunches(0, minutes(draw, 3, 5))],
  });
};

/** Members on demand run in a capacity reservation whose owner takes it back. */
const reservationTaken: Rare = (draw) =>
  worldFrom(draw, {
    holding: draw.one(['tag', 'attach']),
    policy: { capacity: { spread: ['od-b', 'od-c'] } },
    asg: { market: 'on-demand' },
    steps: () => [takeReservation(seconds(draw, 2, 30), draw.between(1, 3)), takeReservation(seconds(draw, 60, 150), 1)],
  });

/** An instance carries the tag of the group and is no member: it is given time, and then ended. */
const strays: Rare = (draw) =>
  worldFrom(draw, {
    holding: 'tag',
    steps: () => [launchStray(seconds(draw, 2, 30)), interrupt(seconds(draw, 60, 400), 1), kill(seconds(draw, 60, 600), 1)],
  });

/** The policy changes between the look and the write of a decision about a loss. */
const editedMeanwhile: Rare = (draw) => {
  const atMs = seconds(draw, 60, 80);
  const edit = (policy: Readonly<Record<string, unknown>>): Step =>
    putPolicy(
      atMs + draw.between(1_300, 3_500),
      { ...policy, tags: { run: String(draw.between(1, 9)) } },
      'the policy gets other tags',
      'tags-edited',
    );
  const slow = (nth: number): FaultInput => ({
    on: 'call',
    kind: 'delay',
    delayMs: 4_000,
    nth,
    match: { operation: 'DescribeInstances' },
    fromMs: atMs,
  });
  return worldFrom(draw, { holding: 'tag', steps: (policy) => [kill(atMs, 1), interrupt(atMs, 1), edit(policy)], faults: [slow(1), slow(2)] });
};

/** The minimum of an Auto Scaling group keeps members that the policy wants to let go. */
const keptByMinimum: Rare = (draw) =>
  worldFrom(draw, {
    holding: 'attach',
    desired: 6,
    asg: { min: draw.between(5, 6) },
    steps: (policy) => [
      alarm(seconds(draw, 2, 20), 'low'),
      putPolicy(minutes(draw, 2, 3), { ...policy, size: 3 }, 'the policy asks for three', 'size-edited'),
    ],
  });

/** More advice comes within an hour than the policy follows. */
const muchAdvice: Rare = (draw) =>
  worldFrom(draw, {
    holding: draw.one(holdings),
    policy: { rebalance: { act: true, atMostPerHour: draw.between(1, 2) } },
    steps: () => [recommendRebalance(seconds(draw, 2, 20), draw.between(2, 4)), recommendRebalance(seconds(draw, 90, 300), draw.between(1, 3))],
  });

/** While Holdfast only observes, an Auto Scaling group replaces its members by itself, once there is capacity. */
const refilledWhileObserved: Rare = (draw) => {
  const actsAtMs = minutes(draw, 6, 9);
  return worldFrom(draw, {
    holding: 'attach',
    steps: (policy) => [
      putPolicy(2_000, { ...policy, mode: 'observe' }, 'the mode becomes observe', 'mode-edited'),
      noCapacity(3_000, minutes(draw, 2, 4), ['spot', 'on-demand'], zones),
      kill(seconds(draw, 20, 60), draw.between(1, 2)),
      putPolicy(actsAtMs, policy, 'the mode becomes act', 'mode-edited'),
    ],
  });
};

/** A group on demand is told to shrink, and EC2 lets nobody end some of its members: they were protected before, or while they drain. */
const protectedOnes: Rare = (draw) => {
  const atMs = seconds(draw, 2, 30);
  return worldFrom(draw, {
    holding: 'tag',
    landscape: { targetGroups: [{ name: 'web', deregistrationDelaySeconds: 30 }] },
    policy: { capacity: { spread: ['od-b', 'od-c'] }, removal: { order: 'oldest-first' }, drain: { timeout: '2m' } },
    steps: () => [alarm(atMs, 'low'), protect(atMs + draw.one([-1_000, 1_500, seconds(draw, 4, 25)]), draw.between(1, 3), 'termination', undefined)],
  });
};

const launches: [string, ...string[]] = ['CreateFleet', 'LaunchInstances'];

/** The response of a launch is lost, and EC2 then refuses its token. */
const tokenTaken: Rare = (draw) => {
  const match = { operation: launches };
  const lost = [1, 2, 3].map((nth): FaultInput => ({ on: 'call', kind: 'lose-answer', when: 'after', nth, match }));
  const taken: FaultInput = { on: 'call', kind: 'error', code: 'IdempotentParameterMismatch', status: 400, nth: 4, match };
  return worldFrom(draw, {
    holding: draw.one(holdings),
    steps: () => [interrupt(seconds(draw, 2, 30), draw.between(1, 2))],
    faults: [...lost, taken],
  });
};

/** The launch template is not there for a while. */
const templateGone: Rare = (draw) =>
  worldFrom(draw, {
    holding: draw.one(holdings),
    steps: () => [interrupt(seconds(draw, 5, 30), draw.between(1, 2)), kill(seconds(draw, 5, 60), 1)],
    faults: [
      {
        on: 'call',
        kind: 'error',
        code: 'InvalidLaunchTemplateName.NotFoundException',
        status: 400,
        match: { operation: launches },
        fromMs: 0,
        untilMs: minutes(draw, 1, 3),
      },
    ],
  });

/** EC2 says once of an instance that it does not exist, as describes that lag make it say. */
const saysGone: Rare = (draw) =>
  worldFrom(draw, {
    holding: 'tag',
    steps: () => [alarm(seconds(draw, 2, 20), 'low'), recommendRebalance(seconds(draw, 30, 90), 1)],
    faults: [{ on: 'call', kind: 'error', code: 'InvalidInstanceID.NotFound', status: 400, match: { operation: 'TerminateInstances' }, times: 1 }],
  });

/**
 * Elastic Load Balancing takes nobody out of service for longer than a drain: it denies the call, or fails. Meanwhile members are above the size or at
 * risk, and EC2 may take one.
 */
const notTakenOut: Rare = (draw) => {
  const fromMs = seconds(draw, 1, 4);
  const refusal = draw.one([
    { code: 'AccessDenied', status: 403 },
    { code: 'ServiceUnavailable', status: 503 },
  ]);
  const match = { operation: 'DeregisterTargets' };
  const delays = draw.chance(0.4) ? [5, 20] : [20];
  return worldFrom(draw, {
    holding: draw.one(['tag', 'tag', 'attach']),
    landscape: {
      targetGroups: delays.map((deregistrationDelaySeconds, index) => ({ name: ['web', 'admin'][index] ?? '', deregistrationDelaySeconds })),
    },
    desired: 6,
    policy: { rebalance: { act: true }, drain: { timeout: draw.one(['20s', '30s', '1m']) } },
    steps: () => [
      draw.one([alarm(fromMs + 2_000, 'low'), recommendRebalance(fromMs + 2_000, draw.between(1, 2))]),
      draw.one([recommendRebalance, interrupt, kill])(seconds(draw, 20, 90), 1),
    ],
    faults: [{ on: 'call', kind: 'error', ...refusal, match, fromMs, untilMs: fromMs + minutes(draw, 2, 5) }],
  });
};

const rareWorlds: Readonly<Record<string, Rare>> = {
  fullMaxima,
  manyRefused,
  neededAfterAll,
  reservationTaken,
  strays,
  editedMeanwhile,
  keptByMinimum,
  muchAdvice,
  refilledWhileObserved,
  protectedOnes,
  tokenTaken,
  templateGone,
  saysGone,
};

/** Worlds that were added later. One of them takes the place of a drawn world, so that the other seeds are as they were. */
const laterWorlds: Readonly<Record<string, Rare>> = { notTakenOut };
const laterShare = 0.1;

export const rare: Profile = {
  about: 'what must come together at certain moments, so that draws of other profiles almost never meet it',
  // A seed chooses it by a stream of its own.
  weight: 0,
  draw: (draw) => {
    const drawn = draw.one(Object.values(rareWorlds))(draw);
    return draw.chance(laterShare) ? draw.one(Object.values(laterWorlds))(draw) : drawn;
  },
};
