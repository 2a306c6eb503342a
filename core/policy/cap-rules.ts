import { placedIn } from './capacity-rules.ts';
import { type Problem, problemOf } from './problem.ts';
import { mergedPools } from './resolution.ts';
import type { Policy } from './schema.ts';
import { sizeOf } from './size-of.ts';

/** Caps that leave less room than the size asks for: the missing members could never be launched. */
export const hopelessCaps = (policy: Policy): readonly Problem[] => {
  const { max } = sizeOf(policy);
  const placed = new Set(placedIn(policy.capacity));
  const room = Object.entries(mergedPools(policy))
    .filter(([name]) => placed.has(name))
    .reduce((sum, [, { cap = Number.POSITIVE_INFINITY }]) => sum + cap, 0);
  if (room >= max) return [];
  return [
    problemOf({
      path: ['capacity'],
      found: `pools whose caps leave room for ${room}, so that ${max - room} are never launched`,
      allowed: `room for the largest size, ${max}`,
    }),
  ];
};
