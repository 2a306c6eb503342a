import { besidePlacements, type Plan, type PlanInput } from '../placement/plan-placements.ts';
import { joined, planWithinMaxima } from '../placement/plan-within-maxima.ts';
import type { View } from '../view/view.ts';

const countIn = ({ placements }: Plan): number => placements.reduce((sum, { count }) => sum + count, 0);

/** A plan, and how many of its launches ignore an open breaker. */
export type Overridden = { readonly plan: Plan; readonly overridden: number };

/**
 * A breaker never keeps a group short. Launches that nothing else in the tree gives ignore open breakers.
 *
 * @param short how many members the group lacks, without members that could wait
 */
export const overBreakers = (view: View, input: PlanInput, plan: Plan, short: number): Overridden => {
  const count = Math.min(plan.unplaced, short);
  const { breaking, ...unbroken } = besidePlacements(input, plan.placements);
  if (breaking?.breakers === undefined || count <= 0) return { plan, overridden: 0 };
  const over = planWithinMaxima(view, { ...unbroken, count, cheapest: plan.cheapest });
  const overridden = countIn(over);
  return {
    plan: {
      ...plan,
      placements: joined([...plan.placements, ...over.placements]),
      unplaced: plan.unplaced - overridden,
      reasons: [...plan.reasons, ...over.reasons.map((reason) => ({ ...reason, lastResort: 'breaker' as const }))],
      cheapest: over.cheapest,
    },
    overridden,
  };
};
