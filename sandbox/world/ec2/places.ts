import { ApiError } from '../../api.ts';
import type { Base } from '../base.ts';
import type { Network, Subnet } from '../network.ts';
import { type Operations, operation } from '../operation.ts';
import { pageOf } from '../paging.ts';
import { allOf, type Filter, type FilterField } from './filters.ts';

type Query = { SubnetIds?: string[]; Filters?: Filter[]; MaxResults?: number; NextToken?: string };

/** Subnets and Availability Zones. */
export const createPlaceOperations = (base: Base, network: Network): Operations => {
  const subnetFields: Readonly<Record<string, FilterField<Subnet>>> = {
    'subnet-id': ({ id }) => id,
    'availability-zone': ({ zone }) => zone,
    'availability-zone-id': ({ zone }) => network.zoneId(zone),
    'vpc-id': () => network.vpcId,
    state: () => 'available',
  };
  const zoneFields: Readonly<Record<string, FilterField<Network['zones'][number]>>> = {
    'zone-name': ({ name }) => name,
    'zone-id': ({ id }) => id,
    'region-name': () => base.place.region,
    state: () => 'available',
  };
  const named = (ids: readonly string[]): Subnet[] =>
    ids.map((id) => {
      const subnet = network.find(id);
      if (subnet === undefined) throw new ApiError('InvalidSubnetID.NotFound', `The subnet ID '${id}' does not exist`);
      return subnet;
    });
  const describeSubnet = (subnet: Subnet) => ({
    SubnetId: subnet.id,
    SubnetArn: `arn:aws:ec2:${base.place.region}:${base.place.accountId}:subnet/${subnet.id}`,
    VpcId: network.vpcId,
    AvailabilityZone: subnet.zone,
    AvailabilityZoneId: network.zoneId(subnet.zone),
    AvailableIpAddressCount: subnet.free,
    CidrBlock: subnet.block,
    State: 'available',
    OwnerId: base.place.accountId,
    Tags: [],
  });
  return {
    DescribeSubnets: operation<Query>((input) => {
      const subnets = input.SubnetIds?.length ? named(input.SubnetIds) : network.list();
      const passing = subnets.filter(allOf(input.Filters, (name) => subnetFields[name]));
      const page = pageOf(passing, input.MaxResults, input.NextToken, 'InvalidNextToken');
      return { Subnets: page.items.map(describeSubnet), NextToken: page.next };
    }),
    DescribeAvailabilityZones: operation<{ ZoneNames?: string[]; Filters?: Filter[] }>((input) => {
      const wanted = network.zones.filter(({ name }) => !input.ZoneNames?.length || input.ZoneNames.includes(name));
      const zones = wanted.filter(allOf(input.Filters, (name) => zoneFields[name]));
      return {
        AvailabilityZones: zones.map(({ name, id }) => ({
          ZoneName: name,
          ZoneId: id,
          ZoneType: 'availability-zone',
          State: 'available',
          RegionName: base.place.region,
          OptInStatus: 'opt-in-not-required',
        })),
      };
    }),
  };
};
