import type { AccountBudget } from './account-budget.ts';

/**
 * Groups that wait for a later turn are looked at together, at multiples of this time. The number of members that end
 * meanwhile changes nothing.
 */
const everyMs = 10_000;
/** Describes show most changes within this time. */
const shownAfterMs = 2_000;

/** Groups whose turn comes after the next common look. */
export type PutOff = {
  /** When that look is. */
  readonly lookAtMs: number;
  readonly groups: ReadonlySet<string>;
  /** Those of them for which the look is not arranged yet. */
  readonly fresh: ReadonlySet<string>;
  /** The budget with a note that the look is arranged. */
  readonly budget: AccountBudget;
};

/** Which of these groups need no look before the next common one, because their turn comes later. */
export const putOffLooks = (budget: AccountBudget, groups: ReadonlySet<string>, nowMs: number): PutOff => {
  const lookAtMs = Math.ceil((nowMs + shownAfterMs) / everyMs) * everyMs;
  const waiting = budget.waiting.filter(({ group, turnAtMs }) => groups.has(group) && turnAtMs > lookAtMs);
  const fresh = new Set(waiting.filter((one) => (one.lookAtMs ?? 0) <= nowMs).map(({ group }) => group));
  return {
    lookAtMs,
    groups: new Set(waiting.map(({ group }) => group)),
    fresh,
    budget: {
      ...budget,
      version: budget.version + 1,
      waiting: budget.waiting.map((one) => (fresh.has(one.group) ? { ...one, lookAtMs } : one)),
    },
  };
};
