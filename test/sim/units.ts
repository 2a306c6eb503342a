import type { Group } from '../../core/group/group.ts';
import { namedAsgs } from '../../core/group/holders.ts';
import type { WorldSnapshot } from '../../sandbox/world/world.ts';

type Asg = WorldSnapshot['autoScalingGroups'][number];

/** Whether an Auto Scaling group holds its desired capacity in units, and no member that it could end without missing it. */
const holdsItsUnits = ({ desired, min, instances: members, weights = {} }: Asg, { instances }: WorldSnapshot): boolean => {
  const inside = new Set(members.map(({ id }) => id));
  const counted = instances
    .filter(({ id }) => inside.has(id))
    .map(({ instanceType, isProtected }) => ({ count: weights[instanceType] ?? 1, isProtected }));
  const over = counted.reduce((sum, { count }) => sum + count, 0) - Math.max(desired, min);
  return over === 0 || (over > 0 && counted.every(({ count, isProtected }) => isProtected === true || count > over));
};

/**
 * Whether the Auto Scaling groups of a policy hold what they want, where one of them counts weights. Undefined where all count instances: then the size says
 * how many members the group has.
 */
export const holdsUnits = (group: Partial<Group>, snapshot: WorldSnapshot): boolean | undefined => {
  const { holding, pools = {} } = group;
  const names = holding === undefined ? [] : namedAsgs({ holding, pools });
  const asgs = snapshot.autoScalingGroups.filter(({ name }) => names.includes(name));
  return asgs.some(({ weights }) => weights !== undefined) ? asgs.every((asg) => holdsItsUnits(asg, snapshot)) : undefined;
};
