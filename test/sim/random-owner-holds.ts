import { suspend } from './operator-steps.ts';
import { type DrawnWorld, seconds, withSteps } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import type { Step } from './situation.ts';
import { interrupt, kill, recommendRebalance } from './steps.ts';

const asg = 'web-asg';
/** A share of the worlds that may have it. */
const share = 0.3;
/** Holdfast suspends these two itself while members come or are replaced. */
const both = ['Launch', 'Terminate'] as const;

const losses: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => interrupt(atMs, draw.between(1, 2)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 2)),
  (_, atMs) => kill(atMs, 1),
];

/**
 * The world in which the owner of the Auto Scaling group suspends a process that Holdfast suspends and resumes too, for some minutes. Members are replaced
 * before that and meanwhile: so Holdfast must tell its own suspension from the one of the owner.
 */
export const withOwnerHolds = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  const isThere = world.steps.every(({ kind }) => kind !== 'asg-deleted');
  if (!draw.chance(share) || !isThere) return world;
  const loss = (atMs: number): Step => draw.one(losses)(draw, atMs);
  const before = draw.chance(0.5) ? [loss(seconds(draw, 1, 40))] : [];
  const fromMs = seconds(draw, 5, 90);
  const held = draw.chance(0.3) ? both : [draw.one(both)];
  // Nobody can join while `Launch` is suspended, so it lasts no longer than members may be missing.
  const holds = held.map((process) => suspend(fromMs, asg, process, seconds(draw, 40, process === 'Launch' ? 110 : 200)));
  const meanwhile = Array.from({ length: draw.between(1, 3) }, () => loss(fromMs + seconds(draw, 1, 60)));
  const steps = [...before, ...holds, ...meanwhile];
  return withSteps(world, steps);
};
