import { isOpen } from '../launch/reservation-life.ts';
import { groupsToTakeOver } from '../view/asg-ledger.ts';
import type { View } from '../view/view.ts';
import type { Rule } from './rule.ts';

/** Launches of another decision without a response yet. EC2 may deny them. */
const unanswered = ({ state }: View): number =>
  state.reservations.filter(isOpen).reduce((sum, { placement }) => sum + placement.count, 0);

/**
 * Auto Scaling groups that are short and do not refill themselves. Their desired capacity falls by no more than the
 * members that are launched in their place.
 */
export const takeOver: Rule = {
  name: 'groups to take over',
  propose: ({ view }, { uncovered = 0 }) => {
    let kept = uncovered + unanswered(view);
    const takeOver = groupsToTakeOver(view).flatMap(({ asg, desired, lowers }) => {
      const lowered = Math.max(0, lowers - kept);
      kept -= lowers - lowered;
      return lowered === 0 ? [] : [{ asg, desired: desired + lowers - lowered }];
    });
    return { takeOver };
  },
};
