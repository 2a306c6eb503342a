import type { Draw } from '../random-draw.ts';
import { randomTree } from '../random-tree.ts';
import type { Step } from '../situation.ts';
import { alarm, endThroughEc2, interrupt, kill, loseZone, recommendRebalance } from '../steps.ts';
import { groupIn, holdings, plainLandscape, zones } from '../worlds.ts';
import type { Profile } from './profile.ts';
import { alarmsBy, drawHabits, worldOf } from './usual.ts';

const large: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => interrupt(atMs, draw.between(100, 600), draw.one([120_000, 120_000, 30_000])),
  (draw, atMs) => kill(atMs, draw.between(20, 300)),
];

const little: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => interrupt(atMs, draw.between(1, 10)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(5, 20)),
  (draw, atMs) => endThroughEc2(atMs, draw.between(1, 20)),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
];

/** EC2 launches two instances a second for an account whose bucket is empty, and the bucket holds 1,000. */
const refillMs = 500;
const bucketFullMs = 1_000 * refillMs;
const mostMembers = 2_400;

/**
 * One group of about 2,000 members. A world takes as long as a hundred others, so seeds alone never draw it: `--profile huge` plays it.
 * Nothing happens before the bucket is full again, and all that happens needs no more than the bucket holds.
 */
export const huge: Profile = {
  about: 'one group of 1,600 to 2,400 members',
  weight: 0,
  draw: (draw) => {
    const desired = draw.between(1_600, 2_200);
    const targetGroups = plainLandscape.targetGroups.map((group) => ({ ...group, mostTargets: 2 * mostMembers }));
    const landscape = { ...plainLandscape, spot: Math.ceil(0.38 * desired), targetGroups };
    const size = { min: 10, max: mostMembers, desired };
    const policy = {
      capacity: randomTree(draw),
      ...alarmsBy('+5%', '-5%'),
      ...drawHabits(draw),
      swap: { order: draw.one(['launch-first', 'drain-first']), maxSurge: draw.one([10, 50, 100]) },
    };
    const asg = { min: 0, max: mostMembers };
    const placed = groupIn(landscape, { name: 'web', holding: draw.one(holdings), size, targetGroups: ['web'], policy, asg });
    const steps = [
      draw.one(large)(draw, bucketFullMs + draw.between(1, 90) * 1_000),
      ...Array.from({ length: draw.between(0, 2) }, () => draw.one(little)(draw, bucketFullMs + draw.between(1, 90) * 1_000)),
    ];
    const restWithinMs = 1_800_000 + desired * refillMs;
    return worldOf(draw, { landscape, placed, size, steps, faults: 0.3, restWithinMs });
  },
};
