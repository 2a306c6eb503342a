import type { Draw } from '../random-draw.ts';
import { drawFaults } from '../random-faults.ts';
import { randomTree } from '../random-tree.ts';
import type { Step } from '../situation.ts';
import { alarm, endThroughEc2, fewEverywhere, interrupt, kill, loseZone, recommendRebalance } from '../steps.ts';
import { catalogue, groupIn, holdings, plainLandscape, specOf, zones } from '../worlds.ts';
import { calmAfter, drawSome, type Profile, universal } from './profile.ts';

const scaling = [
  { alarm: 'high', adjust: '+20%', cooldown: '1m' },
  { alarm: 'low', adjust: '-10%', cooldown: '1m' },
];

const steps: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => interrupt(atMs, draw.between(10, 80), draw.one([120_000, 120_000, 30_000])),
  (draw, atMs) => recommendRebalance(atMs, draw.between(5, 40)),
  (draw, atMs) => kill(atMs, draw.between(1, 30)),
  (draw, atMs) => endThroughEc2(atMs, draw.between(1, 20)),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
  (_, atMs) => fewEverywhere(atMs, zones),
];

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
      scaling,
      swap: { order: draw.one(['launch-first', 'drain-first']), maxSurge: draw.one([3, 10, 30]) },
      rebalance: { act: draw.chance(0.8) },
    };
    const asg = { min: 0, max: 260 };
    const placed = groupIn(landscape, { name: 'web', holding: draw.one(holdings), size, targetGroups: ['web'], policy, asg });
    const script = drawSome(draw, steps, { least: 1, most: 3 });
    const faults = draw.chance(0.3) ? drawFaults(draw) : [];
    return {
      spec: specOf(landscape, placed.asgs),
      policies: [placed.policy],
      asked: { web: { size: desired } },
      steps: script,
      faults,
      calmAtMs: calmAfter(script, faults),
      restWithinMs: 1_800_000,
      deaf: faults.length > 0,
      judgedBy: universal,
    };
  },
};
