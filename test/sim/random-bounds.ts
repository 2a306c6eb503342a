import { noCapacity } from './capacity-steps.ts';
import { drawBounds, heldBackMs } from './profiles/bounds.ts';
import { calmAfter, type DrawnWorld, minutes, seconds } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import type { Step } from './situation.ts';
import { interrupt, kill, recommendRebalance } from './steps.ts';
import { zones } from './worlds.ts';

type Document = Readonly<Record<string, unknown>>;

/** A share of the worlds that may have bounds. */
const share = 0.4;
const desiredOf = ({ size }: Document): number => Number((size as { readonly desired?: number } | undefined)?.desired ?? 3);

const drawOrder = (draw: Draw): Document =>
  draw.chance(0.6) ? { removal: { order: draw.one(['oldest-first', 'newest-first', 'dearest-first', 'same-order']) } } : {};

/** A policy with bounds beside what it says. What it says of advice stays. */
const bounded = (draw: Draw, policy: Document): Document => {
  const { rebalance, ...bounds } = drawBounds(draw, desiredOf(policy));
  return {
    ...policy,
    ...bounds,
    ...drawOrder(draw),
    ...(rebalance && { rebalance: { ...rebalance, ...(policy.rebalance as Document | undefined) } }),
  };
};

const losses: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => kill(atMs, draw.between(1, 4)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 3)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 3)),
];

/** Losses that meet the bounds, in some worlds while spot gives nothing. */
const drawLosses = (draw: Draw): readonly Step[] => {
  const scarce = draw.chance(0.5) ? [noCapacity(seconds(draw, 1, 40), minutes(draw, 1, 5), ['spot'], zones)] : [];
  return [...scarce, ...Array.from({ length: draw.between(1, 4) }, () => draw.one(losses)(draw, seconds(draw, 1, 200)))];
};

/** The world with policies that bound launches, moves for advice and interruptions, and with losses that meet these bounds. */
export const withBounds = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  if (!draw.chance(share)) return world;
  const steps = [...world.steps, ...drawLosses(draw)];
  const policies = world.policies.map((policy) => bounded(draw, policy));
  return {
    ...world,
    policies,
    steps,
    calmAtMs: Math.max(world.calmAtMs, calmAfter(steps)),
    restWithinMs: world.restWithinMs + Math.max(...policies.map(heldBackMs)),
  };
};
