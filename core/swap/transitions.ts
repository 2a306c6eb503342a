import type { SwapState } from './swap.ts';

/** The states of a swap, from the first to the last. */
const inOrder: readonly SwapState[] = ['waiting', 'leaving', 'draining', 'drained', 'gone', 'withdrawn'];

/**
 * Whether a swap may be changed from one state to another. States never move backwards. A signal or a look moves a swap
 * from the state that it read.
 */
export const isForward = (from: SwapState, to: SwapState): boolean => inOrder.indexOf(from) <= inOrder.indexOf(to);

/**
 * The states from which a decision (to `leaving`) and a drain (to the later states) may move a swap into each state. It
 * does not matter which state they read, because both may be repeated.
 */
export const enteredFrom: Readonly<Record<SwapState, readonly SwapState[]>> = {
  waiting: [],
  leaving: ['waiting'],
  draining: ['leaving'],
  drained: ['leaving', 'draining'],
  gone: ['leaving', 'draining', 'drained'],
  withdrawn: [],
};
