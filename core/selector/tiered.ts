import type { SelectorKind } from './selector-kind.ts';
import { closed } from './standing.ts';
import { candidatesOf, canGive, isOpen } from './tree.ts';

/** The first eligible child, even if only its last-resort offerings are left. */
export const tiered: SelectorKind = {
  rankOf: ([first]) => first?.node.rank ?? closed,
  choose: (branch) => candidatesOf(branch)[0],
  turnOf: ({ choices }, { index }) => ({ kind: 'tiered', tier: index + 1, of: choices.length }),
  undo: (_, candidates) => candidates.at(-1),
  priced: ({ choices }) => choices.filter(canGive),
  // A tier was passed over if it had nothing eligible at the last choice and a later tier was taken.
  wasPassedOver: ({ furthest }, { node, index }) => !isOpen(node) && index < furthest,
};
