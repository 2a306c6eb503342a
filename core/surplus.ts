import { notShownYet, ownShrink } from './asg-ledger.ts';
import type { Leaving } from './decision.ts';
import type { Headcount } from './headcount.ts';
import { chooseRemovals } from './removal.ts';
import type { Member, View } from './view.ts';

/**
 * How many members can leave without taking an Auto Scaling group below its minimum size. The minimum belongs to the
 * user and is never lowered.
 */
const roomAboveMinimum = ({ asgs }: View, members: readonly Member[]) => {
  const ids = new Set(members.map(({ instance }) => instance));
  const roomOf = new Map<string, { left: number }>();
  let total = members.length;
  for (const { holds, min } of asgs) {
    const held = holds.filter((instance) => ids.has(instance));
    const room = { left: Math.max(0, held.length - min) };
    total -= held.length - room.left;
    for (const instance of held) roomOf.set(instance, room);
  }
  const take = (instance: string): boolean => {
    const room = roomOf.get(instance);
    return room === undefined || room.left-- > 0;
  };
  return { total, take };
};

/** Members that may be removed, and how many of them are above the desired size. Waiting swaps keep their place. */
const surplusOf = (view: View, { waiting, staying }: Headcount) => {
  const swapped = new Set(waiting.map(({ instance }) => instance));
  const candidates = staying.filter(({ instance }) => !swapped.has(instance));
  const own = ownShrink(view) + notShownYet(view, candidates);
  return { candidates, count: candidates.length - view.state.desired - own };
};

/** How many members above the desired size stay because the minimum sizes of their Auto Scaling groups keep them. */
export const keptByMinimum = (view: View, headcount: Headcount): number => {
  if (view.asgs.every(({ min }) => min === 0)) return 0;
  const { candidates, count } = surplusOf(view, headcount);
  return count <= 0 ? 0 : Math.max(0, count - roomAboveMinimum(view, candidates).total);
};

/**
 * Members above the desired size, in the policy's order. Members that serve are taken only while the remaining ones
 * serve the desired size: a surplus that is still booting replaces none of them yet. Waiting swaps keep their place and
 * are not chosen here. The minimum size of an Auto Scaling group belongs to its user, and holds.
 */
export const surplusRemovals = (view: View, headcount: Headcount): readonly Leaving[] => {
  const { candidates, count } = surplusOf(view, headcount);
  const surplus = Math.min(count, roomAboveMinimum(view, candidates).total);
  if (surplus <= 0) return [];
  const servingIds = new Set(candidates.filter(({ serving }) => serving).map(({ instance }) => instance));
  const idle = new Set(
    candidates.filter(({ serving, mayServe }) => !serving && !mayServe).map(({ instance }) => instance),
  );
  const next = (count: number): readonly Leaving[] => {
    let spare = Math.max(0, servingIds.size - view.state.desired);
    const room = roomAboveMinimum(view, candidates);
    const ordered = chooseRemovals({
      count,
      members: candidates,
      group: view.group,
      prices: view.state.prices.usdPerHour,
      nowMs: view.nowMs,
      memory: view.state.memory,
    });
    return ordered.filter(({ instance }) => {
      const isIdle = idle.has(instance);
      const goes = (isIdle || spare > 0) && room.take(instance);
      if (goes && !isIdle) spare -= 1;
      return goes;
    });
  };
  // Usually the first members of the order may go. The whole order of a large group is computed only when some of them
  // must stay.
  const first = next(surplus);
  return first.length === surplus ? first : next(candidates.length).slice(0, surplus);
};
