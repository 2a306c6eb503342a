import { isFromAws } from '../../aws/calls/errors.ts';
import {
  type AccountBudget,
  type Lessons,
  shareOut,
  type Turn,
  withLessons,
} from '../../core/limits/account-budget.ts';
import type { Ask } from '../../core/limits/need.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Clock } from '../../core/ports/surroundings.ts';

/** Lost races for the item before its users go on without it. */
const mostConflicts = 8;

export type BudgetPorts = { readonly store: Pick<StateStore, 'budget' | 'putBudget'>; readonly clock: Clock };

/** Turns by group, and the budget as written. */
export type Shared = { readonly turns: ReadonlyMap<string, Turn>; readonly budget: AccountBudget };

/**
 * Reads and writes the budget of the account once for these asks. Where it cannot be used now, its users go on without
 * it: it only paces. `contended`: too many wrote at the same moment.
 */
export const shareBudget = async (
  asks: readonly Ask[],
  lessons: Lessons,
  { store, clock }: BudgetPorts,
): Promise<Shared | 'contended' | undefined> => {
  try {
    for (let attempt = 0; attempt < mostConflicts; attempt++) {
      const read = withLessons(await store.budget(), lessons, clock.now());
      const { budget, turns } = shareOut(read, asks, clock.now());
      const isAllTaken = asks.length > 0 && [...turns.values()].every(({ kind }) => kind === 'taken');
      if (isAllTaken || (await store.putBudget(budget)) === 'done') return { turns, budget };
    }
    return 'contended';
  } catch (error) {
    if (!isFromAws(error)) throw error;
    return undefined;
  }
};

export const noLessons: Lessons = { empty: new Set(), refused: new Set(), granted: new Set(), unspent: {} };
