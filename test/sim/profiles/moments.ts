import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import { denyLaunches } from '../denied.ts';
import type { Draw } from '../random-draw.ts';
import { adviseNewest, alarm, interrupt, kill, recommendRebalance } from '../steps.ts';
import { restoreState } from '../table-steps.ts';
import { holdings, type Landscape, onDemandPools, spotPools } from '../worlds.ts';
import { type DrawnWorld, minutes, type Profile, seconds } from './profile.ts';
import { worldFrom } from './rare.ts';
import { alarmsBy } from './usual.ts';

type Moment = (draw: Draw) => DrawnWorld;

/** One target group that waits for so long for the connections of members that leave. */
const waitingFor = (draw: Draw, delays: readonly number[]): Pick<Landscape, 'targetGroups'> => ({
  targetGroups: [{ name: 'web', deregistrationDelaySeconds: draw.one(delays) }],
});

const swapping = (order: 'launch-first' | 'drain-first', maxSurge: number) => ({
  swap: { order, maxSurge },
  rebalance: { act: true },
  drain: { timeout: '5m' },
});

/** With drain-first, a member is lost, and EC2 advises to leave the one that comes up in its place. */
const newcomerAdvised: Moment = (draw) => {
  const lostAtMs = seconds(draw, 2, 20);
  return worldFrom(draw, {
    holding: draw.one(['tag', 'attach']),
    landscape: waitingFor(draw, [60, 120, 300]),
    policy: swapping('drain-first', draw.between(1, 2)),
    steps: () => [kill(lostAtMs, 1), adviseNewest(lostAtMs + seconds(draw, 6, 30), 1)],
  });
};

/** Members drain because of advice, and EC2 warns them together with others that serve. */
const warnedWhileDraining: Moment = (draw) =>
  worldFrom(draw, {
    holding: draw.one(holdings),
    landscape: waitingFor(draw, [60, 120]),
    policy: swapping('launch-first', draw.between(1, 2)),
    desired: draw.between(5, 6),
    steps: () => [recommendRebalance(2_000, draw.between(1, 2)), interrupt(seconds(draw, 45, 100), draw.between(3, 4))],
  });

/** Members that may leave for advice wait for Step Functions. Meanwhile others are lost, and nothing can be launched. */
const lostBeforeDrain: Moment = (draw) => {
  const startsAtMs = seconds(draw, 90, 120);
  const down: FaultInput = { on: 'call', kind: 'throttle', match: { operation: 'StartExecution' }, fromMs: 8_000, untilMs: startsAtMs };
  const denied = denyLaunches(55_000, startsAtMs + minutes(draw, 2, 3));
  return worldFrom(draw, {
    holding: 'tag',
    policy: swapping('launch-first', draw.between(1, 2)),
    steps: () => [recommendRebalance(2_000, draw.between(1, 2)), kill(seconds(draw, 60, 75), draw.between(1, 2))],
    faults: [down, denied],
  });
};

/** For some time, Elastic Load Balancing takes no member out of service. */
const notReleased: Moment = (draw) => {
  const down: FaultInput = { on: 'call', kind: 'throttle', match: { operation: 'DeregisterTargets' }, fromMs: 0, untilMs: seconds(draw, 30, 100) };
  return worldFrom(draw, {
    holding: 'tag',
    landscape: waitingFor(draw, [5, 20]),
    steps: () => [interrupt(seconds(draw, 1, 20), draw.between(1, 2)), draw.chance(0.5) ? alarm(2_000, 'low') : recommendRebalance(3_000, 1)],
    faults: [down],
  });
};

/** Responses of the tables come late or never, and the same messages reach two functions. */
const writtenOver: Moment = (draw) =>
  worldFrom(draw, {
    holding: draw.one(['tag', 'attach']),
    steps: () => [interrupt(seconds(draw, 2, 30), draw.between(1, 2)), kill(seconds(draw, 30, 60), 1), interrupt(seconds(draw, 60, 90), 1)],
    faults: [
      {
        on: 'call',
        kind: 'lose-answer',
        when: 'after',
        as: 'timeout',
        afterMs: seconds(draw, 1, 3),
        probability: draw.one([0.1, 0.3]),
        match: { service: 'dynamodb', operation: 'PutItem' },
      },
      { on: 'message', kind: 'duplicate', withinMs: draw.one([500, 2_000]) },
    ],
  });

/** Trees and limits that place each launch by where the others are, those included that no describe shows yet. */
const byOthers = (draw: Draw) =>
  draw.one([
    { capacity: { tiered: [{ spread: spotPools }, { spread: onDemandPools }] } },
    { capacity: { tiered: [{ spread: spotPools, by: 'zone' }, { spread: onDemandPools }] } },
    { capacity: { tiered: [{ weighted: spotPools.map((use, index) => ({ use, weight: 1 + index })) }, { spread: onDemandPools }] } },
    { capacity: { tiered: [...spotPools, ...onDemandPools] }, maxShare: { zone: `${draw.between(40, 60)}%` } },
    { capacity: { tiered: [{ cheapest: spotPools }, { cheapest: onDemandPools }] }, maxShare: { offering: `${draw.between(35, 50)}%` } },
    { capacity: { tiered: [{ spread: spotPools }, { spread: onDemandPools }] }, onDemand: { floor: draw.between(1, 3) } },
  ]);

/** One member after the other dies or is taken, and describes show replacements only when all of them are requested. */
const shownLate: Moment = (draw) => {
  const [firstAtMs, everyMs, count] = [seconds(draw, 60, 90), draw.one([3_000, 5_000]), draw.between(4, 6)];
  // What EC2 takes is used last, whatever the tree says. So deaths alone show where the tree places launches.
  const loses = draw.one([kill, kill, interrupt]);
  const losses = Array.from({ length: count }, (_, index) => loses(firstAtMs + index * everyMs, 1));
  return worldFrom(draw, {
    holding: draw.one(['tag', 'tag', 'attach']),
    landscape: { spot: draw.between(6, 10), timing: { lagSeconds: [25, 40] } },
    desired: draw.between(5, 9),
    max: 16,
    policy: byOthers(draw),
    steps: () => [...losses, ...(draw.chance(0.4) ? [alarm(seconds(draw, 70, 110), 'high')] : [])],
  });
};

/** With drain-first, EC2 advises to replace members of a group that knows that its launches are denied. One member less may serve. */
const advisedWhileDenied: Moment = (draw) => {
  const untilMs = minutes(draw, 8, 12);
  return worldFrom(draw, {
    holding: draw.one(['tag', 'attach']),
    policy: swapping('drain-first', draw.between(2, 3)),
    desired: draw.between(4, 6),
    steps: () => [
      kill(seconds(draw, 2, 20), 1),
      recommendRebalance(seconds(draw, 150, 400), draw.between(1, 2)),
      recommendRebalance(seconds(draw, 150, 400), 1),
    ],
    faults: [denyLaunches(0, untilMs)],
  });
};

/** A group with weights becomes half as large, a few members at a time or all at once. The tree alone says who leaves. */
const weightsShrink: Moment = (draw) => {
  const weights = draw.one([
    [7, 2, 1],
    [8, 1, 1],
    [6, 3, 1],
  ]);
  return worldFrom(draw, {
    // Auto Scaling groups have minimum sizes of their own, and begin with members of their own choice.
    holding: 'tag',
    landscape: { spot: 24 },
    desired: draw.between(16, 20),
    max: 24,
    policy: {
      capacity: { tiered: [{ weighted: spotPools.map((use, index) => ({ use, weight: weights[index] ?? 1 })) }, { spread: onDemandPools }] },
      removal: { order: 'same-order' },
      ...alarmsBy('+2', '-50%'),
    },
    steps: () => [alarm(seconds(draw, 2, 30), 'low'), alarm(minutes(draw, 4, 6), 'low')],
  });
};

/** The health of targets cannot be read while replacements boot. */
const unreadHealth: Moment = (draw) => {
  const fromMs = seconds(draw, 10, 20);
  return worldFrom(draw, {
    holding: draw.one(['tag', 'attach']),
    landscape: { timing: { bootSeconds: [60, 120] } },
    policy: swapping(draw.one(['launch-first', 'launch-first', 'drain-first']), draw.between(1, 2)),
    steps: () => [recommendRebalance(seconds(draw, 2, 12), draw.between(1, 3)), ...(draw.chance(0.5) ? [alarm(seconds(draw, 20, 60), 'low')] : [])],
    faults: [{ on: 'call', kind: 'throttle', match: { operation: 'DescribeTargetHealth' }, fromMs, untilMs: fromMs + seconds(draw, 60, 150) }],
  });
};

/** An Auto Scaling group is as large as its owner lets it be, so each replacement needs a raised maximum for a while. */
const atMaximum: Moment = (draw) => {
  const desired = draw.between(4, 6);
  return worldFrom(draw, {
    holding: 'attach',
    landscape: { timing: { bootSeconds: [5, 40] } },
    policy: swapping('launch-first', draw.between(1, 2)),
    desired,
    asg: { max: desired },
    steps: () => [
      draw.one([kill, recommendRebalance])(seconds(draw, 2, 20), draw.between(1, 2)),
      interrupt(seconds(draw, 20, 200), draw.between(1, 2)),
    ],
  });
};

/** The function that launches for lost members is killed right before its request. */
const killedBeforeLaunch: Moment = (draw) => {
  const fromMs = seconds(draw, 60, 90);
  const operation: [string, ...string[]] = ['CreateFleet', 'LaunchInstances'];
  return worldFrom(draw, {
    holding: draw.one(holdings),
    steps: () => [interrupt(fromMs, draw.between(1, 2))],
    faults: [{ on: 'call', kind: 'crash-caller', when: 'before', times: 1, match: { operation }, fromMs, untilMs: fromMs + 15_000 }],
  });
};

/** EC2 throttles the call that tags what an Auto Scaling group launched for a warned member. */
const untagged: Moment = (draw) => {
  const fromMs = seconds(draw, 60, 90);
  return worldFrom(draw, {
    holding: 'launch-instances',
    steps: () => [interrupt(fromMs, draw.one([1, 1, 2]))],
    faults: [{ on: 'call', kind: 'throttle', match: { operation: 'CreateTags' }, fromMs, untilMs: fromMs + seconds(draw, 30, 60) }],
  });
};

/** The state table is emptied while EC2 takes members whose replacements serve, and functions that had read the warnings die. */
const lostWarnings: Moment = (draw) => {
  const [warnedAtMs, desired] = [seconds(draw, 2, 20), draw.between(3, 6)];
  const lostAtMs = warnedAtMs + seconds(draw, 20, 40);
  return worldFrom(draw, {
    holding: draw.one(['tag', 'attach']),
    landscape: { timing: { bootSeconds: [5, 15] } },
    desired,
    // A size that cannot grow does not follow the members that are there. No maximum is raised, because the table alone knows which were.
    max: desired,
    asg: { max: 12 },
    steps: () => [interrupt(warnedAtMs, draw.between(1, 2)), restoreState(lostAtMs, 'empty')],
    faults: [{ on: 'call', kind: 'crash-caller', when: 'before', match: { operation: 'Query' }, fromMs: lostAtMs, untilMs: lostAtMs + 5_000 }],
  });
};

/** Members that leave by choice drain for longer than their policy lets them, and somebody ends them before. */
const endedWhileDraining: Moment = (draw) => {
  const desired = draw.between(5, 6);
  return worldFrom(draw, {
    holding: draw.one(['tag', 'attach']),
    landscape: waitingFor(draw, [120, 300]),
    desired,
    policy: { drain: { timeout: '1m' }, removal: { order: 'newest-first' }, ...alarmsBy('+2', '-2') },
    // The newest members leave, and the newest ones die.
    steps: () => [alarm(seconds(draw, 2, 10), 'low'), kill(seconds(draw, 25, 55), draw.between(1, 2))],
  });
};

const momentWorlds: readonly Moment[] = [newcomerAdvised, warnedWhileDraining, lostBeforeDrain, notReleased, writtenOver];

/** Worlds that were added later. One of them takes the place of a drawn world, so that the other seeds are as they were. */
const laterWorlds: readonly Moment[] = [shownLate, shownLate, advisedWhileDenied, weightsShrink, unreadHealth, atMaximum];
const laterShare = 0.5;

/** Worlds that were added after those, in the same way. */
const latestWorlds: readonly Moment[] = [killedBeforeLaunch, untagged];
const earlierShare = 0.87;

/** Worlds that were added last, in the same way. */
const lastWorlds: readonly Moment[] = [lostWarnings, endedWhileDraining];
const allOthersShare = 0.88;

export const moments: Profile = {
  about: 'what meets a change that is under way: advice, warnings and outages in the middle of launches and drains',
  // A seed chooses it by a stream of its own.
  weight: 0,
  draw: (draw) => {
    const drawn = draw.one(momentWorlds)(draw);
    const later = draw.chance(laterShare) ? draw.one(laterWorlds)(draw) : drawn;
    const latest = draw.chance(earlierShare) ? later : draw.one(latestWorlds)(draw);
    return draw.chance(allOthersShare) ? latest : draw.one(lastWorlds)(draw);
  },
};
