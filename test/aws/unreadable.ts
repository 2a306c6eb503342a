import type { TellUnreadable } from '../../aws/state/unreadable.ts';

/** For tests in which every stored item can be read. */
export const throwUnreadable: TellUnreadable = ({ item, problems }) => {
  throw new Error(`${item} could not be read in full: ${problems.join('; ')}`);
};
