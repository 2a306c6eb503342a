import { isFromAws } from '../../aws/calls/errors.ts';
import { areWorthAWrite, type Lessons, type Shared, shareOut, withLessons } from '../../core/limits/account-budget.ts';
import type { Ask } from '../../core/limits/need.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Clock } from '../../core/ports/surroundings.ts';

/** Lost races for the item before its users go on without it. */
const mostConflicts = 8;

/** `mayCall`: whether groups can be woken whose turn comes sooner than announced. */
export type BudgetPorts = {
  readonly store: Pick<StateStore, 'budget' | 'putBudget'>;
  readonly clock: Clock;
  readonly mayCall?: boolean;
};

/**
 * Reads and writes the budget of the account once for these requests. If it cannot be used now, groups go on without
 * it, because it only paces. `contended`: too many wrote at the same moment.
 */
export const shareBudget = async (
  asks: readonly Ask[],
  lessons: Lessons,
  { store, clock, mayCall }: BudgetPorts,
): Promise<Shared | 'contended' | undefined> => {
  try {
    for (let attempt = 0; attempt < mostConflicts; attempt++) {
      const read = withLessons(await store.budget(), lessons, clock.now());
      const shared = shareOut(read, asks, clock.now(), mayCall);
      const isAllTaken = asks.length > 0 && [...shared.turns.values()].every(({ kind }) => kind === 'taken');
      if (isAllTaken && !areWorthAWrite(lessons)) return { ...shared, called: [] };
      if ((await store.putBudget(shared.budget)) === 'done') return shared;
    }
    return 'contended';
  } catch (error) {
    if (!isFromAws(error)) throw error;
    return undefined;
  }
};

export const noLessons: Lessons = { empty: new Set(), refused: new Map(), granted: new Set(), unspent: {} };
