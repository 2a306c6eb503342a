import type { Mutant } from './mutant.ts';

/** Breakages of what is kept on demand, and of shares. */
export const shares: readonly Mutant[] = [
  {
    name: 'what is owed on demand is not launched first',
    file: 'core/placement/plan-with-floor.ts',
    from: 'const count = Math.min(owed - held, input.count);',
    to: 'const count = Math.min(owed - held, input.count) * 0;',
    caughtBy: ['a floor on demand while spot is plentiful'],
  },
  {
    name: 'the share on demand is rounded down',
    file: 'core/placement/on-demand.ts',
    from: 'Math.ceil((size * percent) / 100 - 1e-9)',
    to: 'Math.floor((size * percent) / 100)',
    caughtBy: ['a floor on demand while spot is plentiful'],
  },
  {
    name: 'a removal takes what is owed on demand',
    file: 'core/decide/surplus.ts',
    from: 'arbiter.aboveMinimum(), arbiter.beyondFloor(), spares]',
    to: 'arbiter.aboveMinimum(), spares]',
    caughtBy: ['a floor on demand while spot is plentiful'],
  },
  {
    name: 'a group at its size never gets what it owes on demand',
    file: 'core/decide/decide.ts',
    from: '  onDemandFloor,\n  returns,',
    to: '  returns,',
    caughtBy: ['a floor that the policy raises'],
  },
  {
    name: 'more move on demand at once than the surge allows',
    file: 'core/decide/arbiter.ts',
    from: 'toOnDemand: budgetOf(Math.min(moves, maxSurge - headcount',
    to: 'toOnDemand: budgetOf(Math.min(moves, maxSurge + 9 - headcount',
    caughtBy: ['a floor that the policy raises'],
  },
  {
    name: 'a return takes what is owed on demand',
    file: 'core/returning/ground.ts',
    from: '(onDemandLeft > 0 || !isOnDemand(member)) &&',
    to: '(onDemandLeft > -99 || !isOnDemand(member)) &&',
    also: [{ file: 'core/returning/under-way.ts', from: 'return left >= 0;', to: 'return left >= -99;' }],
    caughtBy: ['a floor while spot comes back'],
  },
  {
    name: 'shares hold nobody back',
    file: 'core/placement/shares.ts',
    from: 'const full = book?.full(offering);',
    to: 'const full = [book?.full(offering)].find(() => false);',
    caughtBy: ['shares while members are lost'],
  },
  {
    name: 'launches in flight are in no share',
    file: 'core/placement/shares.ts',
    from: ', ...inFlight.flatMap(sharingOf)]',
    to: ', ...inFlight.slice(99).flatMap(sharingOf)]',
    caughtBy: ['shares while members are lost'],
  },
  {
    name: 'moves go over shares',
    file: 'core/returning/ground.ts',
    from: '...(shared && { shares: shareBook(shared) }),',
    to: '...(shared && { shares: shareBook({ ...shared, held: [] }) }),',
    caughtBy: ['shares while spot comes back'],
  },
  {
    name: 'a share is one larger than it says',
    file: 'core/placement/shares.ts',
    from: 'Math.max(1, Math.ceil((size * percent) / 100 - 1e-9))',
    to: 'Math.max(1, 1 + Math.ceil((size * percent) / 100 - 1e-9))',
    caughtBy: ['shares while members are lost'],
  },
];
