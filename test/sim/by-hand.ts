import { ApiError } from '../../sandbox/api.ts';
import type { Stage } from './stage.ts';

/** What EC2 has no room for, or no quota. Somebody who launches by hand then goes without. */
const noRoom: ReadonlySet<string> = new Set(['InsufficientFreeAddressesInSubnet', 'InsufficientInstanceCapacity', 'VcpuLimitExceeded']);

/** The instance that somebody launches by hand in a subnet, with these tags; none where EC2 has no room. */
export const launchByHand = async (stage: Stage, subnet: string, tags: Readonly<Record<string, string>> = {}): Promise<readonly string[]> => {
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  try {
    const launched = (await stage.operate('ec2', 'RunInstances', {
      LaunchTemplate: { LaunchTemplateName: 'web' },
      InstanceType: 'm7g.large',
      SubnetId: subnet,
      MinCount: 1,
      MaxCount: 1,
      ...(Tags.length > 0 && { TagSpecifications: [{ ResourceType: 'instance', Tags }] }),
    })) as { readonly Instances: readonly { readonly InstanceId: string }[] };
    return launched.Instances.map(({ InstanceId }) => InstanceId);
  } catch (error) {
    if (error instanceof ApiError && noRoom.has(error.code)) return [];
    throw error;
  }
};
