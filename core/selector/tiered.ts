import * as z from 'zod/mini';
import { map } from '../policy/field.ts';
import type { CapacityNode } from './selector.ts';
import type { SelectorKind } from './selector-kind.ts';
import { closed } from './standing.ts';
import { candidatesOf, canGive, isOpen } from './tree.ts';
import { listedChildren, noProblems, type WrittenKind } from './written-kind.ts';

/** How a user writes it: the preferred child first. */
export type WrittenTiered = { readonly tiered: readonly CapacityNode[] };

/** The first eligible child, even if only its last-resort offerings are left. */
export const tiered: SelectorKind = {
  movesFor: 'tier',
  rankOf: ([first]) => first?.node.rank ?? closed,
  choose: (branch) => candidatesOf(branch)[0],
  turnOf: ({ choices }, { index }) => ({ kind: 'tiered', tier: index + 1, of: choices.length }),
  undo: (_, candidates) => candidates.at(-1),
  priced: ({ choices }) => choices.filter(canGive),
  // A tier was passed over if it had nothing eligible at the last choice and a later tier was taken.
  wasPassedOver: ({ furthest }, { node, index }) => !isOpen(node) && index < furthest,
};

export const writtenTiered: WrittenKind<WrittenTiered> = {
  schema: (of) =>
    map({ tiered: of.list('Pool names and selectors, the preferred one first.') }, 'a map with tiered').check(
      z.describe('The first eligible child. The decision records why earlier tiers were passed over.'),
    ),
  holdsSelectors: true,
  countsMembers: false,
  childrenOf: listedChildren,
  problems: noProblems,
  resolve: ({ tiered: children }, of) => ({ kind: 'tiered', children: children.map(of.child) }),
};
