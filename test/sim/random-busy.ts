import { trickle } from './ending-steps.ts';
import { replaceThroughAsg, stopDrains, tagMembers } from './operator-steps.ts';
import { calmAfter, type DrawnWorld, seconds } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import { holdingOf } from './random-terms.ts';
import { randomTree } from './random-tree.ts';
import { alarmsOf, needs, ofAutoScaling, ofEc2 } from './random-trouble.ts';
import type { Step } from './situation.ts';
import { loseZone, putPolicy } from './steps.ts';
import { zones } from './worlds.ts';

type Document = Readonly<Record<string, unknown>>;

/** So many seconds lie between two steps: within cooldowns, drains, rests and boots, or just after them. */
const apart = [5, 90] as const;
/** Members that never serve are given up ten minutes after their launch, pools rest for as long, and returns come one after the other. */
const settledWithinMs = 2_400_000;

type Happening = (draw: Draw, atMs: number) => Step;

const always: readonly Happening[] = [
  ...needs,
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => trickle(atMs, seconds(draw, 10, 60), draw.one([2_000, 5_000])),
  (draw, atMs) => tagMembers(atMs, draw.between(1, 3)),
  (_, atMs) => stopDrains(atMs),
];

/** What an edit of a policy changes. Whatever edits before it wrote stays. */
const edits: readonly ((draw: Draw) => Document)[] = [
  (draw) => ({ swap: { order: draw.one(['launch-first', 'drain-first']), maxSurge: draw.between(1, 4) } }),
  (draw) => ({ rebalance: { act: draw.chance(0.8) } }),
  (draw) => ({ capacity: randomTree(draw) }),
  (draw) => ({ tags: { run: String(draw.between(1, 99)) } }),
  (draw) => ({ removal: { order: draw.one(['same-order', 'oldest-first', 'newest-first']) } }),
];

/** The policy of the group after each of its edits. */
const editing = (first: Document) => {
  let written = first;
  return (draw: Draw, atMs: number): Step => {
    written = { ...written, ...draw.one(edits)(draw) };
    return putPolicy(atMs, written, 'the policy changes in one field');
  };
};

const happeningsIn = ({ spec, policies }: DrawnWorld): readonly Happening[] => {
  const asgs = spec.autoScalingGroups.map(({ name }) => name).filter((name) => name !== 'strangers');
  const isInAsgs = policies.some((policy) => holdingOf(policy) !== 'tag') && asgs.length > 0;
  const hands: readonly Happening[] = isInAsgs ? [...ofAutoScaling(asgs), (draw, atMs) => replaceThroughAsg(atMs, draw.between(1, 2))] : [];
  return [...ofEc2(spec.subnets.map(({ id }) => id)), ...hands];
};

/** The world in which one thing after the other goes on to happen: losses, warnings, alarms, edits, trouble of capacity and of members. */
export const withBusyHour = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  const alarms = world.policies.flatMap(() => alarmsOf(world));
  const edit = world.policies.map(editing);
  const troubles = happeningsIn(world);
  let atMs = seconds(draw, 60, 120);
  const steps = Array.from({ length: draw.between(6, 14) }, () => {
    const kinds = draw.one([always, always, [...alarms, ...edit], troubles]);
    const step = draw.one(kinds)(draw, atMs);
    atMs += seconds(draw, ...apart);
    return step;
  });
  const all = [...world.steps, ...steps];
  return {
    ...world,
    steps: all,
    calmAtMs: Math.max(world.calmAtMs, calmAfter(all)),
    restWithinMs: Math.max(world.restWithinMs, settledWithinMs),
  };
};
