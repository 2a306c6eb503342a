import { nearestName, type Problem, problemOf, showFound } from '../../core/policy/problem.ts';
import { items } from '../contract.ts';

/** Attributes of a policy item that are not read. One of them may be a field of the document in the wrong place. */
export const attributesBeside = (names: readonly string[]): readonly Problem[] =>
  names.map((name) =>
    problemOf({
      path: [name],
      found: `the attribute ${showFound(name)} beside policy`,
      allowed: 'the attribute policy alone: this one is not read',
    }),
  );

/** Items of a group that somebody wrote under a sort key of his own. One may be a policy under a misspelt key. */
export const itemsBeside = (sortKeys: readonly string[]): readonly Problem[] =>
  sortKeys.map((key) =>
    problemOf({
      path: ['item'],
      found: showFound(key),
      allowed: `${showFound(items.policy)} as the sort key: no other item is read`,
      nearest: nearestName(key, [items.policy]),
    }),
  );
