import type { Situation } from '../situation.ts';

/** Situations in which the audit saw a fault, by what goes wrong in them. */
export const launching: Readonly<Record<string, () => Situation>> = {};
