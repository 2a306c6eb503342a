import { isOnDemand, owedIn } from '../placement/on-demand.ts';
import type { Member, View } from '../view/view.ts';
import type { Account } from './releasable.ts';

/** Members that may leave while the group keeps what it owes on demand. Members on spot always may. */
export const beyondFloor = (view: View, members: readonly Member[]): Account => {
  const onDemand = new Set(members.filter(isOnDemand).map(({ instance }) => instance));
  let left = onDemand.size - owedIn(view);
  return {
    allows: (instance) => left > 0 || !onDemand.has(instance),
    take: (instance) => {
      if (onDemand.has(instance)) left -= 1;
    },
  };
};
