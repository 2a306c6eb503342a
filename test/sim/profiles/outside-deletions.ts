import { deleteAsg, recreateAsg } from '../operator-steps.ts';
import type { Draw } from '../random-draw.ts';
import type { Step } from '../situation.ts';
import { type DrawnWorld, seconds, withSteps } from './profile.ts';

const asg = 'web-asg';

/** Owners change settings of a group that is there: these steps and what they put back are over before it is deleted. */
const ofOwners: readonly Step['kind'][] = ['process-suspended', 'bound-moved'];
const putBackMs = 35_000;

/** The same world with a size that the policy sets, and nobody else who sets one. */
const withFixedSize = (world: DrawnWorld): DrawnWorld => ({
  ...world,
  policies: world.policies.map((policy) => ({ ...policy, size: { min: 0, max: 12, desired: world.asked.web?.size ?? 4 } })),
  steps: world.steps.filter(({ kind }) => kind !== 'size-set-outside'),
});

/** The owner deletes the Auto Scaling group with all its members, and in half of these worlds creates one of the same name later. */
export const withDeletion = (draw: Draw, drawn: DrawnWorld): DrawnWorld => {
  const world = draw.chance(0.4) ? withFixedSize(drawn) : drawn;
  const ends = world.steps.flatMap(({ kind, atMs }) => (ofOwners.includes(kind) ? [atMs + putBackMs] : []));
  const atMs = Math.max(...ends, seconds(draw, 5, 150));
  if (draw.chance(0.5)) return withSteps(world, [recreateAsg(atMs, asg, seconds(draw, 5, 200))]);
  const asked = { web: { size: world.asked.web?.size ?? 0, endsAt: 0 } };
  return withSteps(world === drawn ? world : { ...world, asked }, [deleteAsg(atMs, asg, true)]);
};
