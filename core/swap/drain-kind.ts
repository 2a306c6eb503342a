import { traitsOf } from '../removal/leave-reason.ts';
import type { CutBy } from './shortfall.ts';
import type { Swap } from './swap.ts';

/**
 * Kinds of leaving that never share a drain, whatever their deadlines. `interruption`: EC2 takes it. `hook`: its Auto
 * Scaling group waits for us. `removal`: above the desired size, or without a reservation. `swap`: it is replaced, or
 * it was already leaving when it was warned. `mend`: its own drain failed or missed it.
 */
export type DrainKind = 'interruption' | 'hook' | 'removal' | 'swap' | 'mend';

/** Returns the name of the drain for instances of this kind and deadline. */
export type NameDrain = (kind: DrainKind, deadlineMs?: number) => string;

const kinds: Readonly<Record<CutBy, DrainKind>> = { ec2: 'interruption', 'auto-scaling': 'hook', holdfast: 'mend' };

/** The kind of the drain that is ordered for a signal, or that takes over a swap which has not begun to drain. */
export const kindOf = (swap: Pick<Swap, 'reason'>): DrainKind => kinds[traitsOf(swap).endedBy];
