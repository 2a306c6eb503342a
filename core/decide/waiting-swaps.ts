import { inTurn, withinAdvice } from '../limits/advice-budget.ts';
import { planWithinMaxima } from '../placement/plan-within-maxima.ts';
import { hasSpares } from '../placement/spare.ts';
import { mayBeDenied, untilDisproved } from '../pool-memory/denials.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import { poolsBelow } from '../selector/selector.ts';
import { isHard } from '../swap/swap.ts';
import { sizeNow } from '../view/size-now.ts';
import { hopelessIn } from '../view/unserved.ts';
import type { View } from '../view/view.ts';
import { planInput } from './launch-plan.ts';
import { takeFrom } from './releasable.ts';
import type { Rule, Situation } from './rule.ts';

/**
 * How many of these members the tree could replace now, in addition to the missing members. The result is 0 while
 * launches are throttled, or while other members are missing that the tree cannot place. A pool whose last launch was
 * denied does not count until one of its launches gets a response, and no pool counts while the cause may be common to
 * all. The result is also 0 while so many instances ended before they served that one more missing member would get no
 * launch, because members are drained one by one.
 */
const obtainable = (situation: Situation, lack: number, leaving: readonly string[]): number => {
  const { view, arbiter } = situation;
  if (poolsBelow(view.group.capacity).every((pool) => mayBeDenied(view.state.denials, pool))) return 0;
  const denials = untilDisproved(view.state.denials);
  const missing = Math.max(0, lack);
  const input = planInput(situation, missing + leaving.length, leaving);
  const { unplaced } = planWithinMaxima(view, { ...input, ...(denials && { denials }) });
  const most = arbiter.forMissing(missing + 1).left() > 0 ? arbiter.launches.left() : 0;
  return Math.min(most, Math.max(0, leaving.length - unplaced));
};

/**
 * Those of these members whose leaving makes the group short, in order. A member that serves does so once fewer serve
 * than are desired. One that does not serve does so only once fewer stay: a spare alone may be missing without it.
 */
const makingShort = ({ view, headcount, arbiter }: Situation, turn: readonly string[]): readonly string[] => {
  const idle = new Set(headcount.staying.filter(({ serving }) => !serving).map(({ instance }) => instance));
  let staying = headcount.staying.length - sizeNow(view);
  let serving = arbiter.releasable.left();
  return turn.filter((instance) => {
    staying -= 1;
    if (idle.has(instance)) return staying < 0;
    serving -= 1;
    return serving < 0;
  });
};

/**
 * The longest prefix of these members that can leave and be replaced. Fewer leaving members free less room below caps,
 * so each shorter prefix is planned anew.
 */
const replaceable = (situation: Situation, lack: number, turn: readonly string[]): readonly string[] => {
  const short = makingShort(situation, turn);
  if (short.length === 0) return turn;
  const given = obtainable(situation, lack, short);
  const next = short[given];
  return next === undefined ? turn : replaceable(situation, lack, turn.slice(0, turn.indexOf(next)));
};

/**
 * How many swaps may begin now. Without spares, the surge already bounds them, because a member leaves only after a
 * launch for it. Spares take the place of members at once, so with spares the number of leaving members is bounded.
 */
const mostAtOnce = ({ view: { group, swaps } }: Situation): number => {
  if (!hasSpares(group)) return Number.POSITIVE_INFINITY;
  const leaving = swaps.filter(
    (swap) => traitsOf(swap).waitsForSurge && !isHard(swap) && (swap.state === 'leaving' || swap.state === 'draining'),
  );
  return Math.max(0, group.swap.maxSurge - leaving.length);
};

/** Members that Holdfast launched and that no look has found serving yet, without those that would be given up. */
const comingUp = (view: View): ReadonlySet<string> => {
  const hopeless = hopelessIn(view);
  const isNew = (instance: string): boolean => view.state.arriving?.[instance] !== undefined && !hopeless.has(instance);
  return new Set(view.members.flatMap(({ instance, serving }) => (!serving && isNew(instance) ? [instance] : [])));
};

/**
 * Waiting swaps that may begin, the first claimed first.
 *
 * - A swap begins only while enough members serve without it: with `launch-first` the desired size, with `drain-first`
 *   at most `maxSurge` fewer. So the next swap begins when a replacement serves. With `launch-first` a lost member
 *   holds back all others, and with `drain-first` one of the `maxSurge`.
 * - With `drain-first`, a member whose leaving makes the group short begins only while the tree can replace it.
 * - With `drain-first`, a member that comes up begins when it serves, or when it would be given up. It may have been
 *   launched for a lost one.
 */
export const waitingSwaps: Rule = {
  name: 'waiting swaps',
  propose: (situation, { lack }) => {
    const { view, headcount, arbiter } = situation;
    const { order, maxSurge } = view.group.swap;
    const isDrainFirst = order === 'drain-first';
    const releasable = arbiter.releasable.forSwaps(isDrainFirst ? maxSurge : 0);
    const inOrder = withinAdvice([...headcount.waiting].sort(inTurn), view).map(({ instance }) => instance);
    const held = isDrainFirst ? comingUp(view) : new Set();
    const ready = inOrder.filter((instance) => !held.has(instance));
    const most = mostAtOnce(situation);
    // A member that has to serve on does not hold back those behind it.
    const turn: string[] = [];
    for (const instance of ready) if (turn.length < most && takeFrom([releasable], instance)) turn.push(instance);
    const drains = isDrainFirst ? replaceable(situation, lack, turn) : turn;
    arbiter.leave(drains);
    return { drains };
  },
};
