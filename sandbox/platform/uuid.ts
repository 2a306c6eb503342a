import type { Random } from '../random.ts';

/** A version 4 UUID that follows from the seed. */
export const uuid = (random: Random): string => 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, () => Math.floor(random() * 16).toString(16));
