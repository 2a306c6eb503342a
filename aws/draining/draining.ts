import type { DrainTargetName } from '../../core/drain/targets.ts';
import type { ActionResult, CapacityProvider } from '../../core/ports/capacity-provider.ts';
import type { DrainTarget } from '../../core/ports/drain-target.ts';
import { allOf } from '../providers/act-on.ts';
import type { ProviderDeps } from '../providers/provider-deps.ts';
import { autoScalingGroups } from './auto-scaling.ts';
import { loadBalancers } from './load-balancers.ts';

/** The part of a target that takes members out of service and puts them back. */
export type MovesMembers = (deps: ProviderDeps) => Pick<DrainTarget, 'release' | 'putBack'>;

/** Every target that members are taken out of, in order. */
const targets: Readonly<Record<DrainTargetName, MovesMembers>> = {
  'load-balancers': loadBalancers,
  'auto-scaling': autoScalingGroups,
};

/** Takes members out of every target, one after another, and puts them back into all. */
export const createDraining = (deps: ProviderDeps): Pick<CapacityProvider, 'release' | 'putBack'> => {
  const all = Object.values(targets).map((target) => target(deps));
  const inEach = async (act: (target: (typeof all)[number]) => Promise<ActionResult>): Promise<ActionResult[]> => {
    const results: ActionResult[] = [];
    for (const target of all) results.push(await act(target));
    return results;
  };
  return {
    release: async (group, swaps, releasing = {}) => {
      const ids = swaps.map(({ instance }) => instance);
      return ids.length === 0
        ? { done: [], failed: [] }
        : allOf(ids, await inEach((target) => target.release(group, swaps, releasing)));
    },
    putBack: async (group, instances) => allOf(instances, await inEach((target) => target.putBack(group, instances))),
  };
};
