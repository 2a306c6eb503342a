import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import type { Draw } from '../random-draw.ts';
import type { Situation, Step } from '../situation.ts';

/** A world without its name and seed. */
export type DrawnWorld = Omit<Situation, 'name' | 'seed'>;

/** A kind of world. */
export type Profile = {
  readonly about: string;
  /** How often it is drawn, among all. */
  readonly weight: number;
  readonly draw: (draw: Draw) => DrawnWorld;
};

/** From then on nothing more is done to the world: every step and every fault with a time of its own is over. */
export const calmAfter = (steps: readonly Step[], faults: readonly FaultInput[] = [], leastMs = 120_000): number =>
  Math.max(
    leastMs,
    ...steps.map(({ atMs, lastsMs = 0 }) => atMs + lastsMs + 10_000),
    ...faults.map(({ untilMs = 0 }) => (Number.isFinite(untilMs) ? untilMs + 10_000 : 0)),
  );

/** The world with more steps, which are drawn last so that all else in a seed is as it was without them. */
export const withSteps = (world: DrawnWorld, steps: readonly Step[]): DrawnWorld => ({
  ...world,
  steps: [...world.steps, ...steps],
  calmAtMs: Math.max(world.calmAtMs, calmAfter(steps)),
});

/** Some of these, each drawn anew, at times within so many seconds. */
export const drawSome = <Step>(
  draw: Draw,
  kinds: readonly ((draw: Draw, atMs: number) => Step)[],
  { least, most, withinSeconds = 90 }: { readonly least: number; readonly most: number; readonly withinSeconds?: number },
): readonly Step[] => Array.from({ length: draw.between(least, most) }, () => draw.one(kinds)(draw, draw.between(1, withinSeconds) * 1_000));

/** So many steps, one after the other: so many seconds lie between two of them. */
export const oneByOne = (
  draw: Draw,
  { fromMs, count, apart }: { readonly fromMs: number; readonly count: number; readonly apart: readonly [number, number] },
  next: (atMs: number) => Step,
): readonly Step[] => {
  let atMs = fromMs;
  return Array.from({ length: count }, () => {
    const step = next(atMs);
    atMs += seconds(draw, ...apart);
    return step;
  });
};

export const minutes = (draw: Draw, least: number, most: number): number => draw.between(least, most) * 60_000;
export const seconds = (draw: Draw, least: number, most: number): number => draw.between(least, most) * 1_000;
