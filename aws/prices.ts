import {
  type EC2Client,
  type _InstanceType as InstanceType,
  paginateDescribeSpotPriceHistory,
  type SpotPrice,
} from '@aws-sdk/client-ec2';
import { type OfferingKey, offeringKey } from '../core/pool/offering.ts';
import type { Prices } from '../core/ports/prices.ts';
import { allOf } from './calls/all-of.ts';
import { hasty, type Missed, optionalRead } from './calls/optional-read.ts';

/**
 * Prices in force now: a history that starts now contains just the last change of each offering (EC2 API reference,
 * DescribeSpotPriceHistory).
 * Linux prices. Another operating system costs more in every zone alike.
 */
const currentPrices = (
  ec2: EC2Client,
  types: readonly string[],
  zones: readonly string[],
  nowMs: number,
): Promise<readonly SpotPrice[]> =>
  allOf(
    paginateDescribeSpotPriceHistory(
      { client: ec2 },
      {
        InstanceTypes: [...types] as InstanceType[],
        ProductDescriptions: ['Linux/UNIX'],
        Filters: [{ Name: 'availability-zone', Values: [...zones] }],
        StartTime: new Date(nowMs),
        MaxResults: 1000,
      },
      hasty,
    ),
    ({ SpotPriceHistory }) => SpotPriceHistory,
  );

type Deps = { readonly client: EC2Client; readonly now: () => number; readonly missed: Missed };

export const createPrices = ({ client, now, missed }: Deps): Prices => ({
  async spotPrices(offerings) {
    const spot = offerings.filter(({ market }) => market === 'spot');
    if (spot.length === 0) return {};
    const wanted = new Set<OfferingKey>(spot.map(offeringKey));
    const types = [...new Set(spot.map(({ instanceType }) => instanceType))];
    const zones = [...new Set(spot.map(({ zone }) => zone))];
    const found = await optionalRead('spot prices', missed, () => currentPrices(client, types, zones, now()));
    if (found === undefined) return undefined;
    const newestLast = found.toSorted((a, b) => (a.Timestamp?.getTime() ?? 0) - (b.Timestamp?.getTime() ?? 0));
    const prices = newestLast.flatMap(({ InstanceType: instanceType, AvailabilityZone: zone, SpotPrice: price }) => {
      if (!instanceType || !zone || price === undefined) return [];
      const key = offeringKey({ instanceType, zone, market: 'spot' });
      return wanted.has(key) ? [[key, Number(price)] as const] : [];
    });
    return Object.fromEntries(prices);
  },
});
