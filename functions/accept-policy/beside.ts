import { items } from '../../core/contract.ts';
import { nearestName, type Problem, problemOf, showFound } from '../../core/policy/problem.ts';

/** Attributes of a policy item that are not read. One of them may be a field of the document in the wrong place. */
export const attributesBeside = (names: readonly string[]): readonly Problem[] =>
  names.map((name) =>
    problemOf({
      path: [name],
      found: `the attribute ${showFound(name)}, which is not read`,
      allowed: 'no attribute other than policy',
    }),
  );

/** Items of a group under an unknown sort key. One may be a policy under a misspelt key. */
export const itemsBeside = (sortKeys: readonly string[]): readonly Problem[] =>
  sortKeys.map((key) =>
    problemOf({
      path: ['item'],
      found: showFound(key),
      allowed: `the sort key ${showFound(items.policy)}`,
      nearest: nearestName(key, [items.policy]),
    }),
  );
