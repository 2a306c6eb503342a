import type { PlacementReason } from '../decision.ts';
import type { Headcount } from '../headcount.ts';
import { cellOf, cellOfLaunch } from '../held.ts';
import { type Offering, type OfferingKey, offeringKey } from '../offering.ts';
import { isOnDemand, onDemandToSpare } from '../on-demand.ts';
import type { Placement } from '../placement.ts';
import { closeFullPools } from '../plan-placements.ts';
import { poolsWithinMaxima } from '../plan-within-maxima.ts';
import { offeringsOf } from '../pool.ts';
import { type Lesson, notSoldRestMs, type PoolMemory } from '../pool-memory.ts';
import { paidPrice, pricesIn } from '../price.ts';
import { growTree, type Tree } from '../selector/grow.ts';
import { type Run, turnsOf } from '../selector/pick.ts';
import { restingSubnets } from '../selector/standing.ts';
import type { Member, View } from '../view.ts';
import { type Better, type BetterPlace, betterPlace, restsBefore } from './better-place.ts';
import { backsOffUntil, expectedLifeMs, type Loss, noReturns, pays } from './memory.ts';
import type { Returning } from './returning.ts';

/** Why members that have a better place stay where they are, for now. */
export type NotYet =
  /**
   * The better offerings were refused, denied or warned about lately, or members died or were interrupted there soon.
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

type Portion = BetterPlace & { readonly instances: string[] };

type Work = {
  readonly view: View;
  readonly losses: readonly Loss[];
  readonly tree: Tree;
  readonly run: Run;
  /** What is paid for an instance of an offering in a pool. Undefined when unknown. */
  readonly paid: (offering: Offering, pool: string | undefined) => number | undefined;
};

const kindOf = ({ pool, offering }: Member): string => `${pool}|${offeringKey(offering)}`;

/** On-demand before spot, then the dearest, then the youngest, which has the least work to lose. */
const inOrder = (members: readonly Member[], { paid }: Work): readonly Member[] => {
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

/** The longest that refusals put off a move. Members that stay on demand meanwhile cost more than one call. */
const longestWaitMs = 20 * 60_000;

/** How long a lesson restricts an offering for moves. What a zone does not sell at all rests in full. */
const restsUntil = ({ atMs, coolingUntilMs }: Lesson, afterMs: number): number => {
  const restMs = coolingUntilMs - atMs;
  return atMs + Math.max(afterMs, restMs < notSoldRestMs ? Math.min(restMs, longestWaitMs) : restMs);
};

/**
 * What was learned, as it counts for moves: an offering rests until nothing was heard against it for long enough, and
 * for longer where members that moved there were interrupted soon.
 */
const memoryForMoves = ({ group, state, nowMs }: View, { afterMs }: Returning, losses: readonly Loss[]): PoolMemory => {
  const offerings = new Set(Object.values(group.pools).flatMap(offeringsOf).map(offeringKey));
  const rests = [...offerings].flatMap((key): readonly (readonly [string, Lesson])[] => {
    const lesson = state.memory[key];
    const heardMs = lesson === undefined ? 0 : restsUntil(lesson, afterMs);
    const coolingUntilMs = Math.max(heardMs, backsOffUntil(losses, key, afterMs));
    if (coolingUntilMs <= nowMs) return [];
    const { code, atMs, streak } = lesson ?? { code: 'interruption', atMs: nowMs, streak: 0 };
    return [[key, { kind: 'refused', code, atMs, streak, coolingUntilMs }]];
  });
  const others = Object.entries(state.memory).filter(([key]) => !offerings.has(key as OfferingKey));
  return Object.fromEntries([...others, ...rests]);
};

const paysThere = (offering: Offering, { leaf, why }: BetterPlace, { paid, losses }: Work): boolean => {
  if (why.code !== 'cheaper') return true;
  const usdPerHour = paid(offering, leaf.pool.name);
  const lifeMs = expectedLifeMs(losses, offeringKey(offering));
  return usdPerHour === undefined || pays(why.fromUsdPerHour, usdPerHour, lifeMs);
};

/** The place less the offerings where the move would not pay; or what speaks against all of them. */
const usable = (place: BetterPlace, work: Work): BetterPlace | NotYet => {
  const paying = place.offerings.filter((offering) => paysThere(offering, place, work));
  const [offering] = place.offerings;
  if (paying.length > 0 || place.why.code !== 'cheaper' || offering === undefined)
    return { ...place, offerings: paying };
  const { usdPerHour, fromUsdPerHour } = place.why;
  const lifeMs = Math.round(expectedLifeMs(work.losses, offeringKey(offering)));
  return { code: 'would-not-pay', offering: offeringKey(offering), usdPerHour, fromUsdPerHour, lifeMs };
};

const placeFor = (member: Member, work: Work): BetterPlace | NotYet | undefined => {
  const place = betterPlace(work.tree.root, { member, run: work.run, paid: work.paid });
  if (place !== undefined) return usable(place, work);
  const rest = restsBefore(work.tree.root, member);
  return rest && { code: 'resting', ...rest };
};

const isPlace = (found: BetterPlace | NotYet): found is BetterPlace => 'leaf' in found;

/** Counts the replacement where it will be, so that the next one is placed beside it. */
const take = (member: Member, place: BetterPlace, { tree, run }: Work): void => {
  if (place.offerings.length === 0) return;
  const pool = place.leaf.pool.name;
  tree.count(cellOf(member), -1);
  tree.count(cellOfLaunch({ pool, offerings: place.offerings }), 1);
  closeFullPools(tree, pool, run);
};

const keyOf = ({ leaf, offerings, why }: BetterPlace): string =>
  [leaf.path, ...offerings.map(offeringKey), JSON.stringify(why)].join('|');

/**
 * Whether a member may leave: what its user protects stays, and as many as the minimum size of its Auto Scaling group
 * keeps. In a group that replacements join as well, each of them makes room for one.
 *
 * @param onDemand so many of those on demand may leave
 */
export const leaveOf = ({ asgs, group: { holding } }: View, onDemand = Number.POSITIVE_INFINITY) => {
  let onDemandLeft = onDemand;
  const room = new Map(asgs.map(({ name, desired, min }) => [name, desired - min]));
  const isJoined = (asg: string): boolean => holding.kind === 'attach' && holding.asg === asg;
  return {
    mayLeave: (member: Member): boolean =>
      !member.protected &&
      member.pool !== undefined &&
      (onDemandLeft > 0 || !isOnDemand(member)) &&
      (member.asg === undefined || isJoined(member.asg) || (room.get(member.asg) ?? 0) > 0),
    leave: (member: Member): void => {
      const { asg } = member;
      if (isOnDemand(member)) onDemandLeft -= 1;
      if (asg !== undefined) room.set(asg, (room.get(asg) ?? 0) - 1);
    },
  };
};

const choose = (headcount: Headcount, most: number, work: Work) => {
  const { mayLeave, leave } = leaveOf(work.view, onDemandToSpare(work.view, headcount));
  const portions = new Map<string, Portion>();
  const settled = new Set<string>();
  let notYet: NotYet | undefined;
  let left = most;
  for (const member of inOrder(headcount.staying, work)) {
    if (left <= 0) break;
    // Members of one kind have the same places: when one of them has none now, neither have the others.
    if (settled.has(kindOf(member)) || !mayLeave(member)) continue;
    const found = placeFor(member, work);
    if (found === undefined || !isPlace(found)) {
      settled.add(kindOf(member));
      notYet ??= found;
      continue;
    }
    const portion = portions.get(keyOf(found)) ?? { ...found, instances: [] };
    portions.set(keyOf(found), portion);
    portion.instances.push(member.instance);
    take(member, found, work);
    leave(member);
    left -= 1;
  }
  return { portions: [...portions.values()], notYet };
};

const workOf = (view: View, rule: Returning, { staying, inFlight }: Headcount): Work => {
  const { group, state, nowMs } = view;
  const { losses } = state.returns ?? noReturns;
  const prices = pricesIn(view);
  const market = {
    ...(state.failedBoots && { failedBoots: state.failedBoots }),
    ...(state.denials && { denials: state.denials }),
    prices,
    memory: memoryForMoves(view, rule, losses),
    nowMs,
  };
  const tree = growTree(group.capacity, poolsWithinMaxima(view), market);
  for (const member of staying) tree.count(cellOf(member), 1);
  for (const launch of inFlight) tree.count(cellOfLaunch(launch), launch.count);
  const run: Run = { cheapest: { ...state.cheapest }, step: 0, closings: 0, settled: new Map() };
  for (const pool of tree.leavesOf.keys()) closeFullPools(tree, pool, run);
  const paid: Work['paid'] = (offering, pool = '') => paidPrice(prices, offering, group.pools[pool]);
  return { view, losses, tree, run, paid };
};

const placementOf = ({ leaf, offerings, instances }: Portion, { state, nowMs }: View): Placement => {
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
 * Launches that let these members move to better places: limited to the better offerings, so that a refusal is followed
 * by no launch elsewhere. At most `most` members move.
 *
 * - **tiered**: a member moves to the first earlier tier that takes launches.
 * - **cheapest**: a member moves to what the node would choose now, where that is cheaper by a worthwhile saving and
 *   the move pays. While prices are not known, it moves from on-demand to spot.
 * - **spread** and **weighted** are no reason to move; they decide where below the better place the replacement goes.
 */
export const planReturn = (view: View, rule: Returning, headcount: Headcount, most: number): ReturnPlan => {
  const { portions, notYet } = choose(headcount, most, workOf(view, rule, headcount));
  return {
    placements: portions.map((portion) => placementOf(portion, view)),
    reasons: portions.map(({ leaf, way, instances }) => ({
      pool: leaf.pool.name,
      count: instances.length,
      turns: turnsOf(way),
    })),
    moves: portions.map(({ leaf, instances, why }) => ({ pool: leaf.pool.name, instances, why })),
    ...(notYet && { notYet }),
  };
};
