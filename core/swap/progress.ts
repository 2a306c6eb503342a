import type { Sorted } from '../drain/look.ts';
import { asDrainedInTime, asGone, asStopped } from '../drain/shortfall.ts';
import type { SwapChange } from '../ports/state-store.ts';
import type { Swap } from './swap.ts';

const progressOf = ({
  state,
  busyUntilMs,
  isUnread,
  drainStartedAtMs,
  drainedAtMs,
  goneAtMs,
  shortfall,
}: Swap): Partial<Swap> => ({
  state,
  ...(busyUntilMs !== undefined && { busyUntilMs }),
  ...(isUnread !== undefined && { isUnread }),
  ...(drainStartedAtMs !== undefined && { drainStartedAtMs }),
  ...(drainedAtMs !== undefined && { drainedAtMs }),
  ...(goneAtMs !== undefined && { goneAtMs }),
  ...(shortfall !== undefined && { shortfall }),
});

/** The changes from a stored swap to its value in memory. A shortfall that did not happen is removed. */
export const changeTo = (swap: Swap): Pick<SwapChange, 'set' | 'clear'> => ({
  set: progressOf(swap),
  ...(swap.shortfall === undefined && { clear: ['shortfall'] as const }),
});

/** A swap whose drain is over, even if no look saw the instance drained. */
export const asDrained = (swap: Swap, nowMs: number): Swap => ({
  ...swap,
  state: 'drained',
  drainedAtMs: swap.drainedAtMs ?? nowMs,
});

/** The findings of a look at the batch, as swaps to write. */
export const seenOver = ({ drained, stopped, gone }: Sorted, nowMs: number): readonly Swap[] => [
  ...drained.filter(({ state }) => state !== 'drained').map((swap) => asDrainedInTime(swap, nowMs)),
  ...stopped.map((swap) => asStopped(swap, nowMs)),
  ...gone.map((swap) => asGone(swap, nowMs)),
];
