import { trickle } from './ending-steps.ts';
import { replaceThroughAsg, stopDrains, tagMembers } from './operator-steps.ts';
import { type DrawnWorld, oneByOne, seconds, withSteps } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import { randomTree } from './random-tree.ts';
import { alarmsOf, isInAsgs, needs, troublesIn } from './random-trouble.ts';
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

/** The world in which one thing after the other goes on to happen: losses, warnings, alarms, edits, trouble of capacity and of members. */
export const withBusyHour = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  const changes = [...alarmsOf(world), ...world.policies.map(editing)];
  const hands: readonly Happening[] = isInAsgs(world) ? [(one, atMs) => replaceThroughAsg(atMs, one.between(1, 2))] : [];
  const troubles = [...troublesIn(world), ...hands];
  const fromMs = seconds(draw, 60, 120);
  const steps = oneByOne(draw, { fromMs, count: draw.between(6, 14), apart }, (atMs) =>
    draw.one(draw.one([always, always, changes, troubles]))(draw, atMs),
  );
  return { ...withSteps(world, steps), restWithinMs: Math.max(world.restWithinMs, settledWithinMs) };
};
