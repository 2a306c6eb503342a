import { unnoticed as unnoticedIn } from '../asg-ledger.ts';
import type { Rule } from './rule.ts';

/** Leaving instances that their Auto Scaling group still counts and would replace, although we replace them. */
export const unnoticed: Rule = {
  name: 'unnoticed',
  propose: ({ view }, { lack }) => ({ unnoticed: unnoticedIn(view, -lack) }),
};
