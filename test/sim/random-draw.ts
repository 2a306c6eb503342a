import type { Random } from '../../sandbox/random.ts';

/** Trouble that can be requested, so that every world has it. `tight-maxima` and `weights` are about groups whose size others set. */
export const troubles = ['rivals', 'clock-steps', 'stale-pages', 'zones', 'operators', 'slow-boots', 'tight-maxima', 'weights'] as const;
export type Trouble = (typeof troubles)[number];

export const drawFrom = (random: Random, always?: Trouble) => {
  const chance = (probability: number): boolean => random() < probability;
  return {
    always,
    chance,
    between: (least: number, most: number): number => least + Math.floor(random() * (most - least + 1)),
    one: <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T,
    /** Whether this world has that trouble. Drawn whether it was requested or not: the rest of the world stays as it is. */
    has: (trouble: Trouble, probability: number): boolean => chance(probability) || trouble === always,
  };
};

/** Draws of a random situation, all from one stream. */
export type Draw = ReturnType<typeof drawFrom>;
