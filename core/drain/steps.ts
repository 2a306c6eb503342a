/** Bounds of the step between two looks at something whose end is not known. */
const shortestStepMs = 5_000;
const longestStepMs = 15_000;

/**
 * How long until the next look at something that has taken `ageMs` already: half of its age. So a look comes at most a
 * third of the whole time too late, and never more than fifteen seconds (an eighth of a spot notice).
 */
export const growingStepMs = (ageMs: number): number =>
  Math.min(longestStepMs, Math.max(shortestStepMs, Math.floor(ageMs / 2)));

const shortestRetryMs = 2_000;

/**
 * When to repeat a throttled call that must succeed before `endsByMs`: after an eighth of the time left. So repeats are
 * rare early and frequent near the end.
 */
export const retryAtMs = (nowMs: number, endsByMs: number): number =>
  nowMs + Math.min(longestStepMs, Math.max(shortestRetryMs, Math.floor((endsByMs - nowMs) / 8)));
