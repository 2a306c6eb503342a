import { remembered } from '../remembered.ts';
import { nameOf, type OfferingName } from '../world/cloud.ts';
import { type Life, tagsAt } from '../world/life.ts';
import type { Policy, PolicyPool } from './policy.ts';

export const offeringsOf = remembered(({ instanceTypes, zones, market }: PolicyPool): readonly OfferingName[] =>
  market === 'mixed' ? [] : instanceTypes.flatMap((instanceType) => zones.map((zone) => ({ instanceType, zone, market }))),
);

/** The offerings that a launch may get. An Auto Scaling group picks one of its types itself. */
export const mayBecome = (offering: OfferingName, pool: PolicyPool): readonly OfferingName[] =>
  pool.asg === undefined ? [offering] : offeringsOf(pool);

/** What is paid of a price: the factor of the pool that an instance counts to. */
export const priceFactorOf = (life: Life, policy: Policy, atMs: number): number => policy.pools[poolOf(life, policy, atMs) ?? '']?.priceFactor ?? 1;

/** Pools that have an offering, by the offering's name: the first one that the policy names. A pool that is an Auto Scaling group has only its own members. */
const poolByOffering = remembered(
  ({ pools }: Policy): ReadonlyMap<string, string> =>
    new Map(
      Object.values(pools)
        .filter(({ asg }) => asg === undefined)
        .toReversed()
        .flatMap((pool) => offeringsOf(pool).map((offering) => [nameOf(offering), pool.name] as const)),
    ),
);

/** Which pool an instance counts to: the one that its tag names, the one that its Auto Scaling group is, or one that could have launched it. */
export const poolOf = (life: Life, policy: Policy, atMs: number): string | undefined => {
  const tagged = tagsAt(life, atMs)['holdfast:pool'];
  if (tagged !== undefined) return tagged;
  const own = Object.values(policy.pools).find(({ asg }) => asg !== undefined && life.stays.some((stay) => stay.asg === asg));
  return own?.name ?? poolByOffering(policy).get(nameOf(life));
};
