import * as z from 'zod/mini';
import { map, oneOf } from '../policy/field.ts';
import { problemOf } from '../policy/problem.ts';
import { asMap, fieldOf } from '../policy/reading.ts';
import { amongBest } from './among-best.ts';
import { lastBest } from './last-best.ts';
import type { CapacityNode, SpreadBy } from './selector.ts';
import type { SelectorKind } from './selector-kind.ts';
import { type Branch, type Choice, candidatesOf } from './tree.ts';
import { listedChildren, type WrittenKind } from './written-kind.ts';

/** How a user writes it: a list with `by` beside it, or both in one map. */
export type WrittenSpread = {
  readonly spread:
    | readonly CapacityNode[]
    | { readonly of: readonly CapacityNode[]; readonly by?: SpreadBy | undefined };
  readonly by?: SpreadBy | undefined;
};

const fewestHeld = (branch: Branch): Choice | undefined => {
  let best: Choice | undefined;
  for (const choice of candidatesOf(branch)) {
    if (best === undefined || choice.tally.count < best.tally.count) best = choice;
  }
  return best;
};

/** The eligible child with the fewest members. Ties are broken in configured order. */
export const spread: SelectorKind = {
  ...amongBest,
  movesFor: 'counts',
  choose: fewestHeld,
  turnOf: ({ by = 'zone' }, { name, tally }) => ({ kind: 'spread', by, name, held: tally.count }),
  undo: (_, candidates) => lastBest(candidates, ({ tally }) => tally.count),
};

export const writtenSpread: WrittenKind<WrittenSpread> = {
  schema: (of) => {
    const by = z.optional(
      oneOf(['zone', 'pool', 'instance-type']).check(z.describe('What the spread counts by. Default: pool.')),
    );
    const children = of.list('Pool names and selectors to spread over.');
    const either = z
      .union([children, map({ of: children, by }, 'a map with of and by')], {
        error: 'a list of at least one pool name or selector, or a map with of and by',
      })
      .check(z.describe('What to spread over: a list, with `by` beside it, or both in one map.'));
    return map({ spread: either, by }, 'a map with spread').check(
      z.describe('The eligible child with the fewest members, launches in flight counted; ties in the order written.'),
    );
  },
  holdsSelectors: true,
  countsMembers: true,
  childrenOf: (value, path) =>
    asMap(value) ? listedChildren(fieldOf(value, 'of'), [...path, 'of']) : listedChildren(value, path),
  problems: (node, path) =>
    fieldOf(node, 'by') !== undefined && fieldOf(fieldOf(node, 'spread'), 'by') !== undefined
      ? [
          problemOf({
            path: [...path.slice(0, -1), 'by'],
            found: 'by a second time',
            allowed: 'by once: next to spread, or in its map',
          }),
        ]
      : [],
  resolve: ({ spread: written, by: beside }, resolvers) => {
    const { of, by = 'pool' } = 'of' in written ? written : { of: written, by: beside };
    return { kind: 'spread', by, children: of.map(by === 'zone' ? resolvers.childInZone : resolvers.child) };
  },
};
