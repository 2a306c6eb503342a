import type { DrainTargetName } from '../../core/drain/targets.ts';
import type { ActionResult, CapacityProvider, Released } from '../../core/ports/capacity-provider.ts';
import type { DrainTarget } from '../../core/ports/drain-target.ts';
import { endsItself, type Swap } from '../../core/swap/swap.ts';
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

/** Members that still have to leave the next target: one that Holdfast ends does so only once it has left this one. */
const goingOn = (swaps: readonly Swap[], { failed }: ActionResult): readonly Swap[] => {
  const held = new Set(failed.map(({ instance }) => instance));
  return swaps.filter((swap) => endsItself(swap) || !held.has(swap.instance));
};

/** Takes members out of every target, one after another, and puts them back into all. */
export const createDraining = (deps: ProviderDeps): Pick<CapacityProvider, 'release' | 'putBack'> => {
  const all = Object.values(targets).map((target) => target(deps));
  return {
    release: async (group, swaps, releasing = {}) => {
      const results: Released[] = [];
      let going = swaps;
      for (const target of all) {
        if (going.length === 0) break;
        const result = await target.release(group, going, releasing);
        results.push(result);
        going = goingOn(going, result);
      }
      return allOf(
        swaps.map(({ instance }) => instance),
        results,
      );
    },
    putBack: async (group, instances) => {
      const results: ActionResult[] = [];
      for (const target of all) results.push(await target.putBack(group, instances));
      return allOf(instances, results);
    },
  };
};
