import type { StateStore } from '../../../core/ports/state-store.ts';
import { changeTo } from '../../../core/swap/progress.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { enteredFrom } from '../../../core/swap/transitions.ts';
import { onEach } from './on-each.ts';

/** Writes in flight at once: fast for a batch of a thousand, and far below what one partition takes in a second. */
export const writesAtOnce = 32;

/**
 * Writes swaps as they are in memory, each only forward and only while it still belongs to this drain. Returns those
 * that were written. The others were handed over, or moved on by another writer, and this drain no longer acts on them.
 */
export const recordForward = async (
  store: StateStore,
  drain: string,
  swaps: readonly Swap[],
): Promise<readonly Swap[]> => {
  const written = await onEach(swaps, writesAtOnce, (swap) =>
    store.advance(swap, { from: enteredFrom[swap.state], drain, ...changeTo(swap) }),
  );
  return swaps.filter((_, index) => written[index] === 'done');
};

/** Writes findings about swaps without changing their states: until when they are busy, and their shortfalls. */
export const recordFindings = async (store: StateStore, drain: string, swaps: readonly Swap[]): Promise<void> => {
  await onEach(swaps, writesAtOnce, (swap) =>
    store.advance(swap, {
      from: [swap.state],
      drain,
      set: {
        ...(swap.isUnread !== undefined && { isUnread: swap.isUnread }),
        ...(swap.busyUntilMs !== undefined && { busyUntilMs: swap.busyUntilMs }),
        ...(swap.shortfall !== undefined && { shortfall: swap.shortfall }),
      },
    }),
  );
};

/** Records on drained swaps that their instances are kept, until when and why. */
export const recordKeptUntil = async (store: StateStore, drain: string, swaps: readonly Swap[]): Promise<void> => {
  await onEach(swaps, writesAtOnce, (swap) =>
    store.advance(swap, {
      from: [swap.state],
      drain,
      set: {
        ...(swap.shortfall !== undefined && { shortfall: swap.shortfall }),
        ...(swap.keptUntilMs !== undefined && { keptUntilMs: swap.keptUntilMs }),
      },
    }),
  );
};
