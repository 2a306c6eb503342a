import type { WriterSpec } from '../../../sandbox/outside/writers.ts';
import { noCapacity } from '../capacity-steps.ts';
import { moveBound, suspend } from '../operator-steps.ts';
import { setBy } from '../outside-steps.ts';
import type { Draw } from '../random-draw.ts';
import { drawFaults } from '../random-faults.ts';
import type { Step } from '../situation.ts';
import { interrupt, kill, loseZone, recommendRebalance, setSpot } from '../steps.ts';
import { groupIn, plainLandscape, specOf, templatesFor, withPlainTemplate, zones } from '../worlds.ts';
import { withDeletion } from './outside-deletions.ts';
import { drawAttach } from './outside-moments.ts';
import { calmAfter, type DrawnWorld, drawSome, minutes, type Profile, seconds, withSteps } from './profile.ts';
import { drawHabits, drawTargetGroups, namesOf } from './usual.ts';

const asg = 'web-asg';
const [least, most] = [1, 12];

/** A number that changes now and then. */
const drawPlan = (draw: Draw, times: number, from: number, until: number) =>
  Array.from({ length: times }, (_, index) => ({ atSeconds: index * draw.between(20, 60), value: draw.between(from, until) }));

/** Everybody who sets sizes on their own; an apply of Terraform is somebody's besides. */
export const writerKinds = ['absolute', 'steps', 'target-tracking', 'person', 'fleeting', 'ec2-fleet', 'ecs', 'buildkite'] as const;
export type WriterKind = (typeof writerKinds)[number];

/** In an order that leaves the writers of most seeds as they were before there was `buildkite`. */
const drawnKinds = ['buildkite', 'absolute', 'steps', 'target-tracking', 'person', 'fleeting', 'ec2-fleet', 'ecs'] as const;

const drawWriter = (draw: Draw, of?: WriterKind): WriterSpec => {
  const wants = drawPlan(draw, draw.between(1, 4), least, most - 2);
  switch (of ?? draw.one(drawnKinds)) {
    case 'absolute':
      return { kind: 'absolute', asg, everySeconds: 10, wants };
    case 'steps':
      return { kind: 'steps', asg, everySeconds: draw.one([10, 20]), wants, step: draw.between(1, 2), thinksSeconds: draw.between(0, 3) };
    case 'target-tracking':
      return { kind: 'target-tracking', asg, perInstance: 10, load: drawPlan(draw, draw.between(1, 3), 10 * least, 10 * (most - 2)) };
    case 'person':
      return { kind: 'person', asg, wants };
    case 'buildkite':
      return { kind: 'buildkite', asg, everySeconds: 10, wants };
    case 'fleeting':
      return { kind: 'fleeting', asg, everySeconds: 10, wants };
    case 'ec2-fleet':
      return { kind: 'ec2-fleet', asg, everySeconds: 10, wants };
    case 'ecs':
      return { kind: 'ecs', asg, tasksPerInstance: 4, tasks: drawPlan(draw, draw.between(1, 3), 4 * least, 4 * (most - 2)) };
  }
};

const troubles: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 3)),
  (draw, atMs) => kill(atMs, draw.between(1, 2)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 2)),
  (draw, atMs) => setSpot(atMs, zones, draw.between(0, 3)),
  (draw, atMs) => moveBound(atMs, asg, 'max', draw.between(0, 4)),
  (draw, atMs) => suspend(atMs, asg, draw.one(['Launch', 'Terminate', 'AZRebalance', 'HealthCheck']), seconds(draw, 5, 29)),
];

/** Writers go on while the world is in trouble, and for some periods after it. */
const drawWriters = (draw: Draw, kinds?: readonly WriterKind[]): readonly Step[] =>
  Array.from({ length: kinds?.length ?? draw.one([1, 1, 2]) }, (_, index) =>
    setBy(draw.between(1, 30) * 1_000, drawWriter(draw, kinds?.[index]), draw.between(60, 240) * 1_000),
  );

/** Spot goes, with members or without, and comes back; then the world goes on for so long that members have time to move. */
const drawReturn = (draw: Draw) => {
  const goesAtMs = seconds(draw, 10, 100);
  return {
    policy: { return: { after: draw.one(['1m', '2m']), every: draw.one(['1m', '2m']), atMost: draw.one([1, 2, '50%']) } },
    steps: [noCapacity(goesAtMs, minutes(draw, 1, 5), ['spot'], zones), interrupt(goesAtMs + seconds(draw, 1, 30), draw.between(1, 3))],
  };
};
const goesOnMs = 20 * 60_000;

/**
 * Describes of Auto Scaling groups may be late, an owner may have suspended `AZRebalance` for good, and the group may have a plain launch template. All are drawn
 * last, so that all else in a seed is as it was without them.
 */
const withOwnersHabits = (draw: Draw, { spec, ...world }: DrawnWorld): DrawnWorld => {
  const timing = draw.chance(0.3) ? { ...spec.timing, asgLagSeconds: [0, 4] as const } : spec.timing;
  // With `Launch` suspended for good, the group takes nobody in, and nobody can serve it.
  const suspended = draw.chance(0.15) ? { suspended: ['AZRebalance'] } : {};
  const groups = spec.autoScalingGroups.map((group) => ({ ...group, ...suspended }));
  const placed = draw.chance(0.35) ? groups.map((group) => (group.name === asg ? withPlainTemplate(group) : group)) : groups;
  return { ...world, spec: { ...spec, timing, launchTemplates: templatesFor(placed), autoScalingGroups: placed } };
};

/** Maxima that bind: no draw of its own, so that other seeds stay as they were. */
const isTight = ({ always }: Draw): boolean => always === 'tight-maxima';

const drawWorld = (draw: Draw, kinds?: readonly WriterKind[]): DrawnWorld => {
  const landscape = { ...plainLandscape, spot: draw.between(1, 4), targetGroups: drawTargetGroups(draw, [5, 20]) };
  const desired = draw.between(2, 6);
  const size = { min: least, max: most, desired };
  const habits = drawHabits(draw, ['20s', '30s']);
  const policy = { ...habits, size: { from: 'asg', min: draw.between(0, least), max: most } };
  const hooks = draw.chance(0.4)
    ? [{ name: 'drain', transition: 'terminating' as const, heartbeatSeconds: draw.one([30, 120]), defaultResult: 'CONTINUE' as const }]
    : [];
  const max = draw.one([most, most, desired + 2]);
  const options = {
    min: least,
    max: isTight(draw) ? desired + 1 : max,
    market: draw.one(['spot', 'spot', 'mixed', 'on-demand'] as const),
    hooks,
  };
  const placed = groupIn(landscape, { name: 'web', holding: 'attach', size, targetGroups: namesOf(landscape), policy, asg: options });
  const steps = [...drawWriters(draw, kinds), ...drawSome(draw, troubles, { least: 0, most: 3, withinSeconds: 120 })];
  const faults = draw.chance(0.4) ? drawFaults(draw) : [];
  const world = {
    spec: specOf(landscape, placed.asgs),
    policies: [placed.policy],
    asked: { web: { size: desired } },
    steps,
    faults,
    clockErrorMs: draw.chance(0.2) ? 3_000 : 0,
    calmAtMs: calmAfter(steps, faults),
    restWithinMs: 1_200_000,
  };
  if (!draw.chance(0.4)) return withOwnersHabits(draw, world);
  const { policy: moves, steps: more } = drawReturn(draw);
  const longer = withSteps(world, more);
  return withOwnersHabits(draw, { ...longer, policies: [{ ...placed.policy, ...moves }], calmAtMs: longer.calmAtMs + goesOnMs });
};

type Size = { readonly from: 'asg'; readonly min: number; readonly max: number };

/**
 * The maximum of the policy may be below the one of the Auto Scaling group, so that others set sizes beyond it. Drawn last, so that all else in a seed is
 * as it was without it.
 */
const withPolicyMaximum = (draw: Draw, { policies, asked, ...world }: DrawnWorld): DrawnWorld => {
  const isLow = draw.chance(0.3);
  const most = draw.between(3, 11);
  if (!isLow && !isTight(draw)) return { ...world, policies, asked };
  const limited = policies.map((policy) => ({ ...policy, size: { ...(policy.size as Size), max: Math.max(asked.web?.size ?? 0, most) } }));
  return { ...world, asked, policies: limited };
};

/** A world of a group whose size others set: of these kinds, or of any. */
export const drawOutside = (draw: Draw, kinds?: readonly WriterKind[]): DrawnWorld => withPolicyMaximum(draw, drawWorld(draw, kinds));

export const outside: Profile = {
  about:
    'a group whose size others set: scalers of absolute sizes and of steps, target tracking, people, two at once, in refusals and storms; spot that comes back; sizes beyond the maximum of the policy',
  weight: 3,
  draw: (draw) => {
    const drawn = drawWorld(draw);
    // Drawn last, so that the other seeds are as they were.
    const world = draw.chance(0.4) ? drawAttach(draw) : withPolicyMaximum(draw, drawn);
    return draw.chance(0.12) ? withDeletion(draw, world) : world;
  },
};
