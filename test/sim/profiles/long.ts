import { replaceThroughAsg, stopDrains } from '../operator-steps.ts';
import type { Draw } from '../random-draw.ts';
import type { Step } from '../situation.ts';
import { alarm, endThroughAsg, interrupt, loseZone, recommendRebalance } from '../steps.ts';
import { groupIn, type HoldingKind, holdings, plainLandscape, zones } from '../worlds.ts';
import { drawSome, type Profile } from './profile.ts';
import { alarmsBy, drawHabits, worldOf } from './usual.ts';

const anywhere: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 3)),
  (_, atMs) => alarm(atMs, 'low'),
  (_, atMs) => alarm(atMs, 'high'),
  (draw, atMs) => interrupt(atMs, draw.between(1, 2)),
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (_, atMs) => stopDrains(atMs),
];

const inAsg: typeof anywhere = [
  (draw, atMs) => endThroughAsg(atMs, draw.between(1, 2)),
  (draw, atMs) => endThroughAsg(atMs, draw.between(1, 2)),
  (_, atMs) => replaceThroughAsg(atMs, 1),
];

const hooksOf = (draw: Draw, holding: HoldingKind) =>
  holding === 'tag' || draw.chance(0.3)
    ? {}
    : {
        hooks: Array.from({ length: draw.between(1, 2) }, (_, index) => ({
          name: `drain-${index + 1}`,
          transition: 'terminating' as const,
          heartbeatSeconds: draw.one([120, 900, 3_600, 7_200]),
          defaultResult: draw.one(['CONTINUE', 'ABANDON'] as const),
        })),
      };

const longestSteps = 600;

export const long: Profile = {
  about: 'drains of up to an hour, hooks of up to two, deregistration delays of up to an hour, several target groups',
  weight: 3,
  draw: (draw) => {
    const targetGroups = ['web', 'admin', 'grpc'].slice(0, draw.between(1, 3));
    const landscape = {
      ...plainLandscape,
      spot: draw.between(2, 5),
      targetGroups: targetGroups.map((name) => ({ name, deregistrationDelaySeconds: draw.one([20, 300, 1_200, 3_600]) })),
    };
    const holding = draw.one(holdings);
    const policy = { ...alarmsBy('+1', '-2'), ...drawHabits(draw, ['5m', '20m', '1h']), rebalance: { act: true } };
    const size = { min: 1, max: 10, desired: draw.between(3, 5) };
    const asg = { min: 0, ...hooksOf(draw, holding) };
    const placed = groupIn(landscape, { name: 'web', holding, size, targetGroups, policy, asg });
    const kinds = holding === 'tag' ? anywhere : [...anywhere, ...inAsg];
    const steps = drawSome(draw, kinds, { least: 1, most: 3, withinSeconds: longestSteps });
    // A hook that expires does so after two hours; a replacement that had to wait for it drains for one more.
    return worldOf(draw, { landscape, placed, size, steps, faults: 0.3, restWithinMs: 4 * 3_600_000 });
  },
};
