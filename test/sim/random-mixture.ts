import type { DrawnWorld } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import { parts } from './random-parts.ts';

/** A share of the worlds that may have them. */
const share = 0.6;
/** Pools that rest are requested again after half an hour at the latest, and moves come one after the other. */
const settledWithinMs = 2_400_000;

/**
 * The world with two or three parts that its kind does not draw together: of its policy, its market, its faults and its mode. What edits by the script
 * write goes without them.
 */
export const withMixture = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  if (!draw.chance(share)) return world;
  const fitting = parts.filter(({ fits }) => fits(world));
  const wanted = new Set(Array.from({ length: draw.between(2, 3) }, () => draw.one(fitting)));
  const mixed = fitting.filter((part) => wanted.has(part)).reduce((before, part) => (part.fits(before) ? part.add(before, draw) : before), world);
  return { ...mixed, restWithinMs: Math.max(mixed.restWithinMs, settledWithinMs) };
};
