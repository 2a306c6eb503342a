import type { LoadSpec } from '../../sandbox/world/spec.ts';
import type { DrawnWorld } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';

/** A share of the worlds. */
const share = 0.2;

/** Requests of users, some of which take longer than a short notice. */
const drawLoad = (draw: Draw): LoadSpec => ({
  requestsPerSecond: draw.one([0.5, 1, 2]),
  requestSeconds: draw.one([
    [0.1, 2],
    [1, 20],
    [10, 90],
  ] as const),
});

/** The world whose target groups receive requests: a member that is taken out of service then has connections that end one by one. */
export const withLoad = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  if (!draw.chance(share)) return world;
  const load = drawLoad(draw);
  return { ...world, spec: { ...world.spec, targetGroups: world.spec.targetGroups.map((group) => ({ ...group, load })) } };
};
