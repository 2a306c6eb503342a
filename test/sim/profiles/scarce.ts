import { fillSubnet, holdToQuota, noCapacity } from '../capacity-steps.ts';
import type { Draw } from '../random-draw.ts';
import { randomTree } from '../random-tree.ts';
import type { Step } from '../situation.ts';
import { alarm, endThroughEc2, fewEverywhere, interrupt, kill, loseZone, recommendRebalance } from '../steps.ts';
import { groupIn, holdings, type Landscape, plainLandscape, subnetsIn, zones } from '../worlds.ts';
import { type DrawnWorld, drawSome, minutes, type Profile, seconds, withSteps } from './profile.ts';
import { alarmsBy, drawHabits, drawTargetGroups, namesOf, worldOf } from './usual.ts';

const both = ['spot', 'on-demand'] as const;

const shortages = (landscape: Landscape): readonly ((draw: Draw, atMs: number) => Step)[] => [
  (draw, atMs) => noCapacity(atMs, minutes(draw, 1, 8), both, zones),
  (draw, atMs) => noCapacity(atMs, minutes(draw, 1, 15), ['spot'], zones),
  (draw, atMs) => noCapacity(atMs, minutes(draw, 1, 5), ['on-demand'], zones),
  (draw, atMs) => noCapacity(atMs, minutes(draw, 1, 8), both, [draw.one(zones)]),
  (draw, atMs) => holdToQuota(atMs, minutes(draw, 1, 8), draw.one(both), draw.between(0, 2)),
  (draw, atMs) => fillSubnet(atMs, minutes(draw, 1, 10), draw.one(subnetsIn(landscape, draw.one(zones))), draw.between(0, 1)),
  (draw, atMs) => fillSubnet(atMs, minutes(draw, 1, 10), draw.one(subnetsIn(landscape, draw.one(zones))), draw.between(0, 1)),
  (_, atMs) => fewEverywhere(atMs, zones),
];

const needs: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => interrupt(atMs, draw.between(1, 5)),
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => kill(atMs, draw.between(1, 3)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 4)),
  (draw, atMs) => endThroughEc2(atMs, draw.between(1, 3)),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
];

/** One pool over all zones, which a spread counts by zone; other pools keep their names. */
const wide = (landscape: Landscape) => ({ 'spot-a': { subnets: zones.flatMap((zone) => subnetsIn(landscape, zone)) } });

/** A subnet is full for long beside others of its zone that have room, and one member after another is lost. */
const oneOfSubnetsFull = (draw: Draw, world: DrawnWorld, landscape: Landscape): DrawnWorld => {
  const atMs = seconds(draw, 1, 20);
  const full = zones.map((zone) => fillSubnet(atMs, minutes(draw, 8, 12), draw.one(subnetsIn(landscape, zone)), 0));
  const losses = [0, 1, 2, 3].map((turn) => kill(atMs + seconds(draw, 5, 40) + turn * 90_000, 1));
  const change = { capacity: { tiered: [{ spread: ['spot-a', 'spot-b', 'spot-c'] }, { spread: ['od-b', 'od-c'] }] } };
  return withSteps({ ...world, policies: world.policies.map((policy) => ({ ...policy, ...change })), steps: [] }, [...full, ...losses]);
};

export const scarce: Profile = {
  about: 'no capacity anywhere or almost, quotas, full subnets beside empty ones, several subnets to a pool',
  weight: 6,
  draw: (draw) => {
    const landscape = { ...plainLandscape, spot: draw.between(2, 4), subnetsPerZone: draw.between(1, 3), targetGroups: drawTargetGroups(draw) };
    const holding = draw.one(holdings);
    const size = { min: 1, max: 12, desired: draw.between(3, 7) };
    const isWide = holding !== 'launch-instances' && draw.chance(0.4);
    const tree = { tiered: [{ spread: ['spot-a'], by: 'zone' }, { spread: ['od-b', 'od-c'] }] };
    const placed = groupIn(landscape, {
      name: 'web',
      holding,
      size,
      targetGroups: namesOf(landscape),
      policy: { capacity: isWide ? tree : randomTree(draw), ...alarmsBy('+2', '-2'), ...drawHabits(draw) },
      asg: { min: draw.one([0, 1]) },
      ...(isWide ? { pools: wide(landscape) } : {}),
    });
    const steps = [
      ...drawSome(draw, shortages(landscape), { least: 1, most: 3, withinSeconds: 60 }),
      ...drawSome(draw, needs, { least: 1, most: 3, withinSeconds: 120 }),
    ];
    // What rests longest after many refusals is asked again only then.
    const world = worldOf(draw, { landscape, placed, size, steps, faults: 0.3, restWithinMs: 1_800_000 });
    return landscape.subnetsPerZone > 1 && draw.chance(0.35) ? oneOfSubnetsFull(draw, world, landscape) : world;
  },
};
