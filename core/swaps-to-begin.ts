import type { Headcount } from './headcount.ts';
import type { Swap } from './swap.ts';
import type { View } from './view.ts';

/** How many replacements the tree could give for these members, were they gone, besides what is missing already. */
export type Obtainable = (leaving: readonly string[]) => number;

const inTurn = (a: Swap, b: Swap): number => a.claimedAtMs - b.claimedAtMs || (a.instance < b.instance ? -1 : 1);

/**
 * The first of these that can all be replaced. Fewer leaving members free less room below caps, so each cut is judged
 * anew.
 */
const replaceable = (turn: readonly string[], surplus: number, obtainable: Obtainable): readonly string[] => {
  const unreplaced = turn.slice(surplus);
  if (unreplaced.length === 0) return turn;
  const given = obtainable(unreplaced);
  return given >= unreplaced.length ? turn : replaceable(turn.slice(0, surplus + given), surplus, obtainable);
};

/**
 * Waiting swaps that may begin, the first claimed first.
 *
 * - No more begin than leave enough that serve: with `launch-first` the desired size, with `drain-first` at most
 *   `maxSurge` fewer. So the next one begins
 *   when the successor of the one before serves, and a member that was lost holds the others back.
 * - A member that does not serve takes no work with it, but it may come to serve before its successor does: only
 *   successors that serve make room for it.
 * - With `drain-first` a member that leaves the group short begins only while the tree can replace it.
 */
export const swapsToBegin = (
  view: View,
  { staying, waiting }: Headcount,
  obtainable: Obtainable,
): readonly string[] => {
  const { order, maxSurge } = view.group.swap;
  const least = view.state.desired - (order === 'drain-first' ? maxSurge : 0);
  const serving = new Set(staying.filter((member) => member.serving).map(({ instance }) => instance));
  let spareServing = serving.size - least;
  // One that is not known to serve makes no room, and one that may serve is taken to leave a gap.
  const idle = new Set(staying.filter((member) => !member.serving && !member.mayServe).map(({ instance }) => instance));
  let spare = spareServing + waiting.filter(({ instance }) => idle.has(instance)).length;
  const turn = [...waiting].sort(inTurn).flatMap(({ instance }) => {
    const serves = !idle.has(instance);
    if (spare <= 0 || (serves && spareServing <= 0)) return [];
    spare -= 1;
    if (serves) spareServing -= 1;
    return [instance];
  });
  return order === 'launch-first'
    ? turn
    : replaceable(turn, Math.max(0, serving.size - view.state.desired), obtainable);
};
