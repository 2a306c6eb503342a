import type { Base } from '../base.ts';
import type { OfferingBook, OfferingRecord } from '../offerings.ts';
import { operation } from '../operation.ts';
import { pageOf } from '../paging.ts';
import { allOf, type Filter, type FilterField } from './filters.ts';

type Query = {
  InstanceTypes?: string[];
  AvailabilityZone?: string;
  ProductDescriptions?: string[];
  StartTime?: Date;
  EndTime?: Date;
  Filters?: Filter[];
  MaxResults?: number;
  NextToken?: string;
};

const product = 'Linux/UNIX';
const fields: Readonly<Record<string, FilterField<OfferingRecord>>> = {
  'availability-zone': ({ zone }) => zone,
  'instance-type': ({ instanceType }) => instanceType,
  'product-description': () => product,
};

/** Prices that changed between start and end, and the one in force at the start; newest first, as EC2 gives them. */
export const describeSpotPriceHistory = (base: Base, book: OfferingBook) => {
  const inForce = ({ prices }: OfferingRecord, fromMs: number, toMs: number) => {
    const first = prices.findLastIndex(({ atMs }) => atMs <= fromMs);
    return prices.slice(Math.max(0, first)).filter(({ atMs }) => atMs <= toMs);
  };
  const isAsked = (input: Query, { instanceType, zone, market }: OfferingRecord): boolean =>
    market === 'spot' &&
    (!input.InstanceTypes?.length || input.InstanceTypes.includes(instanceType)) &&
    (input.AvailabilityZone === undefined || input.AvailabilityZone === zone) &&
    (!input.ProductDescriptions?.length || input.ProductDescriptions.some((text) => text.startsWith(product)));
  return operation<Query>((input) => {
    const fromMs = input.StartTime?.getTime() ?? base.beganAtMs;
    const toMs = input.EndTime?.getTime() ?? base.clock.now();
    const passes = allOf(input.Filters, (name) => fields[name]);
    const rows = book
      .list()
      .filter((record) => isAsked(input, record) && passes(record))
      .flatMap((record) => inForce(record, fromMs, toMs).map(({ atMs, usdPerHour }) => ({ record, atMs, usdPerHour })))
      .sort((a, b) => b.atMs - a.atMs);
    const page = pageOf(rows, input.MaxResults ?? 1000, input.NextToken || undefined, 'InvalidNextToken');
    return {
      SpotPriceHistory: page.items.map(({ record, atMs, usdPerHour }) => ({
        InstanceType: record.instanceType,
        AvailabilityZone: record.zone,
        ProductDescription: product,
        SpotPrice: usdPerHour.toFixed(6),
        Timestamp: new Date(atMs),
      })),
      // EC2 ends the history with an empty token.
      NextToken: page.next ?? '',
    };
  });
};
