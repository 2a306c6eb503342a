import type { Warned } from './swap.ts';
import type { GroupState } from './view.ts';

/** So many warned members are remembered by their ids. With more, limits and breakers have long been reached. */
const mostCounted = 200;

/**
 * The warnings that nobody has counted yet, and the state that remembers them. Two functions that hear of one warning
 * at the same time both take it for new.
 */
export const countOnce = (
  state: GroupState,
  warned: readonly Warned[],
): { readonly state: GroupState; readonly fresh: readonly Warned[] } => {
  const { counted = [], ...rest } = state;
  const known = new Set(counted);
  const fresh = warned.filter(({ instance }) => !known.has(instance));
  const isNeeded = state.warnings !== undefined || state.interruptions !== undefined || fresh.length > 0;
  const next = [...counted, ...fresh.map(({ instance }) => instance)].slice(-mostCounted);
  return { state: isNeeded && next.length > 0 ? { ...rest, counted: next } : rest, fresh };
};
