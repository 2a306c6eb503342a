import type { WorldSpec } from './spec.ts';

export type Subnet = { readonly id: string; readonly zone: string; readonly addresses: number; free: number; readonly block: string };

export type Network = {
  readonly vpcId: string;
  readonly zones: readonly { readonly name: string; readonly id: string }[];
  find(subnet: string): Subnet | undefined;
  list(): readonly Subnet[];
  inZone(zone: string): Subnet | undefined;
  zoneId(zone: string): string;
};

/** A /20 less the five addresses that AWS keeps in every subnet. */
const defaultAddresses = 4091;

export const createNetwork = (spec: Pick<WorldSpec, 'zones' | 'subnets'>): Network => {
  const subnets = new Map<string, Subnet>();
  for (const { id, zone, freeAddresses = defaultAddresses } of spec.subnets) {
    subnets.set(id, { id, zone, addresses: freeAddresses, free: freeAddresses, block: `10.${subnets.size}.0.0/16` });
  }
  const zones = spec.zones.map((name, index) => ({ name, id: `use1-az${index + 1}` }));
  return {
    vpcId: 'vpc-0a1b2c3d4e5f60718',
    zones,
    find: (subnet) => subnets.get(subnet),
    list: () => [...subnets.values()],
    inZone: (zone) => [...subnets.values()].find((subnet) => subnet.zone === zone),
    zoneId: (zone) => zones.find(({ name }) => name === zone)?.id ?? 'use1-az9',
  };
};
