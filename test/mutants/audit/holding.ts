import type { PutBack } from '../mutant.ts';

/** Faults that the audit found, put back into the code. */
export const holding: readonly PutBack[] = [];
