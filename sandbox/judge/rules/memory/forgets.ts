import { items } from '../../../../core/contract.ts';
import { wasLost } from '../../capacity/breaker.ts';
import type { Chronicle, Written } from '../../chronicle.ts';
import { lookedSince } from '../../members/staying.ts';
import { remembered } from '../../remembered.ts';
import { isFunction, type Life } from '../../world/life.ts';

/** A message about a policy that was written comes to a look within this time. */
const policyHeardMs = 300_000;

/** When a look first followed the policy in force at a moment. Until then, looks that follow the one before may store what is forgotten now. */
const followedAtMs = (chronicle: Chronicle, group: string, atMs: number): number => {
  const { policies = [], written = [] } = chronicle.groups.get(group) ?? {};
  const inForce = policies.findLast((one) => one.atMs <= atMs);
  if (inForce?.policy === undefined) return Number.POSITIVE_INFINITY;
  return written.find((one) => one.atMs >= inForce.atMs && one.policyVersion === inForce.version)?.atMs ?? Number.POSITIVE_INFINITY;
};

/** When a user next writes the policy of a group, or another version comes into force. */
const nextPolicyMs = (chronicle: Chronicle, group: string, atMs: number): number =>
  Math.min(
    Number.POSITIVE_INFINITY,
    ...(chronicle.groups.get(group)?.policies ?? []).map((one) => one.atMs).filter((oneMs) => oneMs > atMs),
    ...chronicle.of('policy-written').flatMap((one) => (one.group === group && one.atMs > atMs ? [one.atMs] : [])),
  );

const statesSince = (chronicle: Chronicle, group: string, learnedMs: number, endedMs: number): readonly Written[] => {
  if (followedAtMs(chronicle, group, learnedMs) >= learnedMs) return [];
  const untilMs = nextPolicyMs(chronicle, group, learnedMs);
  return (chronicle.groups.get(group)?.written ?? []).filter(
    ({ atMs }) => atMs > endedMs && atMs < untilMs && !wasLost(chronicle, group, learnedMs, atMs),
  );
};

/** The functions that wrote items of a kind. */
const writersOf = (prefix: string) =>
  remembered(
    (chronicle: Chronicle): ReadonlySet<string> =>
      new Set(chronicle.of('item-written').flatMap(({ item, by }) => (item.startsWith(prefix) && isFunction(by) ? [by.invocation] : []))),
  );
const claimersOf = writersOf(items.swapPrefix);
const decidersOf = writersOf(items.decisionPrefix);

/** Whether a function without the turn of the group wrote a state: it claims who is warned, notes that a new member runs, and stores no decision. */
const isNoteOf = (chronicle: Chronicle, by: Life['by']): boolean =>
  isFunction(by) && claimersOf(chronicle).has(by.invocation) && !decidersOf(chronicle).has(by.invocation);

/**
 * States that must have what a function learned at a moment, once it has ended. A function that does not have the turn of the group writes no state, or
 * only a note. Then the next look finds the swap that it wrote, and a look that has begun before may not have read that swap.
 */
export const statesAfter = (chronicle: Chronicle, group: string, learnedMs: number, invocation: string): readonly Written[] => {
  const endedMs = chronicle.invocations.get(invocation)?.ended?.atMs;
  if (endedMs === undefined) return [];
  const hasTurn = (chronicle.groups.get(group)?.written ?? []).some(
    ({ by, atMs }) => isFunction(by) && by.invocation === invocation && atMs >= learnedMs && !isNoteOf(chronicle, by),
  );
  return statesSince(chronicle, group, learnedMs, endedMs).filter(
    (state) => hasTurn || (lookedSince(chronicle, state.by, state.atMs) > endedMs && !isNoteOf(chronicle, state.by)),
  );
};

/** Whether a user wrote the policy of a group in a time, or its message may come then: it is late by as much as messages are. */
export const writtenIn = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): boolean =>
  chronicle.of('policy-written').some((one) => one.group === group && one.atMs > fromMs - policyHeardMs && one.atMs <= untilMs);
