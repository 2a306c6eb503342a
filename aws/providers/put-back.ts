import type { Group } from '../../core/group.ts';
import { asgsOf, namedTargetGroups } from '../../core/holders.ts';
import type { ActionResult } from '../../core/ports.ts';
import { inParallel } from '../in-parallel.ts';
import { allOf } from './act-on.ts';
import { describeAsgs } from './auto-scaling-groups.ts';
import type { ProviderDeps } from './provider-deps.ts';
import { registerTargets } from './target-groups.ts';

/**
 * Puts members into service again that were deregistered: with the named target groups, and with those of their Auto
 * Scaling group, which registers an instance only when it joins.
 */
export const putBackMembers = async (
  deps: ProviderDeps,
  group: Group,
  instances: readonly string[],
): Promise<ActionResult> => {
  const named = await registerTargets(deps.elb, namedTargetGroups(group), instances);
  const asgs = await describeAsgs(deps.autoScaling, asgsOf(group));
  const own = await inParallel(asgs, 3, ({ targetGroups, standings }) =>
    registerTargets(
      deps.elb,
      targetGroups,
      instances.filter((instance) => standings.get(instance)?.inService),
    ),
  );
  return allOf(instances, [named, ...own]);
};
