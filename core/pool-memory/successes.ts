import type { OfferingKey } from '../pool/offering.ts';
import { isWarning, type Lesson, type PoolMemory, takenAtOnceCode, withoutRefusals } from './pool-memory.ts';

/** An offering that EC2 gave, and when its request was first made. */
export type Success = { readonly offering: OfferingKey; readonly askedAtMs: number };

/**
 * Memory after launches succeeded: refusals of these offerings are forgotten. A refusal that came after the request was
 * made stays: the response to a repeat names what EC2 launched at the first attempt, which may be before that refusal.
 * A warning stays, because EC2 may still take instances of an offering that it sells.
 */
export const rememberSuccess = (memory: PoolMemory, successes: readonly Success[]): PoolMemory => {
  const lastAskedMs = new Map<string, number>();
  for (const { offering, askedAtMs } of successes)
    lastAskedMs.set(offering, Math.max(askedAtMs, lastAskedMs.get(offering) ?? askedAtMs));
  const isNews = (key: string, lesson: Lesson): boolean => {
    const askedMs = lastAskedMs.get(key);
    return askedMs !== undefined && (isWarning(lesson) || lesson.atMs <= askedMs);
  };
  const left = withoutRefusals(memory, (key, lesson) => isNews(key, lesson) && lesson.code !== takenAtOnceCode);
  const anew = (key: string, lesson: Lesson): Lesson => (isNews(key, lesson) ? { ...lesson, streak: 0 } : lesson);
  return Object.fromEntries(Object.entries(left).map(([key, lesson]: [string, Lesson]) => [key, anew(key, lesson)]));
};
