import type { Mutant } from './mutant.ts';

/** Breakages of what is remembered, and of how long it counts. */
export const remembering: readonly Mutant[] = [
  {
    name: 'the latest launches replace earlier ones in memory',
    file: 'core/limits/launch-limit.ts',
    from: 'launches: [...(isSame ? young.slice(0, -1) : young), tally] });',
    to: 'launches: [...(isSame ? young.slice(0, -1) : young.slice(0, 0)), tally] });',
    caughtBy: ['advice comes in waves'],
  },
  {
    name: 'interruptions count twice as long for a breaker',
    file: 'core/breaker/learn.ts',
    from: 'tallies.filter(({ atMs }) => nowMs - atMs < withinMs);',
    to: 'tallies.filter(({ atMs }) => nowMs - atMs < 2 * withinMs);',
    caughtBy: ['EC2 takes members slowly'],
  },
  {
    name: 'members that could wait are launched over an open breaker',
    file: 'core/decide/over-breakers.ts',
    from: 'const count = Math.min(plan.unplaced, short);',
    to: 'const count = plan.unplaced + 0 * short;',
    caughtBy: ['advised while a breaker is open over all that a group has'],
  },
  {
    name: 'a row of refusals is forgotten with its rest',
    file: 'core/pool-memory/pool-memory.ts',
    from: 'Math.max(coolingUntilMs + longestRestMs, atMs + neededMs),',
    to: 'Math.max(coolingUntilMs + 0 * longestRestMs, atMs + 0 * neededMs),',
    caughtBy: ['spot is refused each time that its rest is over'],
  },
  {
    name: 'a new member that comes up is not remembered',
    file: 'core/group-state/answers.ts',
    from: '= rememberNewcomers(state, granting, nowMs);',
    to: '= rememberNewcomers(state, granting.slice(0, 0), nowMs);',
    caughtBy: ['rebalance'],
  },
  {
    name: 'a new member that serves is still to come',
    file: 'core/view/arriving.ts',
    from: 'return serves === undefined ? nowMs - atMs < forgottenAfterMs : !serves;',
    to: 'return serves === undefined ? nowMs - atMs < forgottenAfterMs : true;',
    caughtBy: ['EC2 takes members slowly'],
  },
  {
    name: 'a first warning that comes after the end is not kept in its swap',
    file: 'core/swap/claim.ts',
    from: 'return isFirst ? { deadlineMs, warnedAtMs: fact.atMs } : undefined;',
    to: 'return isFirst && known !== undefined ? { deadlineMs, warnedAtMs: fact.atMs } : undefined;',
    caughtBy: ['the warning of advised members comes after their end'],
  },
  {
    name: 'the clock of a function may be ahead of its deadline',
    file: 'functions/runtime/clock.ts',
    from: 'atMostMs, Math.max(atLeastMs, calledByMs))',
    to: 'atMostMs, Math.max(atLeastMs, calledByMs + 3_600_000))',
    caughtBy: ['the clock of a function jumps while members are warned'],
  },
  {
    name: 'one launch that EC2 takes back at once lets its offering rest',
    file: 'core/pool-memory/interruptions.ts',
    from: '(isRecent && launchedAtMs >= takenAtOnceMs)',
    to: '(isRecent || launchedAtMs >= takenAtOnceMs)',
    caughtBy: ['scenario flapping-return', 'scenario breaker'],
  },
];
