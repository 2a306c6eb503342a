import type { Offering } from '../pool/offering.ts';
import type { Tree } from './grow.ts';
import type { Run } from './pick.ts';
import { quoteOfferings } from './quote.ts';
import { closed, type Market, type Rank, standingOf, trialRank } from './standing.ts';
import { type Leaf, rerank } from './tree.ts';

/** Updates what a leaf can give by its shares. */
const refit = (leaf: Leaf, market: Market, step: number): void => {
  const { offerings, opensAt, resting } = standingOf(leaf.pool, leaf.scope, market, leaf.cheapestFirst);
  leaf.offerings = offerings;
  leaf.opensAt = opensAt;
  leaf.resting = resting;
  leaf.quote = quoteOfferings(offerings, leaf.pool, market);
  const rank = leaf.room.held >= leaf.room.cap ? closed : opensAt;
  if (rank !== leaf.rank) rerank(leaf, rank, step);
};

/** Counts a member towards its shares, or no longer. Leaves close when a share is full, and open when it has room. */
export const holdShare = (tree: Tree, offering: Offering, by: number, run: Pick<Run, 'step' | 'closings'>): void => {
  if (tree.market.shares?.add(offering, by) !== true) return;
  for (const leaf of [...tree.leavesOf.values()].flat()) refit(leaf, tree.market, run.step);
  run.closings += 1;
};

/**
 * One launch tests all half-open breakers, so the offerings that they cover give no second one. They come last, so
 * nothing else is left below the nodes that chose one of them.
 */
export const holdTrial = (tree: Tree, opensAt: Rank, { step }: Pick<Run, 'step'>): void => {
  const { breaking } = tree.market;
  if (opensAt !== trialRank || breaking === undefined) return;
  breaking.isTried = true;
  for (const leaf of [...tree.leavesOf.values()].flat()) refit(leaf, tree.market, step);
};
