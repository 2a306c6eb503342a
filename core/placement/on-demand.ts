import type { Headcount } from '../view/headcount.ts';
import type { Member, View } from '../view/view.ts';

/** How many members are kept on demand (`onDemand` of a policy): the larger of the two. */
export type OnDemandFloor = { readonly floor: number; readonly percent: number };

/** How many members of a group of this size are owed on demand. A share is rounded up. The most is the size. */
export const owedOnDemand = ({ floor, percent }: OnDemandFloor, size: number): number =>
  Math.min(size, Math.max(floor, Math.ceil((size * percent) / 100 - 1e-9)));

/** How many members a group owes on demand, by its policy and its desired size. None without `onDemand`. */
export const owedIn = ({ group, state }: Pick<View, 'group' | 'state'>): number =>
  group.onDemand === undefined ? 0 : owedOnDemand(group.onDemand, state.desired);

export const isOnDemand = ({ offering }: Pick<Member, 'offering'>): boolean => offering.market === 'on-demand';

const coming = ({ inFlight }: Headcount): number =>
  inFlight.filter(({ offerings: [first] }) => first?.market === 'on-demand').reduce((sum, { count }) => sum + count, 0);

/** Members on demand that stay and have no waiting swap. */
const lasting = ({ staying, waiting }: Headcount): number => {
  const waits = new Set(waiting.map(({ instance }) => instance));
  return staying.filter((member) => isOnDemand(member) && !waits.has(member.instance)).length;
};

/** How many members on demand stay or come, without those that wait to be replaced. */
export const onDemandForGood = (headcount: Headcount): number => lasting(headcount) + coming(headcount);

/** How many members on demand are present or coming, including those that wait to be replaced. */
export const onDemandNow = (headcount: Headcount): number =>
  headcount.staying.filter(isOnDemand).length +
  headcount.holdingPlace.filter(({ offering }) => offering.endsWith('/on-demand')).length +
  coming(headcount);

/** How many of the present members on demand the group has beyond what it owes. */
export const onDemandToSpare = (view: View, headcount: Headcount): number =>
  view.group.onDemand === undefined ? Number.POSITIVE_INFINITY : Math.max(0, lasting(headcount) - owedIn(view));
