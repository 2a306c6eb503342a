import type { Rejection } from '../decision/decision.ts';
import { offeringKey } from '../pool/offering.ts';
import type { Pool } from '../pool/pool.ts';
import { ownersMax } from '../view/raised-max.ts';
import type { View } from '../view/view.ts';
import type { Placement } from './placement.ts';
import { besidePlacements, distinct, type Plan, type PlanInput, planPlacements } from './plan-placements.ts';

/** The owner's maximum size of each pool that is an Auto Scaling group, as far as it is known. */
const maximaOf = ({ group, asgs, state }: View): ReadonlyMap<string, number> =>
  new Map(
    Object.values(group.pools).flatMap(({ name, asg }) => {
      const found = asgs.find((one) => one.name === asg);
      return found === undefined ? [] : [[name, ownersMax(state.raised, found)] as const];
    }),
  );

const withCaps = (
  pools: Readonly<Record<string, Pool>>,
  maxima: ReadonlyMap<string, number>,
): Readonly<Record<string, Pool>> =>
  Object.fromEntries(
    Object.values(pools).map((pool) => {
      const max = maxima.get(pool.name);
      return [pool.name, max === undefined ? pool : { ...pool, cap: Math.min(max, pool.cap ?? max) }];
    }),
  );

/** Pools with the maximum sizes that owners gave their Auto Scaling groups as caps. */
export const poolsWithinMaxima = (view: View): Readonly<Record<string, Pool>> =>
  withCaps(view.group.pools, maximaOf(view));

/** A pool that is full because of its Auto Scaling group's maximum size and not because of the policy's cap. */
export const saysMaximum =
  (pools: Readonly<Record<string, Pool>>) =>
  (rejection: Rejection): Rejection => {
    if (rejection.code !== 'at-cap' || rejection.cap === pools[rejection.pool]?.cap) return rejection;
    const { path, pool, held, cap } = rejection;
    return { path, pool, code: 'at-maximum', held, max: cap };
  };

const keyOf = ({ pool, offerings }: Placement): string => [pool, ...offerings.map(offeringKey)].join('|');

export const joined = (placements: readonly Placement[]): readonly Placement[] => {
  const byKey = new Map<string, Placement>();
  for (const placement of placements)
    byKey.set(keyOf(placement), { ...placement, count: placement.count + (byKey.get(keyOf(placement))?.count ?? 0) });
  return [...byKey.values()];
};

/**
 * Plans within the maximum sizes that owners gave their Auto Scaling groups. A maximum that is raised for members
 * cannot be put back while they stay. So only members that the rest of the tree cannot give are placed beyond a
 * maximum.
 */
export const planWithinMaxima = (view: View, input: PlanInput): Plan => {
  const { pools } = input;
  const maxima = maximaOf(view);
  if (maxima.size === 0) return planPlacements(input);
  const within = planPlacements({ ...input, pools: withCaps(pools, maxima) });
  const rejected = within.rejected.map(saysMaximum(pools));
  if (within.unplaced === 0) return { ...within, rejected };
  const beside = besidePlacements(input, within.placements);
  const beyond = planPlacements({ ...beside, count: within.unplaced, cheapest: within.cheapest });
  return {
    ...beyond,
    placements: joined([...within.placements, ...beyond.placements]),
    reasons: [...within.reasons, ...beyond.reasons],
    // A full maximum is why a member within the maxima went to a later tier.
    rejected: distinct([...rejected, ...beyond.rejected]),
  };
};
