import { codeOf, isFromAws } from '../../aws/calls/errors.ts';
import type { Missed } from '../../aws/calls/optional-read.ts';
import {
  type AccountBudget,
  areWorthAWrite,
  type Lessons,
  type Shared,
  shareOut,
  withLessons,
} from '../../core/limits/account-budget.ts';
import type { Ask } from '../../core/limits/need.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Clock } from '../../core/ports/surroundings.ts';

/** Lost races for the item before its users go on without it. */
const mostConflicts = 8;

/**
 * `missed`: is told when the budget cannot be used now. `mayCall`: whether groups can be woken whose turn comes sooner
 * than announced.
 */
export type BudgetPorts = {
  readonly store: Pick<StateStore, 'budget' | 'putBudget'>;
  readonly clock: Clock;
  readonly missed: Missed;
  readonly mayCall?: boolean;
};

/** Requests, or which ones there are once the budget is known. */
type Asks = readonly Ask[] | ((budget: AccountBudget) => readonly Ask[]);

/**
 * Reads and writes the budget of the account once for these requests. If it cannot be used now, groups go on without
 * it, because it only paces. `contended`: too many wrote at the same moment.
 *
 * @param known the budget, if the caller has just read it
 */
export const shareBudget = async (
  asksIn: Asks,
  lessons: Lessons,
  { store, clock, missed, mayCall }: BudgetPorts,
  known?: AccountBudget,
): Promise<Shared | 'contended' | undefined> => {
  try {
    for (let attempt = 0; attempt < mostConflicts; attempt++) {
      const read = (attempt === 0 ? known : undefined) ?? (await store.budget());
      const budget = withLessons(read, lessons, clock.now());
      const asks = typeof asksIn === 'function' ? asksIn(budget) : asksIn;
      const shared = shareOut(budget, asks, clock.now(), mayCall);
      const isAllTaken = [...shared.turns.values()].every(({ kind }) => kind === 'taken');
      if (isAllTaken && !areWorthAWrite(lessons)) return { ...shared, called: [] };
      if ((await store.putBudget(shared.budget)) === 'done') return shared;
    }
    return 'contended';
  } catch (error) {
    if (!isFromAws(error)) throw error;
    missed('budget of the account', codeOf(error));
    return undefined;
  }
};

export const noLessons: Lessons = { empty: new Set(), refused: new Map(), granted: new Set(), unspent: {} };
