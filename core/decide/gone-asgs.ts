import type { Remark } from '../decision/remark.ts';
import { namedAsgs } from '../group/holders.ts';
import { goneNow, toldFromMs, toldGone } from '../view/gone-asgs.ts';
import type { Rule } from './rule.ts';

const about = (code: 'asg-gone' | 'asg-back', asgs: readonly string[]): readonly Remark[] =>
  asgs.length === 0 ? [] : [{ code, asgs }];

/**
 * Tells that an Auto Scaling group of the policy is gone, once, and that there is a group of that name again. No member
 * can be in a group that is gone, so the owner has to know.
 */
export const goneAsgs: Rule = {
  name: 'gone Auto Scaling groups',
  propose: ({ view }) => {
    const now = goneNow(view);
    const before = toldGone(view.state.goneAsgs);
    const named = namedAsgs(view.group);
    const fresh = toldGone(now).filter((asg) => !before.includes(asg));
    const back = before.filter((asg) => named.includes(asg) && now[asg] === undefined);
    const untold = Object.values(now).filter(({ isTold }) => !isTold);
    return {
      ...(Object.keys(now).length > 0 && { goneAsgs: now }),
      ...(untold.length > 0 && { wakeAtMs: Math.min(...untold.map(({ sinceMs }) => toldFromMs(sinceMs))) }),
      remarks: [...about('asg-gone', fresh), ...about('asg-back', back)],
    };
  },
};
