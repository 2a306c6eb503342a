import { isOpen } from '../launch/reservation-life.ts';
import { diedOnly } from '../pool-memory/boot-memory.ts';
import { mayBeDenied } from '../pool-memory/denials.ts';
import { beyondGaps } from '../view/asg-ledger.ts';
import type { View } from '../view/view.ts';
import type { Draft } from './rule.ts';

/** Whether the last launch of a pool failed: AWS denied it, or its instances ended before they served. */
const hasFailed = ({ state: { denials = {}, failedBoots } }: View, pool: string): boolean =>
  denials[pool] !== undefined || diedOnly(failedBoots)[pool] !== undefined;

/** Whether a launch that is not granted yet may fail, for a cause of its pool or of all pools. */
const isUncertain = (view: View, pool: string): boolean =>
  hasFailed(view, pool) || mayBeDenied(view.state.denials, pool);

/**
 * Launches under way from such pools. They may be denied, or end early, like the launches before them. A new member
 * that leaves already covers nobody.
 */
const doubtful = (view: View): number => {
  const leaving = view.swaps.flatMap(({ instance, state }) => (state === 'waiting' ? [] : [instance]));
  const over = new Set([...view.ended, ...leaving]);
  const coming = Object.entries(view.state.newcomers ?? {}).filter(
    ([instance, { pool }]) => !over.has(instance) && hasFailed(view, pool),
  ).length;
  return view.state.reservations
    .filter((reservation) => isOpen(reservation) && isUncertain(view, reservation.placement.pool))
    .reduce((sum, { placement }) => sum + placement.count, coming);
};

/**
 * Members that may have ended already, while a launch from any pool may fail: if they have ended, nothing is certain to
 * replace them.
 */
const mayBeGone = (view: View): number =>
  Object.keys(view.group.pools).every((pool) => isUncertain(view, pool)) ? beyondGaps(view) : 0;

/**
 * How many members the group needs and may not get: no pool gives them, or only pools whose last launch failed. The
 * desired capacity of an Auto Scaling group does not fall for these.
 */
export const uncoveredBy = (view: View, { unplaced, placements }: Pick<Draft, 'unplaced' | 'placements'>): number =>
  unplaced +
  placements.filter(({ pool }) => isUncertain(view, pool)).reduce((sum, { count }) => sum + count, 0) +
  doubtful(view) +
  mayBeGone(view);
