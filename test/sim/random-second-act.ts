import { type DrawnWorld, oneByOne, seconds, withSteps } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import type { Step } from './situation.ts';
import { adviseNewest, alarm, interrupt, kill, recommendRebalance } from './steps.ts';

/** A share of the worlds that may have one. */
const share = 0.35;
/** So many seconds lie between two of its steps: within cooldowns, drains and rests, or just after them. */
const apart = [15, 75] as const;

const kinds: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => interrupt(atMs, draw.between(1, 3)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 3)),
  (draw, atMs) => adviseNewest(atMs, draw.between(1, 2)),
  (_, atMs) => kill(atMs, 1),
];

/** The alarms that the script rings may ring again: only these worlds have room for it. */
const alarmsIn = ({ steps }: DrawnWorld): readonly string[] => [...new Set(steps.flatMap(({ about }) => about?.alarm ?? []))];

/**
 * The world in which EC2 takes and advises again, and alarms ring again, after the script. What the group remembers of the first act then decides about the
 * second one: what was refused, taken, advised, launched and moved.
 */
export const withSecondAct = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  if (!draw.chance(share)) return world;
  const alarms = alarmsIn(world);
  const again = alarms.map((name) => (_: Draw, atMs: number) => alarm(atMs, name));
  const fromMs = Math.max(0, world.calmAtMs - 60_000) + seconds(draw, 1, 90);
  const count = draw.between(2, 4);
  return withSteps(
    world,
    oneByOne(draw, { fromMs, count, apart }, (atMs) => draw.one([...kinds, ...again])(draw, atMs)),
  );
};
