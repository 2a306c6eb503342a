// expects lint/correctness/noUndeclaredDependencies
import { pad } from 'left-pad';

export const padded = pad;
