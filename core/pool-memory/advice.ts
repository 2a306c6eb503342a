import { type OfferingKey, offeringKey, parseOfferingKey } from '../pool/offering.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import type { Swap } from '../swap/swap.ts';
import { isResting, type Lesson, type PoolMemory } from './pool-memory.ts';

/**
 * Rest after a rebalance recommendation: EC2 never says that the risk is over. Longer only while members wait to leave
 * for it.
 */
export const advisedRestMs = 3 * 60_000;

/** How far ahead a decision says that an offering is at risk for the members that wait: the next tick looks again. */
const waitingForMs = 60_000;

/** What swaps say of offerings that EC2 advised to leave. */
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

/** A refusal or a warning that still rests is the stronger word, and the later advice holds. */
const isTold = (previous: Lesson | undefined, untilMs: number, nowMs: number): boolean =>
  isResting(previous, nowMs) && (previous.kind !== 'advised' || previous.coolingUntilMs >= untilMs);

/**
 * Memory after rebalance recommendations that were acted on. Each is learned once, as of when it was heard: however
 * long its member takes to leave, and whatever becomes of it.
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

/** Memory after advice to leave these offerings that is heard now, whether anybody leaves for it or not. */
export const adviseAgainst = (memory: PoolMemory, offerings: readonly OfferingKey[], nowMs: number): PoolMemory => {
  const untilMs = nowMs + advisedRestMs;
  const told = offerings.filter((offering) => !isTold(memory[offering], untilMs, nowMs));
  return { ...memory, ...Object.fromEntries(told.map((key) => [key, lessonOf(nowMs, untilMs, memory[key])])) };
};

/**
 * What a decision goes by while members wait to leave offerings for advice: these stay at risk for as long, whenever
 * it was heard. Not to be stored.
 */
export const whileMembersWait = (memory: PoolMemory, swaps: readonly Swap[], nowMs: number): PoolMemory => {
  const risky = adviceIn(swaps, ['waiting', 'leaving']).filter(({ offering }) => !isResting(memory[offering], nowMs));
  if (risky.length === 0) return memory;
  const lessons = risky.map(({ offering }) => [offering, lessonOf(nowMs, nowMs + waitingForMs, memory[offering])]);
  return { ...memory, ...Object.fromEntries(lessons) };
};
