import type { View } from '../view/view.ts';
import { besidePlacements, type Plan, type PlanInput, planPlacements } from './plan-placements.ts';
import { joined, poolsWithinMaxima, saysMaximum } from './plan-within-maxima.ts';

export const countIn = ({ placements }: Pick<Plan, 'placements'>): number =>
  placements.reduce((sum, { count }) => sum + count, 0);

/**
 * Where missing spares come from: spot alone, in the order of the tree, within caps and maximum sizes. A refusal lets
 * its offering rest, and nothing is asked before that is over: a missing spare is no shortage.
 *
 * @param size where the missing members of the size come from
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

/** The plan for members of the size, with that for spares. What spares lack is no shortage. */
export const withSpares = (size: Plan, spares: Plan): Plan => ({
  placements: joined([...size.placements, ...spares.placements]),
  unplaced: size.unplaced,
  reasons: [...size.reasons, ...spares.reasons],
  rejected: [...size.rejected, ...spares.rejected],
  cheapest: spares.cheapest,
});
