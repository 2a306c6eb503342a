/** Bounds, in milliseconds, of the step between two looks at something whose end is not known. */
export const shortestStepMs = 5_000;
const longestStepMs = 15_000;

/** A look at something old may be late by this share of its age. */
const lateShare = 60;

/**
 * How long until the next look at something that has taken `ageMs` already: half of its age, and fifteen seconds at
 * most (an eighth of a spot notice). After a quarter of an hour it is a sixtieth of the age, so that a drain of 48
 * hours takes a few hundred looks. A look every fifteen seconds would exceed the 25,000 events that Step Functions
 * keeps for an execution.
 */
export const growingStepMs = (ageMs: number): number =>
  Math.max(Math.min(longestStepMs, Math.max(shortestStepMs, Math.floor(ageMs / 2))), Math.floor(ageMs / lateShare));
