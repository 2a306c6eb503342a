import type { OfferingKey } from '../pool/offering.ts';
import { type AccountBudget, askedNow, firstOfferings, learnedMs } from './account-budget.ts';
import { type Ask, byNeed } from './need.ts';

/** So many groups request an offering at first, while nobody knows whether EC2 grants it. */
export const mostAtFirst = 4;

/** Whether EC2 refused or granted one of these offerings a moment ago, to whichever group. */
const isKnown = (
  offerings: readonly OfferingKey[],
  { refused, granted }: Pick<AccountBudget, 'refused' | 'granted'>,
  nowMs: number,
): boolean =>
  offerings.some((key) => {
    const atMs = Math.max(refused[key]?.atMs ?? 0, granted[key] ?? 0);
    return nowMs - atMs < learnedMs;
  });

/**
 * The requests that wait for a moment for what the others learn. A few groups in the order of need request an offering
 * first. When a zone is lost, every group requests there at once, and EC2 would refuse all of them. These calls would
 * be missing elsewhere. A full bucket is no reason to make them: one storm comes in several batches, and none of them
 * knows how many calls the others are about to make.
 */
export const whoWaits = (budget: AccountBudget, asks: readonly Ask[], nowMs: number): ReadonlySet<Ask> => {
  const before = Object.entries(askedNow(budget, nowMs));
  const asked = new Map(before.map(([key, { groups }]) => [key as OfferingKey, groups]));
  const goesFirst = (ask: Ask): boolean => {
    const unknown = (ask.offerings ?? []).filter((some) => !isKnown(some, budget, nowMs));
    const keys = firstOfferings({ offerings: unknown });
    if (keys.length > 0 && keys.every((key) => (asked.get(key) ?? 0) >= mostAtFirst)) return false;
    for (const key of keys) asked.set(key, (asked.get(key) ?? 0) + 1);
    return true;
  };
  const inOrder = asks.map((ask) => ({ ask, ...ask, sinceMs: nowMs, turnAtMs: nowMs })).toSorted(byNeed);
  return new Set(inOrder.flatMap(({ ask }) => (goesFirst(ask) ? [] : [ask])));
};

/** Whether everything is known that a request waits for. */
export const isAllKnown = ({ offerings = [] }: Ask, learned: ReadonlySet<OfferingKey>): boolean =>
  offerings.every((some) => some.some((key) => learned.has(key)));
