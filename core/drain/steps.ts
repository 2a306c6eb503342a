/** Bounds of the step between two looks at something whose end cannot be foretold. */
const shortestStepMs = 5_000;
const longestStepMs = 15_000;

/**
 * How long until the next look at something that has taken `ageMs` already: half of its age, so that a look comes late
 * by a third of the whole at most, and never more than fifteen seconds, an eighth of a spot notice.
 */
export const growingStepMs = (ageMs: number): number =>
  Math.min(longestStepMs, Math.max(shortestStepMs, Math.floor(ageMs / 2)));

const shortestRetryMs = 2_000;

/**
 * When to repeat a throttled call that must succeed before `endsByMs`: after an eighth of the time left, so that
 * repeats come closer together as the end does, and are few while it is far.
 */
export const retryAtMs = (nowMs: number, endsByMs: number): number =>
  nowMs + Math.min(longestStepMs, Math.max(shortestRetryMs, Math.floor((endsByMs - nowMs) / 8)));
