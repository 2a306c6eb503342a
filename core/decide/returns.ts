import { chooseReturns } from '../returning/rule.ts';
import { movesUnderWay, replacedMembers } from '../returning/under-way.ts';
import { takeFrom } from './releasable.ts';
import type { Rule } from './rule.ts';
import { aboveDesired } from './surplus.ts';

/**
 * Members leave when their replacements serve in better places. They are chosen before any other surplus, because their
 * replacements are the members above the desired size. They draw on the same budgets as other removals.
 */
export const replaced: Rule = {
  name: 'replaced by returns',
  propose: (situation) => {
    const { view, headcount, arbiter } = situation;
    const above = aboveDesired(situation);
    const accounts = [arbiter.releasable.forRemovals(), arbiter.aboveMinimum()];
    const removals = replacedMembers(movesUnderWay(view, headcount), view.nowMs)
      .slice(0, Math.max(0, above))
      .filter(({ instance }) => takeFrom(accounts, instance));
    arbiter.leave(removals.map(({ instance }) => instance));
    return { removals };
  },
};

/** Members move to better places of the tree while the decision does nothing else. */
export const returns: Rule = {
  name: 'returns',
  propose: ({ view, headcount, arbiter }, soFar) => {
    const isDisturbed = soFar.lack !== 0 || soFar.placements.length + soFar.removals.length + soFar.drains.length > 0;
    const {
      plan,
      leaving = [],
      notMoved,
    }: Partial<ReturnType<typeof chooseReturns>> = isDisturbed
      ? {}
      : chooseReturns(view, headcount, Math.min(arbiter.returns.left(), arbiter.launches.left()));
    const { placements = [], reasons = [], moves = [] } = plan ?? {};
    const accounts = [arbiter.releasable.forRemovals(), arbiter.aboveMinimum(), arbiter.beyondFloor()];
    const removals = leaving.filter(({ instance }) => takeFrom(accounts, instance));
    arbiter.leave(removals.map(({ instance }) => instance));
    return { placements, reasons, removals, ...(moves.length > 0 && { moves }), ...(notMoved && { notMoved }) };
  },
};
