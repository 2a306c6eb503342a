import type { Group } from '../../core/group/group.ts';
import type { Offering } from '../../core/pool/offering.ts';
import type { Pool } from '../../core/pool/pool.ts';

/** What shows which pool an instance came from: its pool tag, its Auto Scaling group, and its type, zone and market. */
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
 * The pool that an instance was launched from: the one that its tag names, while the policy has it; otherwise the first
 * that could have launched it.
 */
export const poolOf = (group: Group, origin: Origin): string | undefined => {
  if (origin.tagged !== undefined && group.pools[origin.tagged]) return origin.tagged;
  return Object.values(group.pools).find((pool) => gives(pool, origin))?.name;
};
