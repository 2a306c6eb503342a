import { noCapacity } from '../capacity-steps.ts';
import type { Draw } from '../random-draw.ts';
import { randomTree } from '../random-tree.ts';
import type { Step } from '../situation.ts';
import { alarm, interrupt, kill, loseZone, recommendRebalance } from '../steps.ts';
import { groupIn, holdings, plainLandscape, zones } from '../worlds.ts';
import { drawSome, minutes, type Profile } from './profile.ts';
import { alarmsBy, drawHabits, drawTargetGroups, namesOf, worldOf } from './usual.ts';

/** How often a group may launch: seldom enough that losses meet the limit, and often enough that it comes up. */
const drawLaunches = (draw: Draw, desired: number) => ({
  atMost: draw.one([desired + draw.between(2, 5), 2 * desired, '100%', '200%']),
  within: draw.one(['2m', '5m', '10m']),
});

const drawBreaker = (draw: Draw) => ({
  interruptions: draw.between(2, 5),
  within: draw.one(['3m', '10m']),
  hold: draw.one(['1m', '3m', '10m']),
});

/** What policies say of bounds. */
export const drawBounds = (draw: Draw, desired: number) => ({
  ...(draw.chance(0.7) ? { launches: drawLaunches(draw, desired) } : {}),
  ...(draw.chance(0.6) ? { breaker: drawBreaker(draw) } : {}),
  ...(draw.chance(0.5) ? { rebalance: { act: true, atMostPerHour: draw.between(1, 3) } } : {}),
});

const losses: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => kill(atMs, draw.between(1, 5)),
  (draw, atMs) => kill(atMs, draw.between(1, 5)),
  (draw, atMs) => kill(atMs, draw.between(1, 5)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 5)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 5)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 4)),
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => noCapacity(atMs, minutes(draw, 1, 4), ['spot'], zones),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
];

/** In this time a breaker is half-open for as long as most policies hold it, and nothing else happens. */
const untilClosedMs = 900_000;

export const bounds: Profile = {
  about: 'policies that bound how often a group launches, and losses that meet the bounds',
  weight: 6,
  draw: (draw) => {
    const landscape = { ...plainLandscape, spot: draw.between(4, 8), targetGroups: drawTargetGroups(draw) };
    const size = { min: 1, max: 12, desired: draw.between(3, 7) };
    const placed = groupIn(landscape, {
      name: 'web',
      holding: draw.one(holdings),
      size,
      targetGroups: namesOf(landscape),
      policy: {
        capacity: randomTree(draw),
        ...alarmsBy('+2', '-2'),
        ...drawHabits(draw),
        ...drawBounds(draw, size.desired),
      },
      asg: { min: 0 },
    });
    const steps = drawSome(draw, losses, { least: 3, most: 9, withinSeconds: 420 });
    const world = worldOf(draw, { landscape, placed, size, steps, faults: 0.3, restWithinMs: 1_800_000 });
    return draw.chance(0.25) ? { ...world, calmAtMs: world.calmAtMs + untilClosedMs } : world;
  },
};
