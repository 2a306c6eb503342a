import { withoutChoices } from '../decision/chosen-members.ts';
import { withoutAdvised } from '../limits/advice-budget.ts';
import type { Swap } from '../swap/swap.ts';
import type { GroupState } from '../view/view.ts';

/**
 * The state after a decision let these swaps begin, and they wait on because its launches were denied. They count as
 * waiting again, and the budget for advice does not count them.
 */
export const withHeldBack = (state: GroupState, decision: string, swaps: readonly Swap[]): GroupState => {
  if (swaps.length === 0) return state;
  const { chosen: _chosen, advised: _advised, ...rest } = state;
  const instances = swaps.map(({ instance }) => instance);
  const [chosen, advised] = [withoutChoices(state, decision, instances), withoutAdvised(state, swaps)];
  return { ...rest, ...(chosen.length > 0 && { chosen }), ...(advised.length > 0 && { advised }) };
};
