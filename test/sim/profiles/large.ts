import type { Draw } from '../random-draw.ts';
import { randomTree } from '../random-tree.ts';
import type { Step } from '../situation.ts';
import { alarm, endThroughEc2, fewEverywhere, interrupt, kill, loseZone, recommendRebalance } from '../steps.ts';
import { catalogue, groupIn, holdings, plainLandscape, zones } from '../worlds.ts';
import { drawSome, type Profile } from './profile.ts';
import { alarmsBy, drawHabits, worldOf } from './usual.ts';

const steps: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => interrupt(atMs, draw.between(10, 80), draw.one([120_000, 120_000, 30_000])),
  (draw, atMs) => recommendRebalance(atMs, draw.between(5, 40)),
  (draw, atMs) => kill(atMs, draw.between(1, 30)),
  (draw, atMs) => endThroughEc2(atMs, draw.between(1, 20)),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
  (_, atMs) => fewEverywhere(atMs, zones),
];

/** Every member may have been launched on demand, and moves to spot: a few at a time, each with its boot, its checks and its drain. */
const movesWithinMs = (desired: number, maxSurge: number): number => Math.ceil(desired / maxSurge) * 150_000;

export const large: Profile = {
  about: 'one group of 40 to 200 members',
  weight: 2,
  draw: (draw) => {
    const desired = draw.between(40, 200);
    const types = catalogue.slice(0, draw.between(1, 2));
    const landscape = { ...plainLandscape, types, spot: Math.ceil((desired * draw.between(3, 10)) / (10 * types.length)) };
    const size = { min: 10, max: 260, desired };
    const policy = {
      capacity: randomTree(draw),
      ...alarmsBy('+20%', '-10%'),
      ...drawHabits(draw),
      swap: { order: draw.one(['launch-first', 'drain-first']), maxSurge: draw.one([3, 10, 30]) },
    };
    const asg = { min: 0, max: 260 };
    const placed = groupIn(landscape, { name: 'web', holding: draw.one(holdings), size, targetGroups: ['web'], policy, asg });
    const restWithinMs = 1_800_000 + movesWithinMs(desired, policy.swap.maxSurge);
    return worldOf(draw, { landscape, placed, size, steps: drawSome(draw, steps, { least: 1, most: 3 }), faults: 0.3, restWithinMs });
  },
};
