import type { Mutant } from './mutant.ts';

/** Breakages of how Holdfast learns that an Auto Scaling group refills itself in vain. */
export const refilling: readonly Mutant[] = [
  {
    name: 'an Auto Scaling group whose own launches keep dying is waited for',
    file: 'core/pool-memory/failing-refills.ts',
    from: 'return row !== undefined && row.atMs - row.sinceMs > refillGraceMs;',
    to: 'return row !== undefined && row.atMs - row.sinceMs > 100 * refillGraceMs;',
    caughtBy: ['its own launches die for long'],
  },
  {
    name: 'an Auto Scaling group fails with the first launch of its own that dies',
    file: 'core/pool-memory/failing-refills.ts',
    from: 'return row !== undefined && row.atMs - row.sinceMs > refillGraceMs;',
    to: 'return row !== undefined && row.atMs - row.sinceMs >= 0;',
    caughtBy: ['its own launches die for a minute'],
  },
  {
    name: 'failing launches of an Auto Scaling group belong together, however much later they come',
    file: 'core/pool-memory/failing-refills.ts',
    from: 'const goesOn = row !== undefined && firstMs - row.atMs <= refillGraceMs;',
    to: 'const goesOn = row !== undefined;',
    caughtBy: ['its own launches die, it shrinks, and they die again later'],
  },
  {
    name: 'an Auto Scaling group that launched what came up goes on failing',
    file: 'core/pool-memory/failing-refills.ts',
    from: 'const row = before !== undefined && before.sinceMs > workedMs ? before : undefined;',
    to: 'const row = before;',
    caughtBy: ['its own launches die, come up, and die again soon'],
  },
  {
    name: 'an Auto Scaling group fails where a user ends what it launched',
    file: 'core/pool-memory/failing-refills.ts',
    from: 'endings[instance] !== undefined && !endedForOthers(endings[instance])',
    to: 'endings[instance] !== undefined',
    caughtBy: ['a user ends its own launches before they run'],
  },
  {
    name: 'an Auto Scaling group that failed once is never given its time again',
    file: 'core/pool-memory/failing-refills.ts',
    from: 'return row === undefined || nowMs - row.atMs >= forgottenAfterMs ? []',
    to: 'return row === undefined ? []',
    caughtBy: ['its own launches died for long, a quarter of an hour ago'],
  },
  {
    name: 'a written policy forgives no failing Auto Scaling group',
    file: 'core/group-state/look.ts',
    from: 'withoutLaunches(withoutFailing(withoutFailures(state, writtenAtMs), writtenAtMs), writtenAtMs, nowMs)',
    to: 'withoutLaunches(withoutFailures(state, writtenAtMs), writtenAtMs, nowMs)',
    caughtBy: ['its own launches died for long, and the policy is written'],
  },
  {
    name: 'an Auto Scaling group whose own launches keep dying counts as one that refills itself',
    file: 'core/view/asg-ledger.ts',
    from: "if (failsForLong(view.state, asg.name)) return 'idle';",
    to: "if (failsForLong(view.state, '')) return 'idle';",
    caughtBy: ['its own launches die for long'],
  },
];
