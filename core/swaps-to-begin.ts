import type { Headcount } from './headcount.ts';
import type { Swap } from './swap.ts';
import type { View } from './view.ts';

/** How many replacements the tree could place if these members were gone, besides those that are missing already. */
export type Obtainable = (leaving: readonly string[]) => number;

const inTurn = (a: Swap, b: Swap): number => a.claimedAtMs - b.claimedAtMs || (a.instance < b.instance ? -1 : 1);

/**
 * The longest prefix of these members that can all be replaced. Fewer leaving members free less room below caps, so
 * each shorter prefix is planned anew.
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
 * - A swap begins only while enough members serve without it: with `launch-first` the desired size, with `drain-first`
 *   at most `maxSurge` fewer. So the next one begins when the replacement of the one before serves, and a lost member
 *   holds back the others.
 * - A member that does not serve takes no work with it when it leaves, but it may come to serve before its replacement
 *   does. So only replacements that serve make room for it.
 * - With `drain-first`, a member whose leaving makes the group short begins only while the tree can replace it.
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
  // A replacement that is not known to serve makes no room. A leaving member that may serve counts as serving.
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
