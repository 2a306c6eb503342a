import { DescribeInstanceTypeOfferingsCommand, type EC2Client } from '@aws-sdk/client-ec2';
import type { Sold } from '../core/policy/resolution.ts';
import { chunks } from './chunks.ts';
import { codeOf, isFromAws } from './errors.ts';

/** Values that one filter takes (EC2 API reference, Using filtering). */
export const filterValues = 200;

const addPages = async (ec2: EC2Client, types: readonly string[], zones: Map<string, string[]>): Promise<void> => {
  let NextToken: string | undefined;
  do {
    const page = await ec2.send(
      new DescribeInstanceTypeOfferingsCommand({
        LocationType: 'availability-zone',
        Filters: [{ Name: 'instance-type', Values: [...types] }],
        ...(NextToken && { NextToken }),
      }),
    );
    for (const { InstanceType, Location } of page.InstanceTypeOfferings ?? [])
      if (InstanceType && Location) zones.set(InstanceType, [...(zones.get(InstanceType) ?? []), Location]);
    NextToken = page.NextToken;
  } while (NextToken);
};

/**
 * Zones that sell these instance types. A type that the region does not sell is absent. When EC2 returns an error, its
 * code is returned: a policy is not refused for that.
 */
export const soldTypes = async (ec2: EC2Client, types: readonly string[]): Promise<Sold> => {
  const zones = new Map<string, string[]>();
  try {
    for (const part of chunks(types, filterValues)) await addPages(ec2, part, zones);
  } catch (error) {
    if (!isFromAws(error)) throw error;
    return { unread: codeOf(error) };
  }
  return { zones: Object.fromEntries([...zones].map(([type, sold]) => [type, sold.sort()])) };
};
