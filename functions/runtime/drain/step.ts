import type { DrainStep } from '../../../core/contract.ts';

/** A step to be taken at a time. Whole seconds, rounded up, so that no look comes too early. */
export const stepAt = <Next extends 'begin' | 'check'>(
  next: Next,
  atMs: number,
): { readonly next: Next; readonly untilIso: string } => ({
  next,
  untilIso: new Date(Math.ceil(atMs / 1000) * 1000).toISOString().replace('.000Z', 'Z'),
});

export const endStep: DrainStep = { next: 'end' };
