import type { View } from '../view/view.ts';
import { besidePlacements, type Plan, type PlanInput, planPlacements } from './plan-placements.ts';
import { joined, poolsWithinMaxima, saysMaximum } from './plan-within-maxima.ts';

export const countIn = ({ placements }: Pick<Plan, 'placements'>): number =>
  placements.reduce((sum, { count }) => sum + count, 0);

/**
 * The plan for missing spares: spot alone, in the order of the tree, within caps and maximum sizes. After a refusal its
 * offering rests in full, because a missing spare is no shortage.
 *
 * @param size the plan for the missing members of the size
 */
export const planSpares = (view: View, input: PlanInput, size: Plan, count: number): Plan => {
  const pools = poolsWithinMaxima(view);
  const beside = besidePlacements({ ...input, cheapest: size.cheapest }, size.placements);
  const plan = planPlacements({ ...beside, pools, count, only: 'spot' });
  const isAsked = ({ pool }: { readonly pool: string }): boolean => pools[pool]?.market === 'spot';
  return {
    ...plan,
    reasons: plan.reasons.map((reason) => ({ ...reason, spare: true })),
    rejected: plan.rejected.filter(isAsked).map(saysMaximum(view.group.pools)),
  };
};

/** The plans for members of the size and for spares together. Missing spares are no shortage. */
export const withSpares = (size: Plan, spares: Plan): Plan => ({
  placements: joined([...size.placements, ...spares.placements]),
  unplaced: size.unplaced,
  reasons: [...size.reasons, ...spares.reasons],
  rejected: [...size.rejected, ...spares.rejected],
  cheapest: spares.cheapest,
});
