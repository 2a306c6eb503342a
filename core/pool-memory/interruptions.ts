import { type OfferingKey, parseOfferingKey } from '../pool/offering.ts';
import {
  interruptedRestMs,
  isResting,
  type Lesson,
  type PoolMemory,
  takenAtOnceCode,
  withoutRefusal,
} from './pool-memory.ts';
import { refusedRestMs } from './refusals.ts';

/** An instance that is warned sooner than this after its launch was of no use. The time is that of a spot notice. */
export const atOnceMs = 2 * 60_000;

/** Two launches that EC2 takes at once within this time show that it gives nothing now. */
const atOnceWithinMs = 3 * 60_000;

/**
 * A member that EC2 warned about, and when it was launched, where that is known. `toldAtMs`: when an earlier function
 * received the warning, and nobody has remembered it yet.
 */
export type Interrupted = {
  readonly offering: OfferingKey;
  readonly launchedAtMs?: number;
  readonly toldAtMs?: number;
};

/** Whether another offering of the market was taken back at once a moment ago. Then one launch is enough evidence. */
const isTakenAround = (memory: PoolMemory, key: OfferingKey, nowMs: number): boolean =>
  Object.entries(memory).some(
    ([other, lesson]: [string, Lesson]) =>
      lesson.code === takenAtOnceCode &&
      lesson.atMs <= nowMs &&
      isResting(lesson, nowMs) &&
      parseOfferingKey(other)?.market === parseOfferingKey(key)?.market,
  );

/**
 * The lesson of a warning. If EC2 takes a second launch of an offering at once, made after the warning of the first,
 * the offering counts as refused, because its instances never do work.
 */
const lessonOfWarning = (
  memory: PoolMemory,
  { offering, launchedAtMs = Number.NEGATIVE_INFINITY }: Interrupted,
  nowMs: number,
): Lesson => {
  const { streak = 0, takenAtOnceMs = Number.NEGATIVE_INFINITY } = memory[offering] ?? {};
  const isAtOnce = nowMs - launchedAtMs < atOnceMs;
  const isRecent = nowMs - takenAtOnceMs < atOnceWithinMs;
  if (isAtOnce && ((isRecent && launchedAtMs >= takenAtOnceMs) || isTakenAround(memory, offering, nowMs)))
    return {
      kind: 'refused',
      code: takenAtOnceCode,
      atMs: nowMs,
      coolingUntilMs: nowMs + refusedRestMs,
      streak,
      interruptedAtMs: nowMs,
    };
  const sinceMs = isRecent ? takenAtOnceMs : isAtOnce ? nowMs : undefined;
  return {
    kind: 'interrupted',
    code: 'interruption',
    atMs: nowMs,
    coolingUntilMs: nowMs + interruptedRestMs,
    streak,
    ...(sinceMs !== undefined && { takenAtOnceMs: sinceMs }),
  };
};

/** The later one of two lessons of warnings: a warning that was remembered late ends no rest of a later one. */
const later = (previous: Lesson | undefined, lesson: Lesson): Lesson =>
  previous?.kind === 'interrupted' && previous.atMs > lesson.atMs
    ? { ...lesson, atMs: previous.atMs, coolingUntilMs: previous.coolingUntilMs }
    : lesson;

/**
 * Memory after warnings for members of these offerings, in the order in which they were received: what a warning shows
 * depends on the earlier ones. A refusal that still rests takes precedence and stays, with the time of the warning. The
 * rest begins when the warning was received. A warning whose rest would be over teaches nothing.
 */
export const rememberInterruptions = (
  memory: PoolMemory,
  interrupted: readonly Interrupted[],
  nowMs: number,
): PoolMemory => {
  const next: Record<OfferingKey, Lesson> = { ...memory };
  const told = interrupted
    .map((one) => ({ one, atMs: one.toldAtMs ?? nowMs }))
    .filter(({ atMs }) => nowMs - atMs < interruptedRestMs);
  for (const { one, atMs } of told.toSorted((a, b) => a.atMs - b.atMs)) {
    const { offering: key } = one;
    const previous = next[key];
    if (parseOfferingKey(key) === undefined) continue;
    const isRefused = previous?.kind === 'refused' && isResting(previous, nowMs);
    next[key] = isRefused
      ? { ...previous, interruptedAtMs: Math.max(atMs, previous.interruptedAtMs ?? 0) }
      : later(withoutRefusal(previous), lessonOfWarning(next, one, atMs));
  }
  return next;
};

/** Memory as if offerings that EC2 takes back at once were only interrupted: they come last, and may be used. */
export const withTakenAtOnce = (memory: PoolMemory): PoolMemory =>
  Object.fromEntries(
    Object.entries(memory).map(([key, lesson]: [string, Lesson]) => [
      key,
      lesson.code === takenAtOnceCode ? { ...lesson, kind: 'interrupted' as const } : lesson,
    ]),
  );
