import type { OfferingBook } from '../offerings.ts';
import { operation } from '../operation.ts';
import { pageOf } from '../paging.ts';
import { allOf, type Filter, type FilterField } from './filters.ts';

type Row = { readonly instanceType: string; readonly location: string };
type Query = { LocationType?: string; Filters?: Filter[]; MaxResults?: number; NextToken?: string };

const fields: Readonly<Record<string, FilterField<Row>>> = {
  'instance-type': ({ instanceType }) => instanceType,
  location: ({ location }) => location,
};

/** Which types each zone sells, or the region when no location type is named: whatever their capacity is now. */
export const describeTypeOfferings = (book: OfferingBook, region: string) =>
  operation<Query>((input) => {
    const byZone = input.LocationType === 'availability-zone';
    const rows = book.list().map(({ instanceType, zone }) => ({ instanceType, location: byZone ? zone : region }));
    const distinct = [...new Map(rows.map((row) => [`${row.instanceType} ${row.location}`, row])).values()];
    const page = pageOf(distinct.filter(allOf(input.Filters, (name) => fields[name])), input.MaxResults, input.NextToken, 'InvalidNextToken');
    return {
      InstanceTypeOfferings: page.items.map(({ instanceType, location }) => ({
        InstanceType: instanceType,
        LocationType: byZone ? 'availability-zone' : 'region',
        Location: location,
      })),
      NextToken: page.next,
    };
  });
