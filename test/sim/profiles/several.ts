import type { LambdaSpec } from '../../../sandbox/world/spec.ts';
import { rename } from '../edit-steps.ts';
import type { Draw } from '../random-draw.ts';
import { drawFaults } from '../random-faults.ts';
import { randomTree } from '../random-tree.ts';
import type { Step } from '../situation.ts';
import { alarm, deletePolicy, endThroughEc2, fewEverywhere, interrupt, kill, loseZone, putPolicy, recommendRebalance, setSpot } from '../steps.ts';
import { desiredOf, groupIn, holdings, type Landscape, type PlacedGroup, plainLandscape, type Size, specOf, zones } from '../worlds.ts';
import { calmAfter, type DrawnWorld, drawSome, type Profile } from './profile.ts';
import { alarmsBy, drawHabits } from './usual.ts';

const names = ['web', 'api', 'jobs', 'mail', 'feed', 'cron'] as const;
type Group = PlacedGroup & { readonly name: string; readonly size: Size };

/** A group among others: some share a target group with the first, some hear the same alarms. */
const drawGroup = (draw: Draw, landscape: Landscape, name: string): Group => {
  const size = { min: 1, max: 8, desired: draw.between(2, 5) };
  const targetGroups = draw.chance(0.5) ? ['web'] : [name];
  const holding = draw.one(holdings);
  const policy = {
    capacity: randomTree(draw),
    ...drawHabits(draw),
    ...(draw.chance(0.6) ? alarmsBy('+1', '-1') : {}),
  };
  return { name, size, ...groupIn(landscape, { name, holding, size, targetGroups, prefix: `${name}-`, policy, asg: { min: 0 } }) };
};

const single: readonly ((draw: Draw, atMs: number, group: string) => Step)[] = [
  (draw, atMs, group) => interrupt(atMs, draw.between(1, 3), draw.one([120_000, 120_000, 30_000]), group),
  (draw, atMs, group) => recommendRebalance(atMs, draw.between(1, 2), group),
  (draw, atMs, group) => kill(atMs, draw.between(1, 2), group),
  (_, atMs, group) => endThroughEc2(atMs, 1, group),
];

const stepsFor = (groups: readonly Group[]): readonly ((draw: Draw, atMs: number) => Step)[] => [
  // What all of them feel at the same moment.
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => setSpot(atMs, zones, draw.between(0, 12)),
  (_, atMs) => fewEverywhere(atMs, zones),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
  (draw, atMs) => draw.one(single)(draw, atMs, draw.one(groups).name),
  (draw, atMs) => draw.one(single)(draw, atMs, draw.one(groups).name),
  (draw, atMs) => {
    const { policy, size } = draw.one(groups);
    const desired = desiredOf(size) + draw.one([-1, 1]);
    return putPolicy(atMs, { ...policy, size: { ...(size as object), desired } }, `${policy.group} gets another size`, 'size-edited');
  },
  (draw, atMs) => deletePolicy(atMs, draw.one(groups).name),
  (draw, atMs) => rename(atMs, draw.one(groups).policy, 'renamed', draw.between(0, 30) * 1_000, draw.one(['delete-first', 'write-first'])),
];

/** Pollers that compete for what comes at once, in an account of a usual age and in a new one. */
const lambdas: readonly LambdaSpec[] = [{ pollers: 'ramp' }, { pollers: 'ramp', concurrency: 10 }];

export const groups: Profile = {
  about: 'one to six groups that share zones, target groups, alarms and the request buckets of the account',
  weight: 8,
  draw: (draw): DrawnWorld => {
    const drawn = names.slice(0, draw.between(1, names.length));
    const targetGroups = [...new Set(['web', ...drawn])].map((name) => ({ name, deregistrationDelaySeconds: draw.one([5, 20, 90]) }));
    const landscape = { ...plainLandscape, spot: draw.between(2, 4) * drawn.length, targetGroups };
    const placed = drawn.map((name) => drawGroup(draw, landscape, name));
    const steps = drawSome(draw, stepsFor(placed), { least: 1, most: 5 });
    const faults = draw.chance(0.4) ? drawFaults(draw) : [];
    const clockErrorMs = draw.chance(0.2) ? 3_000 : 0;
    const asgs = placed.flatMap((one) => one.asgs);
    return {
      // Drawn last, so that all else in a seed is as it was without it.
      spec: { ...specOf(landscape, asgs), ...(draw.chance(0.3) && { lambda: draw.one(lambdas) }) },
      policies: placed.map(({ policy }) => policy),
      asked: Object.fromEntries(placed.map(({ name, size }) => [name, { size: desiredOf(size) }])),
      steps,
      faults,
      clockErrorMs,
      calmAtMs: calmAfter(steps, faults),
      restWithinMs: 720_000,
    };
  },
};
