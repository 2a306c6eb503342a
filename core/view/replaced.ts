import type { GroupState } from './view.ts';

/**
 * Members that launches of a moment ago replace. Instances that ended are no longer among those of their launch, so as
 * many of its members, from the last one on, are to be replaced again.
 */
export const replacedIn = ({ reservations }: Pick<GroupState, 'reservations'>): ReadonlySet<string> =>
  new Set(reservations.flatMap(({ replaces, instances }) => replaces.slice(0, instances?.length)));
