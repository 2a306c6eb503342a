import { DescribeInstanceAttributeCommand } from '@aws-sdk/client-ec2';
import type { Protection } from '../../core/ports/capacity-provider.ts';
import { codeOf, isFromAws, isUnknownInstance } from '../calls/errors.ts';
import { inParallel } from '../calls/in-parallel.ts';
import { unlessTroubled } from '../calls/unless-troubled.ts';
import type { ProviderDeps } from './provider-deps.ts';

/** EC2 returns the attribute of one instance a call. Of a longer list, the rest is found when EC2 refuses to end it. */
const readAtMost = 100;
const readsAtOnce = 8;

const noneOf: Protection = { protected: [], failed: [] };

/** A read that EC2 denies fails again later. An instance that is gone needs no protection. */
const denied = (instance: string, error: unknown): Protection => {
  if (!isFromAws(error)) throw error;
  if (isUnknownInstance(error)) return noneOf;
  return { protected: [], failed: [{ instance, code: codeOf(error), retry: 'never' }] };
};

const protectionOf = async (ec2: ProviderDeps['ec2'], instance: string): Promise<Protection> => {
  const asked = new DescribeInstanceAttributeCommand({ InstanceId: instance, Attribute: 'disableApiTermination' });
  try {
    const shown = await unlessTroubled(ec2.send(asked));
    return shown?.DisableApiTermination?.Value === true ? { protected: [instance], failed: [] } : noneOf;
  } catch (error) {
    return denied(instance, error);
  }
};

/**
 * The instances whose termination EC2 would refuse, because their owner protects them. A read that fails counts as no
 * protection: EC2 then refuses at the end of the drain. The right to read covers instances with a tag of this
 * deployment only.
 */
export const protectedAmong = async (
  { ec2 }: Pick<ProviderDeps, 'ec2'>,
  instances: readonly string[],
): Promise<Protection> => {
  const found = await inParallel(instances.slice(0, readAtMost), readsAtOnce, (one) => protectionOf(ec2, one));
  return { protected: found.flatMap((one) => one.protected), failed: found.flatMap(({ failed }) => failed) };
};
