import type { PutBack } from '../mutant.ts';

/** Faults that the audit found, put back into the code. */
export const holding: readonly PutBack[] = [
  {
    name: 'a raised maximum is known by its last value alone',
    file: 'core/raised-max.ts',
    from: 'max === toMax || earlier.includes(max)',
    to: 'max === toMax && earlier.length >= 0',
    situation: 'a second raise never comes about',
  },
];
