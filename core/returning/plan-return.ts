import type { PlacementReason, Turn } from '../decision/decision.ts';
import { cellOf } from '../placement/held-cells.ts';
import { isOnDemand, onDemandToSpare } from '../placement/on-demand.ts';
import type { Placement } from '../placement/placement.ts';
import { type Offering, type OfferingKey, offeringKey } from '../pool/offering.ts';
import { offeringsOf, type Pool } from '../pool/pool.ts';
import { paidPrice, pricesIn } from '../pool/price.ts';
import { type Lesson, notSoldRestMs, type PoolMemory, withoutRefusal } from '../pool-memory/pool-memory.ts';
import type { Tree } from '../selector/grow.ts';
import { holdShare } from '../selector/hold.ts';
import { type Run, turnsOf } from '../selector/pick.ts';
import { trialRank } from '../selector/standing.ts';
import type { Headcount } from '../view/headcount.ts';
import type { Member, View } from '../view/view.ts';
import { type Better, type BetterPlace, betterPlace, restsBefore } from './better-place.ts';
import { groundFor, leaveOf, movePlacement, occupy } from './ground.ts';
import { expectedLifeMs, type Loss, noReturns, pays } from './memory.ts';

/** Why members with a better place do not move yet. */
export type NotYet =
  /**
   * The better offerings rest: they were refused, denied or warned about, or members ended there soon after their
   * launch.
   */
  | { readonly code: 'resting'; readonly offering: OfferingKey; readonly untilMs: number }
  | {
      readonly code: 'would-not-pay';
      readonly offering: OfferingKey;
      readonly usdPerHour: number;
      readonly fromUsdPerHour: number;
      /** How long members lived there. */
      readonly lifeMs: number;
    };

/** Members that move, and where to. */
export type MoveReason = { readonly pool: string; readonly instances: readonly string[]; readonly why: Better };

/** Launches at better places, each with the members that it is to replace. */
export type ReturnPlan = {
  readonly placements: readonly Placement[];
  readonly reasons: readonly PlacementReason[];
  readonly moves: readonly MoveReason[];
  readonly notYet?: NotYet;
};

/** `isTrial`: the one launch that tests whether a breaker can be closed. */
export type Portion = BetterPlace & {
  readonly turns: readonly Turn[];
  readonly instances: string[];
  readonly isTrial: boolean;
};

/** A portion without members. Call this before its first member is counted there: turns have the counts before. */
export const portionOf = (place: BetterPlace): Portion => ({
  ...place,
  turns: turnsOf(place.way),
  instances: [],
  isTrial: place.leaf.opensAt === trialRank,
});

export type Work = {
  readonly view: View;
  readonly losses: readonly Loss[];
  readonly tree: Tree;
  readonly run: Run;
  /** What is paid for an instance of an offering in a pool. Undefined when unknown. */
  readonly paid: (offering: Offering, pool: string | undefined) => number | undefined;
};

/** Members of one kind have the same places. */
export const kindOf = ({ pool, offering }: Member): string => `${pool}|${offeringKey(offering)}`;

/** On-demand before spot, then the dearest, then the youngest, which has the least work to lose. */
export const inOrder = (members: readonly Member[], { paid }: Work): readonly Member[] => {
  const priceOf = ({ offering, pool }: Member): number => paid(offering, pool) ?? 0;
  const isOnDemand = ({ offering }: Member): number => Number(offering.market === 'on-demand');
  return members.toSorted(
    (a, b) =>
      isOnDemand(b) - isOnDemand(a) ||
      priceOf(b) - priceOf(a) ||
      b.launchedAtMs - a.launchedAtMs ||
      (a.instance < b.instance ? -1 : 1),
  );
};

/** How long members wait before they move to a place. */
export type Patience = {
  /** For this time, no refusal and no warning came from the place. */
  readonly afterMs: number;
  /** The longest that refusals put off a move. */
  readonly longestWaitMs: number;
  /** Until when interruptions of members that were there put off a move. */
  readonly backsOffUntil: (losses: readonly Loss[], offering: OfferingKey, afterMs: number) => number;
};

/** Until when a lesson keeps moves from an offering. An offering that its zone does not sell rests in full. */
const restsUntil = ({ atMs, coolingUntilMs }: Lesson, { afterMs, longestWaitMs }: Patience): number => {
  const restMs = coolingUntilMs - atMs;
  return atMs + Math.max(afterMs, restMs < notSoldRestMs ? Math.min(restMs, longestWaitMs) : restMs);
};

/**
 * For each offering that a launch may be placed as: the offerings that it may become. An Auto Scaling group picks one
 * of its types itself.
 */
const mayBecome = (pools: readonly Pool[]): ReadonlyMap<OfferingKey, ReadonlySet<OfferingKey>> => {
  const found = new Map<OfferingKey, Set<OfferingKey>>();
  for (const pool of pools) {
    const keys = offeringsOf(pool).map(offeringKey);
    for (const key of keys) {
      const known = found.get(key) ?? new Set([key]);
      found.set(key, known);
      if (pool.asg !== undefined) for (const other of keys) known.add(other);
    }
  }
  return found;
};

/**
 * Pool memory as it counts for moves. An offering rests until no refusal and no warning came for long enough, and
 * longer where moved members were interrupted soon. Where an Auto Scaling group picks the type, an interruption of one
 * of its offerings counts for all.
 */
const memoryForMoves = ({ group, state, nowMs }: View, patience: Patience, losses: readonly Loss[]): PoolMemory => {
  const offerings = mayBecome(Object.values(group.pools));
  const takenUntil = (key: OfferingKey): number => {
    const warning = withoutRefusal(state.memory[key]);
    const heardMs = warning === undefined ? 0 : restsUntil(warning, patience);
    return Math.max(heardMs, patience.backsOffUntil(losses, key, patience.afterMs));
  };
  const rests = [...offerings].map(([key, others]): readonly [string, Lesson] => {
    const lesson = state.memory[key];
    const heardMs = lesson === undefined ? 0 : restsUntil(lesson, patience);
    const coolingUntilMs = Math.max(heardMs, ...[...others].map(takenUntil));
    // Only the time is read: moves report that an offering rests, and not why.
    return [key, { kind: 'refused', code: 'interruption', atMs: nowMs, streak: 0, coolingUntilMs }];
  });
  return { ...state.memory, ...Object.fromEntries(rests) };
};

/**
 * The place without the offerings where a move for the price would not pay, or the reason against all of them. Any
 * other place stays as it is.
 */
const usable = (place: BetterPlace, { paid, losses }: Work): BetterPlace | NotYet => {
  const { leaf, offerings, why } = place;
  if (why.code !== 'cheaper') return place;
  const { usdPerHour, fromUsdPerHour } = why;
  const lifeMsIn = (offering: Offering): number => expectedLifeMs(losses, offeringKey(offering));
  const paying = offerings.filter((offering) => {
    const toUsdPerHour = paid(offering, leaf.pool.name);
    return toUsdPerHour === undefined || pays(fromUsdPerHour, toUsdPerHour, lifeMsIn(offering));
  });
  const [offering] = offerings;
  if (paying.length > 0 || offering === undefined) return { ...place, offerings: paying };
  const lifeMs = Math.round(lifeMsIn(offering));
  return { code: 'would-not-pay', offering: offeringKey(offering), usdPerHour, fromUsdPerHour, lifeMs };
};

const placeFor = (member: Member, work: Work): BetterPlace | NotYet | undefined => {
  const place = betterPlace(work.tree.root, { member, run: work.run, paid: work.paid });
  if (place !== undefined) return usable(place, work);
  const rest = restsBefore(work.tree.root, member);
  return rest && { code: 'resting', ...rest };
};

const isPlace = (found: BetterPlace | NotYet): found is BetterPlace => 'leaf' in found;

/** Counts the replacement at its new place, so that the next member sees it there. */
export const take = (member: Member, place: BetterPlace, { tree, run }: Work): void => {
  tree.count(cellOf(member), -1);
  occupy({ tree, run }, place, member);
};

const keyOf = ({ leaf, offerings, why }: BetterPlace): string =>
  [leaf.path, ...offerings.map(offeringKey), JSON.stringify(why)].join('|');

/**
 * How many members on spot may move to on-demand. As many as there are spares stay, because spares are on spot alone.
 */
const spotToMove = ({ state }: View, { staying }: Headcount): number =>
  staying.filter((member) => !isOnDemand(member)).length - Math.max(0, staying.length - state.desired);

const leavesSpot = (member: Member, { leaf }: BetterPlace): boolean =>
  !isOnDemand(member) && leaf.pool.market === 'on-demand';

const choose = (headcount: Headcount, most: number, work: Work) => {
  const { mayLeave, leave } = leaveOf(work.view, onDemandToSpare(work.view, headcount));
  const portions = new Map<string, Portion>();
  const settled = new Set<string>();
  let notYet: NotYet | undefined;
  let left = most;
  let spotLeft = spotToMove(work.view, headcount);
  for (const member of inOrder(headcount.staying, work)) {
    if (left <= 0) break;
    // If one member of a kind has no better place, the others have none.
    if (settled.has(kindOf(member)) || !mayLeave(member)) continue;
    holdShare(work.tree, member.offering, -1, work.run);
    const found = placeFor(member, work);
    if (found === undefined || !isPlace(found)) {
      holdShare(work.tree, member.offering, 1, work.run);
      settled.add(kindOf(member));
      notYet ??= found;
      continue;
    }
    if (leavesSpot(member, found)) {
      if (spotLeft <= 0) continue;
      spotLeft -= 1;
    }
    const portion = portions.get(keyOf(found)) ?? portionOf(found);
    portions.set(keyOf(found), portion);
    portion.instances.push(member.instance);
    take(member, found, work);
    leave(member);
    left -= 1;
  }
  return { portions: [...portions.values()], notYet };
};

export const workOf = (view: View, patience: Patience, headcount: Headcount): Work => {
  const { losses } = view.state.returns ?? noReturns;
  const prices = pricesIn(view);
  const paid: Work['paid'] = (offering, pool = '') => paidPrice(prices, offering, view.group.pools[pool]);
  return { view, losses, ...groundFor(view, headcount, { memory: memoryForMoves(view, patience, losses) }), paid };
};

export const planFor = (portions: readonly Portion[], view: View): ReturnPlan => ({
  placements: portions.map((portion) => movePlacement(portion, view)),
  reasons: portions.map(({ leaf, turns, instances, isTrial }) => ({
    pool: leaf.pool.name,
    count: instances.length,
    turns,
    ...(isTrial && { lastResort: 'trial' as const }),
  })),
  moves: portions.map(({ leaf, instances, why }) => ({ pool: leaf.pool.name, instances, why })),
});

/**
 * Launches that let these members move to better places. They name only the better offerings, so that no launch goes
 * elsewhere after a refusal. At most `most` members move.
 *
 * - **tiered**: a member moves to the first earlier tier that takes launches.
 * - **cheapest**: a member moves to the present choice of the node, if it is cheaper by a worthwhile saving and the
 *   move pays. While prices are not known, it moves from on-demand to spot.
 * - **spread** and **weighted** choose where the replacement goes below the better place.
 */
export const planReturn = (work: Work, headcount: Headcount, most: number): ReturnPlan => {
  const { portions, notYet } = choose(headcount, most, work);
  return { ...planFor(portions, work.view), ...(notYet && { notYet }) };
};
