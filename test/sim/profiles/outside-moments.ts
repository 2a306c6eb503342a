import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import { noCapacity } from '../capacity-steps.ts';
import { watchedBy } from '../outside-steps.ts';
import type { Draw } from '../random-draw.ts';
import type { Step } from '../situation.ts';
import { deletePolicy, interrupt, putPolicy } from '../steps.ts';
import { groupIn, plainLandscape, specOf, zones } from '../worlds.ts';
import { calmAfter, type DrawnWorld, minutes, seconds } from './profile.ts';

const asg = 'web-asg';
type Document = Readonly<Record<string, unknown>>;

type Parts = {
  readonly steps: (policy: Document, losesAtMs: number) => readonly Step[];
  /** How late describes of Auto Scaling groups are, in seconds. */
  readonly lag?: readonly [number, number];
  readonly faults?: (losesAtMs: number) => readonly FaultInput[];
};

/** Spot goes with some members, so Holdfast attaches others on demand. Something meets these attaches. */
const attachesIn = (draw: Draw, { steps, lag = [0, 0], faults = () => [] }: Parts): DrawnWorld => {
  const landscape = { ...plainLandscape, spot: 3, timing: { asgLagSeconds: lag } };
  const desired = draw.between(4, 6);
  const options = { min: 1, max: 12, market: 'spot' as const };
  const placed = groupIn(landscape, {
    name: 'web',
    holding: 'attach',
    size: { min: 1, max: 12, desired },
    targetGroups: ['web'],
    policy: { size: { from: 'asg', min: 0, max: 12 } },
    asg: options,
  });
  const losesAtMs = seconds(draw, 2, 20);
  const refused = noCapacity(500, minutes(draw, 12, 15), ['spot'], zones);
  const script = [refused, interrupt(losesAtMs, draw.between(1, 2)), ...steps(placed.policy, losesAtMs)];
  const met = faults(losesAtMs);
  return {
    spec: specOf(landscape, placed.asgs),
    policies: [placed.policy],
    asked: { web: { size: desired } },
    steps: script,
    faults: met,
    clockErrorMs: 0,
    calmAtMs: calmAfter(script, met),
    restWithinMs: 1_200_000,
  };
};

type Moment = (draw: Draw) => DrawnWorld;

/** Somebody sets the very number that an attach had made, and sets it again after Holdfast has lowered it. */
const sameNumberAgain: Moment = (draw) =>
  attachesIn(draw, {
    lag: [3, 6],
    steps: (_, losesAtMs) => [
      watchedBy(1_000, { asg, everyMs: draw.one([1_000, 3_000, 5_000]), by: 0 }, 120_000),
      interrupt(losesAtMs + seconds(draw, 60, 150), 1),
      interrupt(losesAtMs + seconds(draw, 180, 300), 1),
    ],
  });

/** Somebody lowers the size as soon as members join. Describes are late, so they show the lower size and not the members. */
const fewerAsTheyJoin: Moment = (draw) => {
  const waitsMs = draw.between(0, 6) * 1_000;
  return attachesIn(draw, {
    lag: [4, 8],
    steps: (_, losesAtMs) => [
      watchedBy(1_000, { asg, everyMs: 500, by: -1, waitsMs }, 300_000),
      interrupt(losesAtMs + seconds(draw, 4, 30), 1),
      interrupt(losesAtMs + seconds(draw, 60, 120), 1),
    ],
  });
};

/** One after the other joins, while what the first ones added cannot be taken off. */
const joinOneByOne: Moment = (draw) =>
  attachesIn(draw, {
    steps: (_, losesAtMs) => [interrupt(losesAtMs + seconds(draw, 5, 20), 1), interrupt(losesAtMs + seconds(draw, 25, 60), 1)],
    faults: (losesAtMs) => [
      {
        on: 'call',
        kind: 'throttle',
        match: { operation: 'UpdateAutoScalingGroup' },
        fromMs: losesAtMs,
        untilMs: losesAtMs + seconds(draw, 60, 150),
      },
    ],
  });

const diesAttaching = (draw: Draw, fromMs: number): FaultInput => ({
  on: 'call',
  kind: 'crash-caller',
  when: 'after',
  times: draw.between(1, 2),
  match: { operation: 'AttachInstances' },
  fromMs,
});

/** The function dies right after an attach, before others join or what it added is taken off. */
const diesWhileJoining: Moment = (draw) =>
  attachesIn(draw, {
    lag: draw.one([
      [0, 0],
      [3, 6],
    ]),
    steps: (_, losesAtMs) => [interrupt(losesAtMs + seconds(draw, 2, 15), draw.between(1, 2))],
    faults: (losesAtMs) => [diesAttaching(draw, losesAtMs)],
  });

/** The policy is deleted while members join, and written again when EC2 has taken what it had warned. */
const letGoWhileJoining: Moment = (draw) =>
  attachesIn(draw, {
    steps: (policy, losesAtMs) => {
      const backAtMs = losesAtMs + seconds(draw, 130, 250);
      return [deletePolicy(losesAtMs + seconds(draw, 15, 50)), putPolicy(backAtMs, policy, 'the policy comes back')];
    },
    faults: (losesAtMs) => [diesAttaching(draw, losesAtMs)],
  });

const moments: readonly Moment[] = [sameNumberAgain, fewerAsTheyJoin, joinOneByOne, diesWhileJoining, letGoWhileJoining];

/** A world in which something meets an attach to a group whose size others set. */
export const drawAttach = (draw: Draw): DrawnWorld => draw.one(moments)(draw);
