import { isOpen } from '../launch/reservation-life.ts';
import { diedOnly } from '../pool-memory/boot-memory.ts';
import { poolsBelow } from '../selector/selector.ts';
import type { View } from '../view/view.ts';
import type { Draft } from './rule.ts';

/** Whether AWS denied the latest launch of every pool of the tree but this one. What they lack, it may lack too. */
const areOthersDenied = ({ state: { denials = {} }, group: { capacity } }: View, pool: string): boolean => {
  const others = poolsBelow(capacity).filter((name) => name !== pool);
  return others.length > 0 && others.every((name) => denials[name] !== undefined);
};

/**
 * Whether AWS denied the latest launch of a pool, or of all the others, or the latest instances of the pool ended
 * before they served.
 */
const isUncertain = (view: View, pool: string): boolean =>
  view.state.denials?.[pool] !== undefined ||
  diedOnly(view.state.failedBoots)[pool] !== undefined ||
  areOthersDenied(view, pool);

/**
 * Launches under way from such pools. They may be denied, or end early, like the launches before them. A new member
 * that leaves already covers nobody.
 */
const doubtful = (view: View): number => {
  const leaving = view.swaps.flatMap(({ instance, state }) => (state === 'waiting' ? [] : [instance]));
  const over = new Set([...view.ended, ...leaving]);
  const coming = Object.entries(view.state.newcomers ?? {}).filter(
    ([instance, { pool }]) => !over.has(instance) && isUncertain(view, pool),
  ).length;
  return view.state.reservations
    .filter((reservation) => isOpen(reservation) && isUncertain(view, reservation.placement.pool))
    .reduce((sum, { placement }) => sum + placement.count, coming);
};

/**
 * How many members the group needs and may not get: no pool gives them, or only pools whose last launch failed. The
 * desired capacity of an Auto Scaling group does not fall for these.
 */
export const uncoveredBy = (view: View, { unplaced, placements }: Pick<Draft, 'unplaced' | 'placements'>): number =>
  unplaced +
  placements.filter(({ pool }) => isUncertain(view, pool)).reduce((sum, { count }) => sum + count, 0) +
  doubtful(view);
