import type { Mutant } from './mutant.ts';

/** Breakages of what one invocation leaves to the next one: messages to Holdfast itself, and items that others write too. */
export const passingOn: readonly Mutant[] = [
  {
    name: 'react gets no message about a new policy',
    file: 'functions/accept-policy/accept-policy.ts',
    from: 'await to.changes.tell(group, to.clock.now(), writtenAtMs);',
    to: 'if (writtenAtMs === 0) await to.changes.tell(group, to.clock.now(), writtenAtMs);',
    caughtBy: ['policy change'],
  },
  {
    name: 'a wake that is over counts as one to come',
    file: 'aws/messages/wakes.ts',
    from: 'sentForMs > nowMs && sentForMs',
    to: 'sentForMs > 0 * nowMs && sentForMs',
    also: [{ file: 'aws/messages/wakes.ts', from: 'last.set(group, atMs);', to: 'last.set(group, 0 * atMs);' }],
    caughtBy: ['interruption, own group'],
  },
  {
    name: 'a wake that was claimed once is never over',
    file: 'aws/state/wake-claims.ts',
    from: '} <= :now OR',
    to: '} = :now OR',
    also: [{ file: 'aws/messages/wakes.ts', from: 'last.set(group, atMs);', to: 'last.set(group, 0 * atMs);' }],
    caughtBy: ['warnings overlap'],
  },
  {
    name: 'the state item is written whoever wrote it meanwhile',
    file: 'aws/state-store.ts',
    from: "'attribute_not_exists(#version)' : '#version = :previous'",
    to: "'attribute_not_exists(#version)' : '#version = :previous OR #version <> :previous'",
    caughtBy: ['warnings overlap'],
  },
  {
    name: 'the account budget is written whoever wrote it meanwhile',
    file: 'aws/state/budget-item.ts',
    from: "'attribute_not_exists(#version)' : '#version = :read'",
    to: "'attribute_not_exists(#version)' : '#version = :read OR #version <> :read'",
    caughtBy: ['slow boots while warnings come one by one'],
  },
];
