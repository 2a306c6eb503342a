import type { Market, Offering } from './offering.ts';

/** A subnet and its zone, as EC2 returned them when the policy was accepted. */
export type Subnet = { readonly id: string; readonly zone: string };

/**
 * One place capacity comes from, with everything resolved: defaults merged, zones of subnets and the contents of an
 * Auto Scaling group looked up. A user writes it in the `pools` section of a policy.
 */
export type Pool = {
  readonly name: string;
  readonly market: Market;
  /** Launch template name or id, with an optional `:version`; absent for a pool that is an Auto Scaling group. */
  readonly launchTemplate?: string;
  readonly subnets: readonly Subnet[];
  /** In order of preference. */
  readonly instanceTypes: readonly string[];
  /** Offerings above this price are not eligible. */
  readonly maxPriceUsdPerHour?: number;
  /**
   * Limits in USD per hour by instance type: the share `maxPrice` of its on-demand price. The lower of both limits
   * applies.
   */
  readonly maxPriceByType?: Readonly<Record<string, number>>;
  /** The paid part of a price, because a commitment pays the rest. It counts for comparisons, and not for limits. */
  readonly priceFactor?: number;
  /** Most members (launches in flight counted) that this pool may hold. */
  readonly cap?: number;
  /** Name of the single-market Auto Scaling group that this pool launches through (LaunchInstances). */
  readonly asg?: string;
};

/** Every offering of a pool: instance types in their order of preference, zones in subnet order within each. */
export const offeringsOf = (pool: Pool): readonly Offering[] => {
  const zones = [...new Set(pool.subnets.map(({ zone }) => zone))];
  return pool.instanceTypes.flatMap((instanceType) =>
    zones.map((zone) => ({ instanceType, zone, market: pool.market })),
  );
};
