import { traitsOf } from '../removal/leave-reason.ts';
import type { Swap, Warned } from '../swap/swap.ts';
import { describeLagMs } from '../times/times.ts';
import type { GroupState } from '../view/view.ts';

/** So many warned members are remembered by their ids. With more, limits and breakers have long been reached. */
const mostCounted = 200;

/** Swaps of members that EC2 warned about a moment ago, and not while their group was only observed. */
export const justWarned = (swaps: readonly Swap[], nowMs: number): readonly Swap[] =>
  swaps.filter(
    (swap) =>
      traitsOf(swap).endedBy === 'ec2' &&
      swap.warnedAtMs !== undefined &&
      (swap.heardAtMs === undefined || swap.heardAtMs < swap.warnedAtMs) &&
      nowMs - Math.max(swap.claimedAtMs, swap.warnedAtMs) < describeLagMs,
  );

/**
 * Those of them that nobody has counted: the function that claimed them died before it wrote the state. Of a longer
 * list than is remembered, nobody knows.
 */
export const uncounted = ({ counted = [] }: GroupState, recent: readonly Swap[]): readonly Swap[] =>
  counted.length >= mostCounted ? [] : recent.filter(({ instance }) => !counted.includes(instance));

/**
 * The warnings that nobody has counted yet, and the state that remembers them: while anything counts them, and while
 * the swaps of such a warning are recent. Two functions that hear of one warning at the same time both take it for new.
 */
export const countOnce = (
  state: GroupState,
  warned: readonly Warned[],
  recent: readonly Warned[] = [],
): { readonly state: GroupState; readonly fresh: readonly Warned[] } => {
  const { counted = [], ...rest } = state;
  const known = new Set(counted);
  const fresh = warned.filter(({ instance }) => !known.has(instance));
  const isCounting = state.warnings !== undefined || state.interruptions !== undefined;
  const next = [...counted, ...fresh.map(({ instance }) => instance)].slice(-mostCounted);
  const isNeeded = isCounting || fresh.length + recent.length > 0;
  return { state: isNeeded && next.length > 0 ? { ...rest, counted: next } : rest, fresh };
};
