import { type EC2Client, paginateDescribeInstanceTypeOfferings } from '@aws-sdk/client-ec2';
import type { Sold } from '../../core/policy/resolution.ts';
import { allOf } from '../calls/all-of.ts';
import { chunks } from '../calls/chunks.ts';
import { codeOf, isFromAws } from '../calls/errors.ts';

/** Values that one filter takes (EC2 API reference, Using filtering). */
export const filterValues = 200;

const offeringsOf = (ec2: EC2Client, LocationType: 'availability-zone' | 'region', Values: string[]) =>
  allOf(
    paginateDescribeInstanceTypeOfferings(
      { client: ec2 },
      { LocationType, Filters: [{ Name: 'instance-type', Values }] },
    ),
    ({ InstanceTypeOfferings }) => InstanceTypeOfferings,
  );

const addOfferings = async (ec2: EC2Client, types: readonly string[], zones: Map<string, string[]>): Promise<void> => {
  for (const { InstanceType, Location } of await offeringsOf(ec2, 'availability-zone', [...types]))
    if (InstanceType && Location) zones.set(InstanceType, [...(zones.get(InstanceType) ?? []), Location]);
};

/** For a suggestion: what the region sells of the families of these types. */
const kinOf = async (ec2: EC2Client, types: readonly string[]): Promise<readonly string[]> => {
  const families = [...new Set(types.map((type) => `${type.split('.')[0]}.*`))].slice(0, filterValues);
  if (families.length === 0) return [];
  return (await offeringsOf(ec2, 'region', families)).flatMap(({ InstanceType }) => InstanceType ?? []);
};

/**
 * Zones that sell these instance types. A type that the region does not sell is absent. When EC2 returns an error, its
 * code is returned: a policy is not refused for that.
 */
export const soldTypes = async (ec2: EC2Client, types: readonly string[]): Promise<Sold> => {
  const zones = new Map<string, string[]>();
  try {
    for (const part of chunks(types, filterValues)) await addOfferings(ec2, part, zones);
    const unknown = types.filter((type) => !zones.has(type));
    const kin = await kinOf(ec2, unknown);
    const sold = Object.fromEntries([...zones].map(([type, places]) => [type, places.sort()]));
    return { zones: sold, ...(kin.length > 0 && { kin }) };
  } catch (error) {
    if (!isFromAws(error)) throw error;
    return { unread: codeOf(error) };
  }
};
