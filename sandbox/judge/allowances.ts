import type { Allowance } from './finding.ts';

/** Everything that is excused, a row each. */
export const allowances: readonly Allowance[] = [];
