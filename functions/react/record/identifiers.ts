import type { Clock } from '../../../core/ports/surroundings.ts';

const base36Time = (ms: number): string => Math.floor(ms).toString(36).padStart(9, '0');
const base36Draw = (random: () => number): string =>
  Math.floor(random() * 36 ** 6)
    .toString(36)
    .padStart(6, '0');

/** An id that sorts by time: the id of a decision, and the beginning of the ids of everything that follows from it. */
export const newDecisionId = (clock: Clock, random: () => number): string =>
  `${base36Time(clock.now())}-${base36Draw(random)}`;
