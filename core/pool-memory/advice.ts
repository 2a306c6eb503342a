import { type OfferingKey, offeringKey, parseOfferingKey } from '../pool/offering.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import type { Swap } from '../swap/swap.ts';
import { type Lesson, type PoolMemory, restingOf } from './pool-memory.ts';

/**
 * Rest after a rebalance recommendation, because EC2 never says that the risk is over. It is longer only while members
 * wait to leave.
 */
export const advisedRestMs = 3 * 60_000;

/** How long an offering stays at risk for waiting members. The next tick looks again. */
const waitingForMs = 60_000;

/** Advice of EC2 to leave an offering, as a swap stores it. */
type Advice = { readonly offering: OfferingKey; readonly heardAtMs: number };

const adviceIn = (swaps: readonly Swap[], states: readonly Swap['state'][]): readonly Advice[] =>
  swaps.flatMap(({ reason, state, offering, claimedAtMs, heardAtMs = claimedAtMs }) => {
    const known = traitsOf({ reason }).isAdvice && states.includes(state) ? parseOfferingKey(offering) : undefined;
    return known === undefined ? [] : [{ offering: offeringKey(known), heardAtMs }];
  });

const lessonOf = (atMs: number, coolingUntilMs: number, previous: Lesson | undefined): Lesson => ({
  kind: 'advised',
  code: 'rebalance',
  atMs,
  coolingUntilMs,
  streak: previous?.streak ?? 0,
});

/** A present refusal or warning is stronger than advice. Of two pieces of advice, the later one counts. */
const isTold = (previous: Lesson | undefined, untilMs: number, nowMs: number): boolean => {
  const present = restingOf(previous, nowMs);
  return present !== undefined && (present.kind !== 'advised' || present.coolingUntilMs >= untilMs);
};

/**
 * Memory after rebalance recommendations that were acted on. Each counts once, from when it was received, however long
 * its member takes to leave.
 */
export const rememberAdvice = (memory: PoolMemory, swaps: readonly Swap[], nowMs: number): PoolMemory => {
  const next: Record<string, Lesson> = { ...memory };
  for (const { offering, heardAtMs } of adviceIn(swaps, ['waiting', 'leaving', 'draining', 'drained'])) {
    const previous = next[offering];
    const untilMs = heardAtMs + advisedRestMs;
    if (untilMs <= nowMs || isTold(previous, untilMs, nowMs)) continue;
    next[offering] = lessonOf(heardAtMs, untilMs, previous);
  }
  return next;
};

/** Memory after advice to leave these offerings that is received now, even if no member leaves for it. */
export const adviseAgainst = (memory: PoolMemory, offerings: readonly OfferingKey[], nowMs: number): PoolMemory => {
  const untilMs = nowMs + advisedRestMs;
  const told = offerings.filter((offering) => !isTold(memory[offering], untilMs, nowMs));
  return { ...memory, ...Object.fromEntries(told.map((key) => [key, lessonOf(nowMs, untilMs, memory[key])])) };
};

/**
 * Memory for a decision while members wait to leave because of advice: their offerings stay at risk for as long. It is
 * not stored.
 */
export const whileMembersWait = (memory: PoolMemory, swaps: readonly Swap[], nowMs: number): PoolMemory => {
  const risky = adviceIn(swaps, ['waiting', 'leaving']).filter(({ offering }) => !restingOf(memory[offering], nowMs));
  const lessons = risky.map(({ offering }) => [offering, lessonOf(nowMs, nowMs + waitingForMs, memory[offering])]);
  return { ...memory, ...Object.fromEntries(lessons) };
};
