import type { Headcount } from '../headcount.ts';
import { cellOf, cellOfLaunch } from '../held.ts';
import type { Offering } from '../offering.ts';
import { closeFullPools } from '../plan-placements.ts';
import type { Floor } from '../plan-with-floor.ts';
import { poolsWithinMaxima } from '../plan-within-maxima.ts';
import { pricesIn } from '../price.ts';
import { growTree, type Tree } from '../selector/grow.ts';
import { pick, type Run, type Step, turnsOf } from '../selector/pick.ts';
import { restingSubnets } from '../selector/standing.ts';
import { isOpen, type Leaf } from '../selector/tree.ts';
import type { Member, View } from '../view.ts';
import type { ReturnPlan } from './plan-return.ts';

type Portion = {
  readonly leaf: Leaf;
  readonly way: readonly Step[];
  readonly offerings: readonly Offering[];
  readonly instances: string[];
};

const treeOf = (view: View, { staying, inFlight }: Headcount): Tree => {
  const { group, state, nowMs } = view;
  const tree = growTree(group.capacity, poolsWithinMaxima(view), {
    ...(state.failedBoots && { failedBoots: state.failedBoots }),
    ...(state.denials && { denials: state.denials }),
    prices: pricesIn(view),
    memory: state.memory,
    nowMs,
    only: 'on-demand',
  });
  for (const member of staying) tree.count(cellOf(member), 1);
  for (const launch of inFlight) tree.count(cellOfLaunch(launch), launch.count);
  return tree;
};

const portionsOf = (tree: Tree, run: Run, members: readonly Member[]): readonly Portion[] => {
  const portions = new Map<readonly Offering[], Portion>();
  for (const member of members) {
    tree.count(cellOf(member), -1);
    const picked = pick(tree.root, run);
    if (picked === undefined) break;
    const { leaf, way } = picked;
    const portion = portions.get(leaf.offerings) ?? { leaf, way, offerings: leaf.offerings, instances: [] };
    portions.set(leaf.offerings, portion);
    portion.instances.push(member.instance);
    tree.count(cellOfLaunch({ pool: leaf.pool.name, offerings: leaf.offerings }), 1);
    closeFullPools(tree, leaf.pool.name, run);
  }
  return [...portions.values()];
};

const placementOf = ({ leaf, offerings, instances }: Portion, { state, nowMs }: View) => {
  const avoidSubnets = restingSubnets(leaf.pool, offerings, { memory: state.memory, nowMs });
  return {
    pool: leaf.pool.name,
    count: instances.length,
    offerings,
    ...(avoidSubnets.length > 0 && { avoidSubnets }),
    moves: instances,
  };
};

/**
 * Launches on demand, each with the member on spot that leaves once it serves, because the group has less on demand
 * than it owes. The tree's order among its on-demand pools says where.
 *
 * @param leaving who leaves, the next first; nobody is chosen while no on-demand pool gives any
 */
export const planOnDemand = (
  view: View,
  headcount: Headcount,
  { owed, held }: Floor,
  leaving: () => readonly Member[],
): ReturnPlan => {
  const tree = treeOf(view, headcount);
  const run: Run = { cheapest: { ...view.state.cheapest }, step: 0, closings: 0, settled: new Map() };
  for (const pool of tree.leavesOf.keys()) closeFullPools(tree, pool, run);
  const portions = isOpen(tree.root) ? portionsOf(tree, run, leaving()) : [];
  return {
    placements: portions.map((portion) => placementOf(portion, view)),
    reasons: portions.map(({ leaf, way, instances }) => ({
      pool: leaf.pool.name,
      count: instances.length,
      turns: turnsOf(way),
      owed: { onDemand: owed, held },
    })),
    moves: portions.map(({ leaf, instances }) => ({
      pool: leaf.pool.name,
      instances,
      why: { code: 'on-demand-owed', owed, held },
    })),
  };
};
