import { type EC2Client, paginateDescribeInstanceTypeOfferings } from '@aws-sdk/client-ec2';
import type { Sold } from '../../core/policy/resolution.ts';
import { allOf } from '../calls/all-of.ts';
import { chunks } from '../calls/chunks.ts';
import { codeOf, isFromAws } from '../calls/errors.ts';

/** Values that one filter takes (EC2 API reference, Using filtering). */
export const filterValues = 200;

const addOfferings = async (ec2: EC2Client, types: readonly string[], zones: Map<string, string[]>): Promise<void> => {
  const offerings = await allOf(
    paginateDescribeInstanceTypeOfferings(
      { client: ec2 },
      { LocationType: 'availability-zone', Filters: [{ Name: 'instance-type', Values: [...types] }] },
    ),
    ({ InstanceTypeOfferings }) => InstanceTypeOfferings,
  );
  for (const { InstanceType, Location } of offerings)
    if (InstanceType && Location) zones.set(InstanceType, [...(zones.get(InstanceType) ?? []), Location]);
};

/**
 * Zones that sell these instance types. A type that the region does not sell is absent. When EC2 returns an error, its
 * code is returned: a policy is not refused for that.
 */
export const soldTypes = async (ec2: EC2Client, types: readonly string[]): Promise<Sold> => {
  const zones = new Map<string, string[]>();
  try {
    for (const part of chunks(types, filterValues)) await addOfferings(ec2, part, zones);
  } catch (error) {
    if (!isFromAws(error)) throw error;
    return { unread: codeOf(error) };
  }
  return { zones: Object.fromEntries([...zones].map(([type, sold]) => [type, sold.sort()])) };
};
