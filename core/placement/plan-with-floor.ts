import type { View } from '../view/view.ts';
import type { Plan, PlanInput } from './plan-placements.ts';
import { besidePlacements, planPlacements } from './plan-placements.ts';
import { joined, planWithinMaxima, poolsWithinMaxima, saysMaximum } from './plan-within-maxima.ts';

/** What a group owes on demand, and what it has. */
export type Floor = { readonly owed: number; readonly held: number };

const countIn = ({ placements }: Pick<Plan, 'placements'>): number =>
  placements.reduce((sum, { count }) => sum + count, 0);

/** The on-demand pools of the tree that place these members, in its order, within caps and maximum sizes. */
const planOnDemand = (view: View, input: PlanInput, count: number): Plan => {
  const plan = planPlacements({ ...input, count, pools: poolsWithinMaxima(view), only: 'on-demand' });
  const isAsked = ({ pool }: { readonly pool: string }): boolean => input.pools[pool]?.market === 'on-demand';
  return { ...plan, rejected: plan.rejected.filter(isAsked).map(saysMaximum(input.pools)) };
};

/**
 * Plans members. The first ones are on demand, as many as the group owes and lacks. Those that on-demand pools cannot
 * give now are placed by the whole tree, because a member on spot is better than none.
 */
export const planWithFloor = (view: View, input: PlanInput, floor: Floor | undefined): Plan => {
  if (floor === undefined) return planWithinMaxima(view, input);
  const { owed, held } = floor;
  const count = Math.min(owed - held, input.count);
  if (count <= 0) return planWithinMaxima(view, input);
  const first = planOnDemand(view, input, count);
  const rest = planWithinMaxima(view, {
    ...besidePlacements(input, first.placements),
    count: input.count - countIn(first),
  });
  return {
    ...rest,
    placements: joined([...first.placements, ...rest.placements]),
    reasons: [...first.reasons.map((reason) => ({ ...reason, owed: { onDemand: owed, held } })), ...rest.reasons],
    rejected: [...first.rejected, ...rest.rejected],
  };
};
