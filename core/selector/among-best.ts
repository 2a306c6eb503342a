import type { SelectorKind } from './selector-kind.ts';
import { closed } from './standing.ts';
import { candidatesOf } from './tree.ts';

/** For selectors that pick among all children of the best rank. */
export const amongBest: Pick<SelectorKind, 'rankOf' | 'priced' | 'wasPassedOver'> = {
  rankOf: (giving) => giving.reduce((best, { node }) => Math.min(best, node.rank), closed),
  priced: candidatesOf,
  // Another child had something better.
  wasPassedOver: ({ visitedRank }, { node }) => node.rank > visitedRank,
};
