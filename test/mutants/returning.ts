import type { Mutant } from './mutant.ts';

/** Breakages of how members move to better places of the tree. */
export const returning: readonly Mutant[] = [
  {
    name: 'nobody moves to a better place',
    file: 'core/decide/decide.ts',
    from: '  returns,\n  admissions,',
    to: '  admissions,',
    caughtBy: ['scenario return-to-spot'],
  },
  {
    name: 'nobody leaves for the replacement of a move',
    file: 'core/decide/decide.ts',
    from: '  replaced,\n  surplus,',
    to: '  surplus,',
    caughtBy: ['return'],
  },
  {
    name: 'a member moves within its own tier',
    file: 'core/returning/better-place.ts',
    from: 'choice.index < own.index && canGive(choice)',
    to: 'choice.index <= own.index && canGive(choice)',
    caughtBy: ['return'],
  },
  {
    name: 'moves have no budget',
    file: 'core/decide/arbiter.ts',
    from: 'budgetOf(Math.max(0, Math.min(moves, maxSurge, movesLeft(view))))',
    to: 'budgetOf(100 + 0 * movesLeft(view))',
    caughtBy: ['return'],
  },
  {
    name: 'spreads are not evened out',
    file: 'core/returning/rule.ts',
    from: '...planEvenOut(workOf(view, patience, headcount), headcount, most)',
    to: '...planEvenOut(workOf(view, patience, headcount), headcount, 0 * most)',
    caughtBy: ['scenario zones-even-out'],
  },
  {
    name: 'even spreads are evened out',
    file: 'core/returning/even-out.ts',
    from: 'own.tally.count - choice.tally.count < 2)',
    to: 'own.tally.count - choice.tally.count < 0)',
    caughtBy: ['scenario zones-even-out'],
  },
  {
    name: 'an offering whose members were interrupted soon is not left alone',
    file: 'core/returning/memory.ts',
    from: 'return latestOf(last) + doublingMs(afterMs, streak + 1, longestBackOffMs);',
    to: 'return 0 * (latestOf(last) + doublingMs(afterMs, streak + 1, longestBackOffMs));',
    caughtBy: ['scenario flapping-return'],
  },
  {
    name: 'members move outside the window',
    file: 'core/returning/rule.ts',
    from: 'return isWindowOpen(rule.windows, rule.timezone, view.nowMs) ? undefined',
    to: 'return isWindowOpen(undefined, rule.timezone, view.nowMs) ? undefined',
    caughtBy: ['spot comes back outside the window for returns'],
  },
  {
    name: 'the window for returns is read in UTC',
    file: 'core/returning/rule.ts',
    from: 'isWindowOpen(rule.windows, rule.timezone, view.nowMs)',
    to: "isWindowOpen(rule.windows, 'UTC', view.nowMs)",
    caughtBy: ['spot comes back outside the window for returns'],
  },
  {
    name: 'the launch for a move counts as a surplus',
    file: 'core/decide/surplus.ts',
    from: 'const count = aboveDesired(situation) - replacements(situation);',
    to: 'const count = aboveDesired(situation) - 0 * replacements(situation);',
    caughtBy: ['spot gives again after members were lost'],
  },
];
