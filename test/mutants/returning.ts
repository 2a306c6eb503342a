import type { Mutant } from './mutant.ts';

/** Breakages of how members move to better places of the tree. */
export const returning: readonly Mutant[] = [
  {
    name: 'nobody moves to a better place',
    file: 'core/decide.ts',
    from: '  returns,\n  admissions,',
    to: '  admissions,',
    caughtBy: ['scenario return-to-spot'],
  },
  {
    name: 'nobody leaves for the replacement of a move',
    file: 'core/decide.ts',
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
    from: 'budgetOf(Math.max(0, Math.min(maxSurge, movesLeft(view))))',
    to: 'budgetOf(100 + 0 * movesLeft(view))',
    caughtBy: ['return'],
  },
];
