import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import { denyLaunches } from '../denied.ts';
import type { Draw } from '../random-draw.ts';
import { adviseNewest, alarm, interrupt, kill, recommendRebalance } from '../steps.ts';
import { holdings, type Landscape } from '../worlds.ts';
import { type DrawnWorld, minutes, type Profile, seconds } from './profile.ts';
import { worldFrom } from './rare.ts';

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

const momentWorlds: readonly Moment[] = [newcomerAdvised, warnedWhileDraining, lostBeforeDrain, notReleased, writtenOver];

export const moments: Profile = {
  about: 'what meets a change that is under way: advice, warnings and outages in the middle of launches and drains',
  // A seed chooses it by a stream of its own.
  weight: 0,
  draw: (draw) => draw.one(momentWorlds)(draw),
};
