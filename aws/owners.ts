import type { EC2Client } from '@aws-sdk/client-ec2';
import { tags } from '../core/contract.ts';
import type { Owner, Owners } from '../core/ports/owners.ts';
import type { Instance } from './calls/ec2-shapes.ts';
import { asgTag, groupOf, instancesById, offeringOf, tagOf } from './instances.ts';

const toOwner = (instance: Instance, deployment: string): Owner => {
  const group = groupOf(instance, deployment);
  const asg = tagOf(instance, asgTag);
  const pool = tagOf(instance, tags.pool);
  const reservation = tagOf(instance, tags.reservation);
  return {
    ...(group !== undefined && { group }),
    ...(asg !== undefined && { asg }),
    ...(pool !== undefined && { pool }),
    ...(reservation !== undefined && { reservation }),
    offering: offeringOf(instance),
    state: instance.State?.Name ?? 'unknown',
    ...(instance.LaunchTime !== undefined && { launchedAtMs: instance.LaunchTime.getTime() }),
  };
};

/**
 * Finds the groups of instances from their tags: 200 instances in one describe. Tags of another deployment are ignored.
 */
export const createOwners = ({
  client,
  deployment,
}: {
  readonly client: EC2Client;
  readonly deployment: string;
}): Owners => ({
  async ownersOf(instances) {
    const known = await instancesById(client, instances);
    return new Map([...known].map(([id, instance]) => [id, toOwner(instance, deployment)]));
  },
});
