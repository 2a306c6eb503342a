import type { Random } from '../../sandbox/random.ts';

export const drawFrom = (random: Random) => ({
  chance: (probability: number): boolean => random() < probability,
  between: (least: number, most: number): number => least + Math.floor(random() * (most - least + 1)),
  one: <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T,
});

/** Draws of a random situation, all from one stream. */
export type Draw = ReturnType<typeof drawFrom>;
