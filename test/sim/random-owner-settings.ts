import { setRebalancing } from './operator-steps.ts';
import { type DrawnWorld, seconds, withSteps } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import type { Step } from './situation.ts';
import { interrupt, recommendRebalance } from './steps.ts';

const asg = 'web-asg';
/** A share of the worlds that may have it. */
const share = 0.15;

const risks: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 2)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 2)),
];

/**
 * The world in which the owner of the Auto Scaling group turns Capacity Rebalancing on after the policy was accepted. A policy for a group that has it is
 * refused. EC2 then advises and takes.
 */
export const withOwnerSettings = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  if (!draw.chance(share)) return world;
  let atMs = seconds(draw, 1, 90);
  const on = setRebalancing(atMs, asg, true);
  const more = Array.from({ length: draw.between(1, 3) }, () => {
    atMs += seconds(draw, 5, 75);
    return draw.one(risks)(draw, atMs);
  });
  const off = draw.chance(0.3) ? [setRebalancing(atMs + seconds(draw, 5, 60), asg, false)] : [];
  return withSteps(world, [on, ...more, ...off]);
};
