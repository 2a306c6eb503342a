import { DescribeInstanceAttributeCommand } from '@aws-sdk/client-ec2';
import { inParallel } from '../calls/in-parallel.ts';
import type { ProviderDeps } from './provider-deps.ts';

/** EC2 returns the attribute of one instance a call. Of a longer list, the rest is found when EC2 refuses to end it. */
const readAtMost = 100;
const readsAtOnce = 8;

/**
 * The instances whose termination EC2 would refuse, because their owner protects them. A read that fails counts as no
 * protection: EC2 then refuses at the end of the drain.
 */
export const protectedAmong = async (
  { ec2 }: Pick<ProviderDeps, 'ec2'>,
  instances: readonly string[],
): Promise<readonly string[]> => {
  const found = await inParallel(instances.slice(0, readAtMost), readsAtOnce, async (InstanceId) => {
    const asked = new DescribeInstanceAttributeCommand({ InstanceId, Attribute: 'disableApiTermination' });
    return ec2.send(asked).then(
      ({ DisableApiTermination }) => (DisableApiTermination?.Value === true ? [InstanceId] : []),
      () => [],
    );
  });
  return found.flat();
};
