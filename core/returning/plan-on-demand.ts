import type { Turn } from '../decision/decision.ts';
import { cellOf } from '../placement/held-cells.ts';
import type { Floor } from '../placement/plan-with-floor.ts';
import { type Offering, type OfferingKey, offeringKey } from '../pool/offering.ts';
import { offeringsOf } from '../pool/pool.ts';
import type { PoolMemory } from '../pool-memory/pool-memory.ts';
import { holdShare } from '../selector/hold.ts';
import { pick, turnsOf } from '../selector/pick.ts';
import { isOpen, type Leaf } from '../selector/tree.ts';
import type { Headcount } from '../view/headcount.ts';
import type { Member, View } from '../view/view.ts';
import { type Ground, groundFor, leaveOf, movePlacement, occupy } from './ground.ts';
import { backsOffUntil, noReturns } from './memory.ts';
import type { ReturnPlan } from './plan-return.ts';

type Portion = {
  readonly leaf: Leaf;
  readonly turns: readonly Turn[];
  readonly offerings: readonly Offering[];
  readonly instances: string[];
};

/** Members on spot, the next to leave first, and how many of them may move. */
type Leaving = { readonly inOrder: readonly Member[]; readonly most: number };

const portionsOf = (view: View, { tree, run }: Ground, { inOrder, most }: Leaving): readonly Portion[] => {
  const portions = new Map<string, Portion>();
  const { mayLeave, leave } = leaveOf(view);
  let left = most;
  for (const member of inOrder) {
    if (left <= 0) break;
    if (!mayLeave(member)) continue;
    tree.count(cellOf(member), -1);
    holdShare(tree, member.offering, -1, run);
    const picked = pick(tree.root, run);
    if (picked === undefined) {
      tree.count(cellOf(member), 1);
      holdShare(tree, member.offering, 1, run);
      continue;
    }
    const { leaf, way } = picked;
    const { offerings } = leaf;
    const key = [leaf.path, ...offerings.map(offeringKey)].join('|');
    const portion = portions.get(key) ?? { leaf, turns: turnsOf(way), offerings, instances: [] };
    portions.set(key, portion);
    portion.instances.push(member.instance);
    occupy({ tree, run }, { leaf, offerings }, member);
    leave(member);
    left -= 1;
  }
  return [...portions.values()];
};

/** Whether an on-demand pool may give a member. A share that is full may have room once its member has left. */
export const givesOnDemand = (view: View, ground: Ground): boolean =>
  isOpen(ground.tree.root) || view.group.maxShare !== undefined;

/** The `after` of `return` that holds where the policy says `return: false`. */
const usualAfterMs = 10 * 60_000;

/** Until when no member moves to an offering on demand, because those that moved there did not stay. */
type Rest = { readonly offering: OfferingKey; readonly untilMs: number };

/**
 * Offerings on demand to which no member moves now, the shortest rest first. An Auto Scaling group that evens out its
 * zones would undo each move, and the next one would follow without end.
 */
export const restsFromMoves = ({ group, state, nowMs }: View): readonly Rest[] => {
  const { losses } = state.returns ?? noReturns;
  const afterMs = group.returning?.afterMs ?? usualAfterMs;
  const keys = Object.values(group.pools)
    .flatMap(offeringsOf)
    .flatMap((offering) => (offering.market === 'on-demand' ? [offeringKey(offering)] : []));
  return [...new Set(keys)]
    .map((offering) => ({ offering, untilMs: backsOffUntil(losses, offering, afterMs) }))
    .filter(({ untilMs }) => untilMs > nowMs)
    .toSorted((a, b) => a.untilMs - b.untilMs);
};

const withRests = (memory: PoolMemory, rests: readonly Rest[], nowMs: number): PoolMemory => ({
  ...memory,
  // Only the time is read.
  ...Object.fromEntries(
    rests.map(({ offering, untilMs }) => [
      offering,
      { kind: 'refused', code: 'undone', atMs: nowMs, streak: 0, coolingUntilMs: untilMs },
    ]),
  ),
});

/** The tree's on-demand pools, for members that move there. */
export const onDemandGround = (view: View, headcount: Headcount): Ground => {
  const memory = withRests(view.state.memory, restsFromMoves(view), view.nowMs);
  return groundFor(view, headcount, { memory, only: 'on-demand' });
};

/**
 * Launches on demand for a group that has less on demand than it owes. Each names the member on spot that leaves once
 * the launch serves. The order of the tree's on-demand pools decides where.
 */
export const planOnDemand = (view: View, ground: Ground, { owed, held }: Floor, leaving: Leaving): ReturnPlan => {
  const portions = portionsOf(view, ground, leaving);
  return {
    placements: portions.map((portion) => movePlacement(portion, view)),
    reasons: portions.map(({ leaf, turns, instances }) => ({
      pool: leaf.pool.name,
      count: instances.length,
      turns,
      owed: { onDemand: owed, held },
    })),
    moves: portions.map(({ leaf, instances }) => ({
      pool: leaf.pool.name,
      instances,
      why: { code: 'on-demand-owed', owed, held },
    })),
  };
};
