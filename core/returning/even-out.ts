import { onDemandToSpare } from '../placement/on-demand.ts';
import { offeringKey } from '../pool/offering.ts';
import { holdShare } from '../selector/hold.ts';
import { type Picked, pick } from '../selector/pick.ts';
import type { SelectorKind } from '../selector/selector-kind.ts';
import { trialRank } from '../selector/standing.ts';
import type { Branch, Choice, TreeNode } from '../selector/tree.ts';
import { apartByWeight, tiny } from '../selector/weighted.ts';
import type { Headcount } from '../view/headcount.ts';
import type { Member } from '../view/view.ts';
import { type Better, type BetterPlace, ownChoice, restsBefore } from './better-place.ts';
import { leaveOf } from './ground.ts';
import { inOrder, kindOf, type Portion, planFor, portionOf, type ReturnPlan, take, type Work } from './plan-return.ts';

/** A place that evens out a spread or weights, and how far apart the two children are. */
type EvenerPlace = {
  readonly place: BetterPlace;
  /** The node that evens out. */
  readonly branch: Branch;
  readonly gap: number;
  /** How full the children of the member are, below the node that evens out. */
  readonly fullness: readonly number[];
};

/** Finds the place that evens out a node, for a member in one of its children. */
type FindPlace = (
  branch: Branch,
  own: Choice,
  member: Member,
  work: Work,
) => Pick<EvenerPlace, 'place' | 'gap'> | undefined;

const placeIn = ({ leaf, way }: Picked, why: Better): BetterPlace => ({ leaf, way, offerings: leaf.offerings, why });

/**
 * Whether a launch there surely evens out: it is no trial of a breaker, and it gets the wanted instance type. An Auto
 * Scaling group of several types picks one itself.
 */
const isSure = ({ leaf: { opensAt, scope, pool } }: Picked): boolean =>
  opensAt !== trialRank &&
  (scope.instanceType === undefined || pool.asg === undefined || pool.instanceTypes.length === 1);

/**
 * The place where a `spread` would launch now, if its child holds two members fewer than the member's own child. After
 * the move the two differ by no more than a spread allows, so no member moves back.
 */
const inFewest: FindPlace = (branch, own, member, { run }) => {
  const picked = pick(branch, run);
  const choice = picked?.way[0]?.choice;
  if (picked === undefined || choice === undefined || own.tally.count - choice.tally.count < 2) return undefined;
  // Evenness does not justify a higher price.
  if (picked.leaf.pool.market !== member.offering.market || !isSure(picked)) return undefined;
  const why = { code: 'fewer-members', held: choice.tally.count, fromHeld: own.tally.count } as const;
  return { place: placeIn(picked, why), gap: own.tally.count - choice.tally.count };
};

/** Shares do not justify a higher price. A move from on-demand to spot is allowed. */
const isNoDearerMarket = ({ leaf }: Picked, { offering }: Member): boolean =>
  offering.market === 'on-demand' || leaf.pool.market === 'spot';

/**
 * The child of weights that is furthest below its share, if the member's own child is at least one member above its
 * own. After the move neither child is a whole member above, so no member moves back.
 */
const belowShare: FindPlace = (branch, own, member, { run }) => {
  const { above, lean } = apartByWeight(branch, own);
  if (above < 1 - tiny) return undefined;
  for (const { choice, below } of lean) {
    const picked = pick(choice.node, run);
    if (picked === undefined || !isSure(picked) || !isNoDearerMarket(picked, member)) continue;
    const way = [{ branch, choice }, ...picked.way];
    return { place: placeIn({ ...picked, way }, { code: 'below-share', below, fromAbove: above }), gap: above + below };
  }
  return undefined;
};

/** How nodes are evened out, and how full a child of them is. */
type Evener = { readonly find: FindPlace; readonly fullness: (branch: Branch, own: Choice) => number };

const eveners: Partial<Readonly<Record<SelectorKind['movesFor'], Evener>>> = {
  counts: { find: inFewest, fullness: (_branch, own) => own.tally.count },
  shares: { find: belowShare, fullness: (branch, own) => apartByWeight(branch, own).above },
};

/** How full the children of a member are, from this node down. */
const fullnessBelow = (from: TreeNode, member: Member): readonly number[] => {
  if (from.kind === 'pool') return [];
  const own = ownChoice(from, member);
  return own === undefined
    ? []
    : [eveners[from.selector.movesFor]?.fullness(from, own) ?? 0, ...fullnessBelow(own.node, member)];
};

/** Whether members move for the sake of evenness below a node. */
export const isEvenedOut = ({ selector }: Branch): boolean => eveners[selector.movesFor] !== undefined;

/**
 * A place that evens out a spread or weights above a member. A member that will move to an earlier tier, once this tier
 * takes launches, stays until then.
 */
const evenerPlace = (member: Member, work: Work): EvenerPlace | undefined => {
  const { root } = work.tree;
  if (restsBefore(root, member) !== undefined) return undefined;
  let node = root;
  while (node.kind !== 'pool') {
    const own = ownChoice(node, member);
    if (own === undefined) return undefined;
    const place = eveners[node.selector.movesFor]?.find(node, own, member, work);
    if (place !== undefined) return { ...place, branch: node, fullness: fullnessBelow(own.node, member) };
    node = own.node;
  }
  return undefined;
};

type Move = EvenerPlace & { readonly member: Member };

/** Whether one move evens out more: by its gap, and at equal gaps by how full the children below are. */
const isWider = (one: EvenerPlace, than: EvenerPlace): boolean => {
  const ours = [one.gap, ...one.fullness];
  const theirs = [than.gap, ...than.fullness];
  const first = ours.findIndex((full, index) => Math.abs(full - (theirs[index] ?? 0)) > tiny);
  return (ours[first] ?? 0) > (theirs[first] ?? 0);
};

/** The moves that even out now: one for each kind of member. */
const movesOf = (members: readonly Member[], work: Work): readonly Move[] => {
  const { tree, run } = work;
  return [...Map.groupBy(members, kindOf).values()].flatMap(([member]) => {
    if (member === undefined) return [];
    // Without this member, its share may have room.
    holdShare(tree, member.offering, -1, run);
    const found = evenerPlace(member, work);
    holdShare(tree, member.offering, 1, run);
    return found === undefined ? [] : [{ ...found, member }];
  });
};

/** The move that evens out most. Starting with the fullest child keeps the number of moves small. */
const widest = (moves: readonly Move[]): Move | undefined =>
  moves.reduce<Move | undefined>((best, move) => (best === undefined || isWider(move, best) ? move : best), undefined);

/**
 * Launches that even out the spreads and the shares of the tree. Members of the fullest child move to the child that
 * would be chosen now. The plan ends when no two children that take launches differ by more than one member, and none
 * is a whole member above its share. At most `most` members move.
 *
 * A member moves only if it would also move alone. EC2 may refuse the launches of the other moves.
 */
export const planEvenOut = (work: Work, headcount: Headcount, most: number): ReturnPlan => {
  const { view, tree, run } = work;
  const { mayLeave, leave } = leaveOf(view, onDemandToSpare(view, headcount));
  const portions = new Map<string, Portion>();
  let members = inOrder(headcount.staying, work);
  const alone = new Map(movesOf(members, work).map(({ member, branch }) => [kindOf(member), branch]));
  for (let left = most; left > 0; left -= 1) {
    members = members.filter(mayLeave);
    const move = widest(movesOf(members, work).filter(({ member, branch }) => alone.get(kindOf(member)) === branch));
    if (move === undefined) break;
    const { member, place, branch } = move;
    // Each node has its own reason.
    const key = [branch.key, place.leaf.path, ...place.offerings.map(offeringKey)].join('|');
    const portion = portions.get(key) ?? portionOf(place);
    portions.set(key, portion);
    portion.instances.push(member.instance);
    members = members.filter((one) => one !== member);
    holdShare(tree, member.offering, -1, run);
    take(member, place, work);
    leave(member);
  }
  return planFor([...portions.values()], view);
};
