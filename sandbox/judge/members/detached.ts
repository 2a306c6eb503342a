import { tags } from '../../../core/contract.ts';
import type { Chronicle } from '../chronicle.ts';
import type { Actor } from '../history.ts';
import { type Life, type Stay, tagsAt } from '../world/life.ts';
import { lookedSince } from './staying.ts';

/** The last stay of an instance in an Auto Scaling group before a moment, if its user detached it, and the function that acted then could see that and its tag. */
export const detachedByUser = (chronicle: Chronicle, life: Life, by: Actor | undefined, atMs: number): Stay | undefined => {
  const last = life.stays.findLast(({ fromMs }) => fromMs < atMs);
  if (last?.how !== 'detached' || last.by?.kind !== 'user' || by === undefined) return undefined;
  const { lagMs, asgLagMs, clockMs } = chronicle.times;
  const shownSinceMs = lookedSince(chronicle, by, atMs) - Math.max(lagMs, asgLagMs) - 2 * clockMs;
  return last.untilMs < shownSinceMs && tagsAt(life, shownSinceMs)[tags.joined] !== undefined ? last : undefined;
};
