import type { GroupState } from './view.ts';

/** Auto Scaling groups with changes that are to be put back: a raised maximum, an addition or suspended processes. */
export const notedAsgs = ({ raised, added = [], suspended = [] }: GroupState): ReadonlySet<string> =>
  new Set([...raised, ...added, ...suspended].map(({ asg }) => asg));
