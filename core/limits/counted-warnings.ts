import type { Swap, Warned } from '../swap/swap.ts';
import { describeLagMs } from '../times/times.ts';
import type { GroupState } from '../view/view.ts';

/** The most warned members that are remembered by id. With more, limits and breakers have long been reached. */
const mostCounted = 200;

/** When a function received the warning of a swap, as far as the swap says. */
const toldAtMs = ({ claimedAtMs, warnedAtMs = 0 }: Swap): number => Math.max(claimedAtMs, warnedAtMs);

/**
 * Swaps of members that EC2 warned about. Only a deadline shows that: a member that left for another reason before its
 * warning keeps that reason. Warnings to an observed group do not count.
 */
export const warnedIn = (swaps: readonly Swap[]): readonly Swap[] =>
  swaps.filter(
    (swap) =>
      swap.deadlineMs !== undefined &&
      swap.warnedAtMs !== undefined &&
      (swap.heardAtMs === undefined || swap.heardAtMs < swap.warnedAtMs),
  );

/** Those of them that a function received within the last three minutes. */
export const justWarned = (swaps: readonly Swap[], nowMs: number): readonly Swap[] =>
  warnedIn(swaps).filter((swap) => nowMs - toldAtMs(swap) < describeLagMs);

/**
 * The warnings that are not counted yet: the function that claimed their members died before it wrote the state, the
 * state could not be written for minutes, or the group had no policy then. A list that is longer than the remembered
 * one cannot be checked.
 */
export const uncounted = ({ counted = [] }: GroupState, known: readonly Swap[]): readonly Warned[] =>
  counted.length >= mostCounted
    ? []
    : known
        .filter(({ instance }) => !counted.includes(instance))
        .map((swap) => ({ ...swap, toldAtMs: toldAtMs(swap) }));

/**
 * The warnings that were not counted yet, and the state that remembers them while a rule counts warnings or a swap
 * reports one. Without that, they would be counted twice.
 */
export const countOnce = (
  state: GroupState,
  warned: readonly Warned[],
  known: readonly Warned[] = [],
): { readonly state: GroupState; readonly fresh: readonly Warned[] } => {
  const { counted = [], ...rest } = state;
  const fresh = warned.filter(({ instance }) => !counted.includes(instance));
  const { warnings, interruptions, breakers } = state;
  const isCounting = [warnings, interruptions, breakers].some((one) => one !== undefined);
  const next = [...counted, ...fresh.map(({ instance }) => instance)].slice(-mostCounted);
  const isNeeded = isCounting || fresh.length + known.length > 0;
  return { state: isNeeded && next.length > 0 ? { ...rest, counted: next } : rest, fresh };
};
