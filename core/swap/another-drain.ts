import type { Swap } from './swap.ts';

/**
 * The order of another drain for a swap that has one already. It is later than what the drain before it stored, also
 * where the clock of that drain was ahead. Looks recognize by these times that the newer drain has not worked yet.
 */
export const anotherDrain = (
  { drainStartedAtMs = 0, drainedAtMs = drainStartedAtMs }: Pick<Swap, 'drainStartedAtMs' | 'drainedAtMs'>,
  drain: string,
  nowMs: number,
): Pick<Swap, 'drain' | 'drainOrderedAtMs'> => ({ drain, drainOrderedAtMs: Math.max(nowMs, drainedAtMs + 1) });
