import { type BootFailure, bootFailures } from '../../../sandbox/world/boot-fates.ts';
import { breakBoots, neverServing } from '../capacity-steps.ts';
import { attachStray, detach, hookFor, protect, standBy, stopServing } from '../member-steps.ts';
import { launchStray, replaceThroughAsg } from '../operator-steps.ts';
import type { Draw } from '../random-draw.ts';
import type { Step } from '../situation.ts';
import { alarm, endThroughAsg, interrupt, kill, loseZone, recommendRebalance } from '../steps.ts';
import { groupIn, type HoldingKind, holdings, plainLandscape, spotPools, zones } from '../worlds.ts';
import { type DrawnWorld, drawSome, minutes, type Profile, seconds, withSteps } from './profile.ts';
import { alarmsBy, drawHabits, drawTargetGroups, namesOf, worldOf } from './usual.ts';

type DrawStep = (draw: Draw, atMs: number) => Step;

const anywhere: readonly DrawStep[] = [
  (draw, atMs) => stopServing(atMs, draw.between(1, 3), seconds(draw, 20, 600)),
  (draw, atMs) => stopServing(atMs, draw.between(1, 3), seconds(draw, 20, 600)),
  (draw, atMs) => breakBoots(atMs, minutes(draw, 1, 6), draw.chance(0.5) ? {} : { zone: draw.one(zones) }, draw.one(['dies', 'never-answers'])),
  (draw, atMs) => breakBoots(atMs, minutes(draw, 1, 6), { market: 'spot' }, draw.one(['dies', 'never-answers'])),
  (draw, atMs) =>
    neverServing(
      atMs,
      minutes(draw, 1, 4),
      draw.chance(0.5) ? { market: 'spot' } : { zone: draw.one(zones) },
      draw.one(['never-answers', 'impaired']),
    ),
  (draw, atMs) => protect(atMs, draw.between(1, 4), 'termination', draw.chance(0.5) ? minutes(draw, 2, 10) : undefined),
];

const inGroup = (asgs: readonly string[]): readonly DrawStep[] => [
  (draw, atMs) => standBy(atMs, draw.between(1, 2), seconds(draw, 20, 300), draw.chance(0.5)),
  (draw, atMs) => standBy(atMs, draw.between(1, 2), seconds(draw, 20, 300), draw.chance(0.5)),
  (draw, atMs) => detach(atMs, draw.between(1, 2), draw.chance(0.5)),
  (draw, atMs) => detach(atMs, draw.between(1, 2), draw.chance(0.5)),
  (draw, atMs) => protect(atMs, draw.between(1, 4), 'scale-in', draw.chance(0.5) ? minutes(draw, 2, 10) : undefined),
  (draw, atMs) =>
    hookFor(
      atMs,
      draw.one(asgs),
      draw.one(['launching', 'terminating']),
      draw.one([30, 60, 300]),
      draw.one(['CONTINUE', 'ABANDON']),
      minutes(draw, 1, 8),
    ),
  (draw, atMs) => replaceThroughAsg(atMs, draw.between(1, 2)),
  (draw, atMs) => endThroughAsg(atMs, draw.between(1, 2)),
];

const changes: readonly DrawStep[] = [
  (_, atMs) => alarm(atMs, 'low'),
  (_, atMs) => alarm(atMs, 'high'),
  (draw, atMs) => interrupt(atMs, draw.between(1, 3)),
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 3)),
  (draw, atMs) => kill(atMs, draw.between(1, 2)),
];

const asgsOf: Readonly<Record<HoldingKind, readonly string[]>> = {
  tag: [],
  attach: ['web-asg'],
  'launch-instances': [...spotPools, 'od-b', 'od-c'],
};

const stepsOf = (holding: HoldingKind): readonly DrawStep[] => {
  if (holding === 'tag') return [...anywhere, (_, atMs) => launchStray(atMs)];
  const joined: readonly DrawStep[] = [...anywhere, ...inGroup(asgsOf[holding])];
  return holding === 'attach' ? [...joined, (_, atMs) => attachStray(atMs, 'web-asg')] : joined;
};

/** What its Auto Scaling groups do with members by themselves. LaunchInstances refuses groups with a warm pool. */
const drawAsg = (draw: Draw, holding: HoldingKind) => ({
  min: draw.one([0, 0, 2]),
  ...(draw.chance(0.4) ? { healthChecks: 'ELB' as const } : {}),
  ...(draw.chance(0.2) ? { protectsNew: true } : {}),
  ...(holding === 'attach' && draw.chance(0.3) ? { warmPool: { size: draw.between(1, 3), state: draw.one(['Stopped', 'Running'] as const) } } : {}),
  ...(draw.chance(0.3)
    ? { hooks: [{ name: 'prepare', transition: 'launching' as const, heartbeatSeconds: draw.one([30, 120]), defaultResult: 'CONTINUE' as const }] }
    : {}),
});

/** A group on demand, some of whose members their user lets nobody end, is told to shrink. EC2 protects no spot instance. */
const shrinksProtected = (draw: Draw, world: DrawnWorld): DrawnWorld => {
  const change = { capacity: { spread: ['od-b', 'od-c'] }, removal: { order: 'oldest-first' } };
  const atMs = seconds(draw, 1, 60);
  const steps = [protect(atMs, draw.between(1, 3), 'termination', undefined), alarm(atMs + seconds(draw, 3, 30), 'low')];
  return withSteps({ ...world, policies: world.policies.map((policy) => ({ ...policy, ...change })) }, steps);
};

const failures = Object.keys(bootFailures) as readonly BootFailure[];

/** One after another members are lost, while what some pools launch ends before it serves. */
const failsToBoot = (draw: Draw, world: DrawnWorld): DrawnWorld => {
  const atMs = seconds(draw, 1, 20);
  const where = [{}, {}, { market: 'spot' as const }, { market: 'spot' as const, zone: draw.one(zones) }, { zone: draw.one(zones) }];
  const broken = [draw.one(where), draw.one(where)].map((filter) =>
    breakBoots(atMs, minutes(draw, 3, 14), filter, 'dies', draw.chance(0.8) ? draw.one(failures.slice(0, 4)) : draw.one(failures)),
  );
  const losses = [1, 2, 3].map((turn) => draw.one([kill, interrupt])(atMs + turn * seconds(draw, 5, 120), draw.between(1, 2)));
  return withSteps({ ...world, steps: draw.chance(0.7) ? [] : world.steps }, [...broken, ...losses]);
};

export const members: Profile = {
  about: 'launch hooks, standby, detach, warm pools, protection of both kinds, instances that never boot, never serve or stop serving',
  weight: 6,
  draw: (draw) => {
    const landscape = { ...plainLandscape, spot: draw.between(1, 4), targetGroups: drawTargetGroups(draw) };
    const holding = draw.one(holdings);
    const size = { min: 1, max: 10, desired: draw.between(3, 6) };
    const policy = { removal: { order: draw.one(['dearest-first', 'oldest-first', 'newest-first']) }, ...alarmsBy('+2', '-2'), ...drawHabits(draw) };
    const asg = drawAsg(draw, holding);
    const placed = groupIn(landscape, { name: 'web', holding, size, targetGroups: namesOf(landscape), policy, asg });
    const steps = [...drawSome(draw, stepsOf(holding), { least: 1, most: 3 }), ...drawSome(draw, changes, { least: 1, most: 3, withinSeconds: 150 })];
    const world = worldOf(draw, { landscape, placed, size, steps, faults: 0.3, restWithinMs: 1_800_000 });
    const drawn = draw.chance(0.25) ? shrinksProtected(draw, world) : world;
    return draw.chance(0.35) ? failsToBoot(draw, drawn) : drawn;
  },
};
