import type { DrainStep, EndStep } from '../../../core/contract.ts';
import type { NextLook } from '../../../core/drain/look.ts';

/** Whole seconds, rounded up, so that no step comes too early. */
export const isoOf = (atMs: number): string =>
  new Date(Math.ceil(atMs / 1000) * 1000).toISOString().replace('.000Z', 'Z');

/** A step to be taken at a time. */
export const stepAt = <Next extends 'begin' | 'check'>(
  next: Next,
  atMs: number,
): { readonly next: Next; readonly untilIso: string } => ({
  next,
  untilIso: isoOf(atMs),
});

export const endStep: DrainStep = { next: 'end' };

/**
 * The step for the state machine. It tells the last step whether an attempt to take members out of service broke off.
 */
export const onward = <Step extends DrainStep | EndStep>(step: Step, brokeOff: true | undefined): Step =>
  brokeOff ? { ...step, brokeOff } : step;

/**
 * The look that is due next, or the end where nothing is left to wait for.
 *
 * @param overAtMs if some members were not taken out of service: the end of the time that they had, by the clock of
 * this function. The last step uses it, so that a function whose clock is behind it does not give them more time
 */
export const checkStep = (next: NextLook | undefined, overAtMs?: number): DrainStep => {
  if (next !== undefined)
    return { ...stepAt('check', next.atMs), ...(next.lookAtMs !== undefined && { lookAtMs: next.lookAtMs }) };
  return overAtMs === undefined ? endStep : { next: 'end', untilIso: isoOf(overAtMs) };
};
