import { isOnDemand } from '../placement/on-demand.ts';
import { keptButForShares, sparesWanted } from '../placement/spare.ts';
import { sizeNow } from '../view/size-now.ts';
import type { Member, View } from '../view/view.ts';
import type { Account } from './releasable.ts';

/**
 * Members on spot that may leave while no spare is missing without them. Otherwise the next look would launch one of
 * them again: those above the size may be on demand, and EC2 may not let these go. Members on demand always may leave,
 * and so may unhealthy ones.
 */
export const beyondSpares = (view: View, members: readonly Member[]): Account => {
  const wanted = sparesWanted(view);
  const spot = members.filter((member) => wanted > 0 && !isOnDemand(member) && !member.unhealthy);
  const kept = new Set(spot.map(({ instance }) => instance));
  let left = members.length - sizeNow(view) - wanted + keptButForShares(view, members);
  return {
    allows: (instance) => left > 0 || !kept.has(instance),
    take: () => {
      left -= 1;
    },
  };
};
