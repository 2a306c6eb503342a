import type { Chronicle } from '../chronicle.ts';
import type { Policy, TreeNode } from '../policy/policy.ts';
import { offeringsOf } from '../policy/pools.ts';
import { poolsOf, selectorOf, usedPools } from '../policy/tree.ts';
import type { OfferingName } from '../world/cloud.ts';
import { givingOf, isAtRisk, type Moment } from './giving.ts';

/** Where and when a function looks for capacity, and its bounds: below a spread by zone, the chosen zone. */
export type Search = {
  readonly chronicle: Chronicle;
  readonly policy: Policy;
  readonly moment: Moment;
  readonly within?: (offering: OfferingName) => boolean;
};

const isWithin = ({ within }: Search, offering: OfferingName): boolean => within === undefined || within(offering);

/** Whether the pools below a node would have given one more, even if only offerings at risk did. */
export const givesAtAll = (search: Search, node: TreeNode): boolean =>
  usedPools(search.policy, node).some((pool) =>
    givingOf(search.chronicle, search.policy, pool, search.moment).some((offering) => isWithin(search, offering)),
  );

const mayBeUsedLast = (search: Search, node: TreeNode): boolean =>
  usedPools(search.policy, node)
    .flatMap(offeringsOf)
    .some((offering) => isWithin(search, offering) && isAtRisk(search.chronicle, offering, search.moment));

/**
 * Offerings below a node that would have given one more, and that Holdfast had to prefer to all at risk. A later tier does not count while an earlier
 * tier may still have given an offering at risk, because the earlier tier comes first.
 */
export const givingWell = (search: Search, node: TreeNode): readonly OfferingName[] => {
  const selector = selectorOf(node);
  if (selector === undefined)
    return poolsOf(search.policy, node).flatMap((pool) =>
      givingOf(search.chronicle, search.policy, pool, search.moment).filter(
        (offering) => isWithin(search, offering) && !isAtRisk(search.chronicle, offering, search.moment),
      ),
    );
  const used = selector.children.filter((_, index) => selector.weights[index] !== 0);
  if (selector.kind !== 'tiered') return used.flatMap((child) => givingWell(search, child));
  for (const child of used) {
    const found = givingWell(search, child);
    if (found.length > 0 || mayBeUsedLast(search, child)) return found;
  }
  return [];
};
