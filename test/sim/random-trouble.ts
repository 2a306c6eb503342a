import { breakBoots, fillSubnet, holdToQuota, neverServing, noCapacity } from './capacity-steps.ts';
import { scheduleRetirement, warnInVain } from './ending-steps.ts';
import { detach, hookFor, protect, standBy, stopServing } from './member-steps.ts';
import { moveBound, suspend } from './operator-steps.ts';
import { calmAfter, type DrawnWorld, minutes, seconds } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import { holdingOf } from './random-terms.ts';
import type { Step } from './situation.ts';
import { adviseNewest, alarm, interrupt, kill, recommendRebalance, warnAgain } from './steps.ts';
import { zones } from './worlds.ts';

type DrawStep = (draw: Draw, atMs: number) => Step;

/** A share of the worlds that may have more trouble than their kind draws. */
const share = 0.6;
/** Members that never serve are given up ten minutes after their launch, and pools that rest are asked again after as long. */
const overWithinMs = 1_800_000;

const both = ['spot', 'on-demand'] as const;

const ofEc2 = (subnets: readonly string[]): readonly DrawStep[] => [
  (draw, atMs) => noCapacity(atMs, minutes(draw, 1, 6), draw.one([['spot'], both]), draw.chance(0.6) ? zones : [draw.one(zones)]),
  (draw, atMs) => holdToQuota(atMs, minutes(draw, 1, 5), draw.one(both), draw.between(0, 2)),
  (draw, atMs) => fillSubnet(atMs, minutes(draw, 1, 6), draw.one(subnets), draw.between(0, 1)),
  (draw, atMs) =>
    breakBoots(atMs, minutes(draw, 1, 5), draw.chance(0.5) ? { market: 'spot' } : { zone: draw.one(zones) }, draw.one(['dies', 'never-answers'])),
  (draw, atMs) => neverServing(atMs, minutes(draw, 1, 3), draw.chance(0.5) ? { market: 'spot' } : { zone: draw.one(zones) }, 'never-answers'),
  (draw, atMs) => stopServing(atMs, draw.between(1, 2), seconds(draw, 20, 400)),
  (draw, atMs) => protect(atMs, draw.between(1, 3), 'termination', minutes(draw, 2, 6)),
  (draw, atMs) => scheduleRetirement(atMs, draw.between(1, 2), minutes(draw, 5, 20)),
  (draw, atMs) => warnInVain(atMs, draw.between(1, 2)),
];

const ofAutoScaling = (asgs: readonly string[]): readonly DrawStep[] => [
  (draw, atMs) => standBy(atMs, draw.between(1, 2), seconds(draw, 20, 300), draw.chance(0.5)),
  (draw, atMs) => detach(atMs, 1, draw.chance(0.5)),
  (draw, atMs) => protect(atMs, draw.between(1, 3), 'scale-in', minutes(draw, 2, 6)),
  (draw, atMs) => hookFor(atMs, draw.one(asgs), 'terminating', draw.one([30, 60, 300]), draw.one(['CONTINUE', 'ABANDON']), minutes(draw, 1, 5)),
  (draw, atMs) => suspend(atMs, draw.one(asgs), draw.one(['Launch', 'Terminate', 'HealthCheck', 'ReplaceUnhealthy']), seconds(draw, 20, 200)),
  (draw, atMs) => moveBound(atMs, draw.one(asgs), 'max', draw.between(-2, 4)),
];

/** What makes the trouble count: somebody is lost, warned or advised, or the size changes, while it lasts. */
export const needs: readonly DrawStep[] = [
  (draw, atMs) => interrupt(atMs, draw.between(1, 3)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 3)),
  (draw, atMs) => kill(atMs, draw.between(1, 2)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 3)),
  (draw, atMs) => adviseNewest(atMs, draw.between(1, 2)),
  (_, atMs) => warnAgain(atMs),
];

export const alarmsOf = (world: DrawnWorld): readonly DrawStep[] =>
  world.policies.flatMap(({ scaling }) =>
    (Array.isArray(scaling) ? scaling : []).flatMap(({ alarm: name }) =>
      name === undefined ? [] : [(_: Draw, atMs: number) => alarm(atMs, String(name))],
    ),
  );

const asgsOf = ({ spec }: DrawnWorld): readonly string[] => spec.autoScalingGroups.map(({ name }) => name).filter((name) => name !== 'strangers');

/** Whether members of its groups are in Auto Scaling groups. */
export const isInAsgs = (world: DrawnWorld): boolean => world.policies.some((policy) => holdingOf(policy) !== 'tag') && asgsOf(world).length > 0;

/** The trouble that can come in a world. */
export const troublesIn = (world: DrawnWorld): readonly DrawStep[] => [
  ...ofEc2(world.spec.subnets.map(({ id }) => id)),
  ...(isInAsgs(world) ? ofAutoScaling(asgsOf(world)) : []),
];

/** Trouble of one kind or two, and what is lost meanwhile. */
const drawTrouble = (world: DrawnWorld, draw: Draw): readonly Step[] => {
  const kinds = troublesIn(world);
  const troubles = Array.from({ length: draw.between(1, 2) }, () => draw.one(kinds)(draw, seconds(draw, 1, 60)));
  const meanwhile = [...needs, ...alarmsOf(world)];
  return [...troubles, ...Array.from({ length: draw.between(1, 3) }, () => draw.one(meanwhile)(draw, seconds(draw, 2, 150)))];
};

/** The world with trouble that its own kind does not draw: of capacity, boots, health, protection, hooks, and hands on its Auto Scaling groups. */
export const withTrouble = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  if (!draw.chance(share)) return world;
  const steps = [...world.steps, ...drawTrouble(world, draw)];
  return {
    ...world,
    steps,
    calmAtMs: Math.max(world.calmAtMs, calmAfter(steps)),
    restWithinMs: Math.max(world.restWithinMs, overWithinMs),
  };
};
