import type { Group } from '../../core/group.ts';
import type { Offering } from '../../core/offering.ts';
import type { Pool } from '../../core/pool.ts';

/** What tells where an instance came from: its pool tag, the Auto Scaling group it is in, and what it is. */
export type Origin = {
  readonly tagged?: string | undefined;
  readonly asg?: string | undefined;
  readonly offering: Offering;
};

const gives = (pool: Pool, { asg, offering }: Origin): boolean => {
  if (pool.market !== offering.market) return false;
  if (pool.asg !== undefined) return pool.asg === asg;
  return pool.instanceTypes.includes(offering.instanceType) && pool.subnets.some(({ zone }) => zone === offering.zone);
};

/**
 * The pool that an instance was launched from: the one its tag names while the policy has it, else the first that could
 * have given it.
 */
export const poolOf = (group: Group, origin: Origin): string | undefined => {
  if (origin.tagged !== undefined && group.pools[origin.tagged]) return origin.tagged;
  return Object.values(group.pools).find((pool) => gives(pool, origin))?.name;
};
