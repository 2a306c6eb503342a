import { nameOf, type OfferingName } from './cloud.ts';
import { type Life, tagsAt } from './life.ts';
import type { Policy, PolicyPool } from './policy.ts';

export const offeringsOf = ({ instanceTypes, zones, market }: PolicyPool): readonly OfferingName[] =>
  market === 'mixed' ? [] : instanceTypes.flatMap((instanceType) => zones.map((zone) => ({ instanceType, zone, market })));

/** The offerings that a launch may get. An Auto Scaling group picks one of its types itself. */
export const mayBecome = (offering: OfferingName, pool: PolicyPool): readonly OfferingName[] =>
  pool.asg === undefined ? [offering] : offeringsOf(pool);

/** What is paid of a price: the factor of the pool that an instance counts to. */
export const priceFactorOf = (life: Life, policy: Policy, atMs: number): number => policy.pools[poolOf(life, policy, atMs) ?? '']?.priceFactor ?? 1;

/** Which pool an instance counts to: the one that its tag names, or the one that its Auto Scaling group is. */
export const poolOf = (life: Life, policy: Policy, atMs: number): string | undefined => {
  const tagged = tagsAt(life, atMs)['holdfast:pool'];
  if (tagged !== undefined) return tagged;
  const asgs = new Set(life.stays.map(({ asg }) => asg));
  const pools = Object.values(policy.pools);
  const own = pools.find(({ asg }) => asg !== undefined && asgs.has(asg));
  return (own ?? pools.find((pool) => offeringsOf(pool).some((offering) => nameOf(offering) === nameOf(life))))?.name;
};
