import { onDemandToSpare } from '../placement/on-demand.ts';
import { offeringKey } from '../pool/offering.ts';
import { holdShare } from '../selector/hold.ts';
import { pick } from '../selector/pick.ts';
import { trialRank } from '../selector/standing.ts';
import type { Branch, Choice } from '../selector/tree.ts';
import type { Headcount } from '../view/headcount.ts';
import type { Member } from '../view/view.ts';
import { type Better, type BetterPlace, ownChoice, restsBefore } from './better-place.ts';
import { leaveOf } from './ground.ts';
import { inOrder, kindOf, type Portion, planFor, portionOf, type ReturnPlan, take, type Work } from './plan-return.ts';

/** A place that evens out a spread. */
type EvenerPlace = BetterPlace & { readonly why: Extract<Better, { readonly code: 'fewer-members' }> };

/**
 * Where a `spread` would launch now, when that child holds two members fewer than the one that a member is in. After
 * the move they are at most as far apart as a spread leaves its children, so nobody moves back.
 */
const inFewest = (branch: Branch, own: Choice, member: Member, { run }: Work): EvenerPlace | undefined => {
  const picked = pick(branch, run);
  const choice = picked?.way[0]?.choice;
  if (picked === undefined || choice === undefined || own.tally.count - choice.tally.count < 2) return undefined;
  const { leaf, way } = picked;
  // Evenness is worth no higher price, and no launch that finds out whether interruptions are over.
  if (leaf.pool.market !== member.offering.market || leaf.opensAt === trialRank) return undefined;
  const why = { code: 'fewer-members', held: choice.tally.count, fromHeld: own.tally.count } as const;
  return { leaf, way, offerings: leaf.offerings, why };
};

/**
 * A place that evens out a spread above a member. Members that go to an earlier tier as soon as it takes launches stay
 * where they are until then.
 */
const evenerPlace = (member: Member, work: Work): EvenerPlace | undefined => {
  const { root } = work.tree;
  if (restsBefore(root, member) !== undefined) return undefined;
  let node = root;
  while (node.kind !== 'pool') {
    const own = ownChoice(node, member);
    if (own === undefined) return undefined;
    const place = node.kind === 'spread' ? inFewest(node, own, member, work) : undefined;
    if (place !== undefined) return place;
    node = own.node;
  }
  return undefined;
};

type Move = { readonly member: Member; readonly place: EvenerPlace };

const gapOf = ({ place: { why } }: Move): number => why.fromHeld - why.held;

/** The move that evens out most: the fullest child gives first, so that no more members move than must. */
const widest = (members: readonly Member[], work: Work): Move | undefined => {
  const { tree, run } = work;
  let best: Move | undefined;
  for (const [member] of Map.groupBy(members, kindOf).values()) {
    if (member === undefined) continue;
    // A share that is full by this member has room without it.
    holdShare(tree, member.offering, -1, run);
    const place = evenerPlace(member, work);
    holdShare(tree, member.offering, 1, run);
    const move = place && { member, place };
    if (move !== undefined && (best === undefined || gapOf(move) > gapOf(best))) best = move;
  }
  return best;
};

/**
 * Launches that even out the spreads of the tree: a member of the fullest child moves to the one that the spread would
 * choose now, until no two that take launches are more than one apart. At most `most` members move.
 */
export const planEvenOut = (work: Work, headcount: Headcount, most: number): ReturnPlan => {
  const { view, tree, run } = work;
  const { mayLeave, leave } = leaveOf(view, onDemandToSpare(view, headcount));
  const portions = new Map<string, Portion>();
  let members = inOrder(headcount.staying, work);
  for (let left = most; left > 0; left -= 1) {
    members = members.filter(mayLeave);
    const move = widest(members, work);
    if (move === undefined) break;
    const { member, place } = move;
    const key = [place.leaf.path, ...place.offerings.map(offeringKey)].join('|');
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
