import { groupsToTakeOver } from '../asg-ledger.ts';
import type { Rule } from './rule.ts';

/** Auto Scaling groups that are short and do not refill themselves. */
export const takeOver: Rule = {
  name: 'groups to take over',
  propose: ({ view }) => ({ takeOver: groupsToTakeOver(view) }),
};
