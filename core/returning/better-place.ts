import { cellOf } from '../placement/held-cells.ts';
import type { Offering, OfferingKey } from '../pool/offering.ts';
import { offeringsOf } from '../pool/pool.ts';
import { worthwhileSaving } from '../selector/cheapest.ts';
import { pick, type Run, type Step } from '../selector/pick.ts';
import { type Branch, type Choice, canGive, choicesAbove, type Leaf, type TreeNode } from '../selector/tree.ts';
import type { Member } from '../view/view.ts';

/** Why a place is better than the one that a member has. */
export type Better =
  /** An earlier tier takes launches. Tiers count from 1. */
  | { readonly code: 'earlier-tier'; readonly tier: number; readonly from: number }
  | { readonly code: 'cheaper'; readonly usdPerHour: number; readonly fromUsdPerHour: number }
  /** Below a `cheapest` node, while prices are not known: spot goes before on-demand. */
  | { readonly code: 'spot-again' }
  /** The group owes `owed` members on demand and has `held`. The place is on demand. */
  | { readonly code: 'on-demand-owed'; readonly owed: number; readonly held: number }
  /** The place is in a child of a spread that holds `held` members. The child of the member holds `fromHeld`. */
  | { readonly code: 'fewer-members'; readonly held: number; readonly fromHeld: number }
  /** The place is in a child of weights that is `below` its share. The child of the member is `fromAbove` its share. */
  | { readonly code: 'below-share'; readonly below: number; readonly fromAbove: number };

/** A better place: where the tree would launch, which offerings of it are better, and why. */
export type BetterPlace = {
  readonly leaf: Leaf;
  readonly way: readonly Step[];
  readonly offerings: readonly Offering[];
  readonly why: Better;
};

export type Look = {
  readonly member: Member;
  readonly run: Run;
  /** What is paid for an instance of an offering in a pool. Undefined when unknown. */
  readonly paid: (offering: Offering, pool: string | undefined) => number | undefined;
};

/** The first earlier tier that can give. */
const inEarlierTier = (branch: Branch, own: Choice, { run }: Look): BetterPlace | undefined => {
  const earlier = branch.choices.find((choice) => choice.index < own.index && canGive(choice));
  if (earlier === undefined) return undefined;
  const picked = pick(earlier.node, run);
  if (picked === undefined) return undefined;
  const { leaf, way } = picked;
  const why = { code: 'earlier-tier', tier: earlier.index + 1, from: own.index + 1 } as const;
  return { leaf, way: [{ branch, choice: earlier }, ...way], offerings: leaf.offerings, why };
};

const cheaper = (leaf: Leaf, way: readonly Step[], { member, paid }: Look): BetterPlace | undefined => {
  const fromUsdPerHour = paid(member.offering, member.pool);
  if (
    fromUsdPerHour === undefined ||
    leaf.offerings.every((offering) => paid(offering, leaf.pool.name) === undefined)
  ) {
    const isSpotAgain = member.offering.market === 'on-demand' && leaf.pool.market === 'spot';
    return isSpotAgain ? { leaf, way, offerings: leaf.offerings, why: { code: 'spot-again' } } : undefined;
  }
  const most = fromUsdPerHour * (1 - worthwhileSaving) + 1e-9;
  const priceOf = (offering: Offering): number => paid(offering, leaf.pool.name) ?? Number.POSITIVE_INFINITY;
  const pays = (offering: Offering): boolean => priceOf(offering) <= most;
  // An Auto Scaling group picks one of its types itself, so each type must be worth the move.
  const isOpenToAll = leaf.pool.asg === undefined || offeringsOf(leaf.pool).every(pays);
  const offerings = isOpenToAll ? leaf.offerings.filter(pays) : [];
  const [first] = offerings;
  if (first === undefined) return undefined;
  return { leaf, way, offerings, why: { code: 'cheaper', usdPerHour: priceOf(first), fromUsdPerHour } };
};

/**
 * The child of a node that counts a member. A pool that several tiers name belongs to the earliest of them, and its
 * members have no earlier tier to return to.
 */
export const ownChoice = (branch: Branch, member: Member): Choice | undefined => {
  const choices = choicesAbove(branch, cellOf(member));
  return branch.selector.movesFor === 'tier' ? choices.toSorted((a, b) => a.index - b.index)[0] : choices[0];
};

/**
 * Whether a price decides between a member's place and another place. Where both are in one child of a `cheapest` node,
 * the selectors below that child decide. A move for the price would break their order, shares or evenness, and another
 * move would undo it.
 */
const isForPrice = (way: readonly Step[], member: Member): boolean => {
  const parting = way.find(({ branch, choice }) => ownChoice(branch, member) !== choice);
  return parting === undefined || parting.branch.selector.movesFor === 'price';
};

/** The present choice of the node, if it costs so much less that a move is worthwhile. */
const atLowerPrice = (branch: Branch, look: Look): BetterPlace | undefined => {
  const picked = pick(branch, look.run);
  return picked && isForPrice(picked.way, look.member) ? cheaper(picked.leaf, picked.way, look) : undefined;
};

const betterIn = (branch: Branch, own: Choice, look: Look): BetterPlace | undefined => {
  if (branch.selector.movesFor === 'tier') return inEarlierTier(branch, own, look);
  return branch.selector.movesFor === 'price' ? atLowerPrice(branch, look) : undefined;
};

/** A better place for a member. The evenness of spreads does not count here. */
export const betterPlace = (root: TreeNode, look: Look): BetterPlace | undefined => {
  let node = root;
  while (node.kind !== 'pool') {
    const own = ownChoice(node, look.member);
    if (own === undefined) return undefined;
    const place = betterIn(node, own, look);
    if (place !== undefined) return place;
    node = own.node;
  }
  return undefined;
};

/** Whether the first of two members is in an earlier tier of the tree than the other one. */
export const isInEarlierTier = (root: TreeNode, one: Member, than: Member): boolean => {
  let node = root;
  while (node.kind !== 'pool') {
    const [own, other] = [ownChoice(node, one), ownChoice(node, than)];
    if (own === undefined || other === undefined) return false;
    if (own !== other) return node.selector.movesFor === 'tier' && own.index < other.index;
    node = own.node;
  }
  return false;
};

/** An offering that rests, and until when. */
type Rest = { readonly offering: OfferingKey; readonly untilMs: number };

/** Only rests that end by themselves. A price that is too high may stay. */
const restsBelow = (node: TreeNode): readonly Rest[] =>
  node.kind === 'pool'
    ? node.resting.flatMap((against) =>
        against.code === 'refused' ||
        against.code === 'boots-failed' ||
        against.code === 'denied' ||
        against.code === 'breaker'
          ? [{ offering: against.offering, untilMs: against.untilMs }]
          : [],
      )
    : node.choices.flatMap((choice) => restsBelow(choice.node));

/** The offering of an earlier tier that rests the shortest. Undefined when no earlier tier has one that rests. */
export const restsBefore = (root: TreeNode, member: Member): Rest | undefined => {
  let node = root;
  while (node.kind !== 'pool') {
    const own = ownChoice(node, member);
    if (own === undefined) return undefined;
    const earlier = node.selector.movesFor === 'tier' ? node.choices.filter(({ index }) => index < own.index) : [];
    const [first] = earlier.flatMap((choice) => restsBelow(choice.node)).toSorted((a, b) => a.untilMs - b.untilMs);
    if (first !== undefined) return first;
    node = own.node;
  }
  return undefined;
};
