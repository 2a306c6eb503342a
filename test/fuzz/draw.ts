import { forkRandom } from '../../sandbox/random.ts';

/** Draws that follow from a seed. */
export type Draw = {
  /** A whole number from 0 up to, not including, `below`. */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
};

export const createDraw = (seed: number, purpose: string): Draw => {
  const random = forkRandom(seed, purpose);
  const int = (below: number): number => Math.floor(random() * below);
  return {
    int,
    chance: (probability) => random() < probability,
    pick: (list) => {
      if (list.length === 0) throw new Error('There is nothing to pick from.');
      return list[int(list.length)] as (typeof list)[number];
    },
  };
};
