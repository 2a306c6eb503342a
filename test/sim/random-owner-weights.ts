import { setWeights, type Weights } from './operator-steps.ts';
import { type DrawnWorld, seconds, withSteps } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import type { Step } from './situation.ts';
import { interrupt, kill, recommendRebalance } from './steps.ts';
import { catalogue, zones } from './worlds.ts';

const asg = 'web-asg';
/** A share of the worlds that may have it. */
const share = 0.15;
const [usual, other] = catalogue;
const enough = 30;

type Spec = DrawnWorld['spec'];

/** The spec with a second instance type that the Auto Scaling group launches too. There is enough of it for a group to which Holdfast adds nothing. */
const withSecondType = (spec: Spec): Spec => ({
  ...spec,
  offerings: [
    ...spec.offerings,
    ...zones.flatMap((zone) =>
      spec.offerings
        .filter((one) => one.zone === zone && one.instanceType === usual.name)
        .map((one) => ({
          ...one,
          capacity: one.capacity === null ? null : enough,
          instanceType: other.name,
          priceUsdPerHour: one.market === 'spot' ? other.spotUsd : other.onDemandUsd,
        })),
    ),
  ],
  autoScalingGroups: spec.autoScalingGroups.map((group) =>
    group.name === asg && group.isPlain !== true ? { ...group, instanceTypes: [...group.instanceTypes, other.name] } : group,
  ),
});

type Policy = DrawnWorld['policies'][number] & { readonly defaults?: object };

/** Holdfast may launch the second type as well. */
const withTypes = ({ defaults, ...policy }: Policy): Policy =>
  defaults === undefined ? policy : { ...policy, defaults: { ...defaults, instanceTypes: [usual.name, other.name] } };

const losses: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 2)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 3)),
  (draw, atMs) => kill(atMs, draw.between(1, 2)),
];

const drawWeights = (draw: Draw): Weights => ({ [usual.name]: draw.between(1, 4), [other.name]: draw.between(2, 8) });

/**
 * The world in which the owner of the Auto Scaling group gives its instance types weights after the policy was accepted, for good or for a while. A policy for
 * a group that has them is refused. Members are lost before that, meanwhile, and after it.
 */
const weighedWorld = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  const weights = drawWeights(draw);
  const loss = (atMs: number): Step => draw.one(losses)(draw, atMs);
  const atMs = seconds(draw, 2, 120);
  // A loss shortly before, so that members of Holdfast are on their way when the weights come.
  const before = draw.chance(0.6) ? [loss(Math.max(1_000, atMs - seconds(draw, 1, 40)))] : [];
  const times = draw.chance(0.5) ? weights[usual.name] : undefined;
  const meanwhile = Array.from({ length: draw.between(1, 3) }, () => loss(atMs + seconds(draw, 1, 90)));
  const again = draw.chance(0.25) ? [setWeights(atMs + seconds(draw, 10, 60), asg, drawWeights(draw))] : [];
  const offMs = atMs + seconds(draw, 40, 200);
  const ends = draw.chance(0.5);
  const off = ends ? [setWeights(offMs, asg, undefined, times === undefined ? undefined : 1 / times)] : [];
  const after = ends && draw.chance(0.5) ? [loss(offMs + seconds(draw, 1, 60))] : [];
  const policies = world.policies.map((policy) => withTypes(policy));
  const spec = withSecondType(world.spec);
  return withSteps({ ...world, spec, policies }, [...before, setWeights(atMs, asg, weights, times), ...meanwhile, ...again, ...off, ...after]);
};

/** Some of these worlds are weighed. Nothing is drawn for the others beside that. */
export const withOwnerWeights = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  const isThere = world.steps.every(({ kind }) => kind !== 'asg-deleted');
  return draw.has('weights', share) && isThere ? weighedWorld(world, draw) : world;
};
