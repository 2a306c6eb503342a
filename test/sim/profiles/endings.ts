import { agesOf, oldEvents, replayOldEvent, scheduleRetirement, stopForAWhile, stopUnannounced, trickle, warnInVain } from '../ending-steps.ts';
import type { Draw } from '../random-draw.ts';
import { randomTree } from '../random-tree.ts';
import type { Step } from '../situation.ts';
import { interrupt, killPending, loseZone, recommendRebalance, setSpot, warnAgain } from '../steps.ts';
import { groupIn, holdings, plainLandscape, subnetsIn, zones } from '../worlds.ts';
import { type DrawnWorld, drawSome, minutes, type Profile, seconds, withSteps } from './profile.ts';
import { alarmsBy, drawHabits, drawTargetGroups, namesOf, worldOf } from './usual.ts';

const replay = (draw: Draw, atMs: number): Step => {
  const event = draw.one(oldEvents);
  return replayOldEvent(atMs, event, draw.one(agesOf(event)), draw.between(1, 3));
};

const steps: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => stopForAWhile(atMs, draw.between(1, 3), draw.one(['stop', 'hibernate']), seconds(draw, 60, 900)),
  (draw, atMs) => stopForAWhile(atMs, draw.between(1, 3), draw.one(['stop', 'hibernate']), seconds(draw, 60, 900)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 3), 120_000, 'web', 'stop'),
  (draw, atMs) => interrupt(atMs, draw.between(1, 3), 0, 'web', 'hibernate'),
  (draw, atMs) => interrupt(atMs, draw.between(1, 4), draw.one([0, 5_000, 60_000])),
  replay,
  replay,
  replay,
  (draw, atMs) => trickle(atMs, minutes(draw, 1, 4), draw.one([2_000, 5_000, 10_000])),
  (_, atMs) => trickle(atMs, 20_000, 200),
  (draw, atMs) => killPending(atMs, draw.between(1, 2)),
  (_, atMs) => warnAgain(atMs),
  (draw, atMs) => warnInVain(atMs, draw.between(1, 2)),
  (draw, atMs) => warnInVain(atMs, draw.between(1, 2)),
  (draw, atMs) => scheduleRetirement(atMs, draw.between(1, 3), minutes(draw, 5, 20)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 4)),
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
];

/** The trickle as it was measured: a warning every second for ten minutes. It costs as much as a hundred other worlds. */
const longTrickle = (atMs: number): readonly Step[] => [setSpot(atMs, zones, 60), trickle(atMs + 1_000, 600_000, 1_000)];

/** One pool of so many types and zones that a list of its offerings is long, and a trickle that launches from it again and again. */
const manyOfferings = (draw: Draw): DrawnWorld => {
  const names = Array.from({ length: draw.between(120, 200) }, (_, index) => `m${index}gd-flex.${index % 7}xlarge`);
  const landscape = { ...plainLandscape, types: names.map((name) => ({ name, spotUsd: 0.03, onDemandUsd: 0.08 })), spot: 40 };
  const size = { min: 1, max: 60, desired: draw.between(15, 30) };
  const placed = groupIn(landscape, {
    name: 'web',
    holding: 'tag',
    size,
    targetGroups: ['web'],
    policy: { capacity: { tiered: ['spot-a', 'od-b'] } },
    pools: { 'spot-a': { subnets: zones.flatMap((zone) => subnetsIn(landscape, zone)), instanceTypes: names } },
  });
  return worldOf(draw, { landscape, placed, size, steps: [trickle(1_000, seconds(draw, 30, 60), 2_000)], faults: 0, restWithinMs: 1_200_000 });
};

/** EC2 stops members without a warning, once or twice. Where describes lag, only the events say so for a while. */
const stoppedUnseen = (draw: Draw, world: DrawnWorld): DrawnWorld => {
  const stops = [stopUnannounced(seconds(draw, 60, 200), draw.between(1, 2)), stopUnannounced(seconds(draw, 90, 400), draw.between(1, 2))];
  if (draw.chance(0.5)) return withSteps(world, stops);
  const { spec } = world;
  return { ...world, steps: stops, spec: { ...spec, timing: { ...spec.timing, lagSeconds: [25, 40] } } };
};

export const endings: Profile = {
  about: 'stop and hibernate with starts, stops without a warning, events of minutes to days ago, warnings without notice, trickles and storms',
  weight: 4,
  draw: (draw) => {
    const isLong = draw.chance(0.03);
    const landscape = { ...plainLandscape, spot: isLong ? 20 : draw.between(2, 8), targetGroups: drawTargetGroups(draw) };
    const size = { min: 1, max: 60, desired: isLong ? draw.between(20, 40) : draw.between(3, 10) };
    const policy = { capacity: randomTree(draw), ...alarmsBy('+1', '-1'), ...drawHabits(draw) };
    const options = { name: 'web', holding: draw.one(holdings), size, targetGroups: namesOf(landscape), policy, asg: { min: 0, max: 60 } };
    const script = [...drawSome(draw, steps, { least: 1, most: isLong ? 1 : 4 }), ...(isLong ? longTrickle(5_000) : [])];
    const world = worldOf(draw, { landscape, placed: groupIn(landscape, options), size, steps: script, faults: 0.3, restWithinMs: 1_200_000 });
    if (draw.chance(0.1)) return manyOfferings(draw);
    // EC2 takes back what it said of some, long enough after everything else that they are drained, stay, and must be let go.
    const spared = draw.chance(0.3) ? [warnInVain(seconds(draw, 1, 200), draw.between(1, 3))] : [];
    const whole = withSteps(world, spared);
    return draw.chance(0.3) ? stoppedUnseen(draw, whole) : whole;
  },
};
