import { unnoticed as unnoticedIn } from '../view/asg-ledger.ts';
import type { Rule } from './rule.ts';

/**
 * Leaving instances that their Auto Scaling group still counts and would replace, although we replace them. Instances
 * that nothing can replace now stay in their groups. Otherwise the desired capacity would fall with them, and only
 * Holdfast could raise it again.
 */
export const unnoticed: Rule = {
  name: 'unnoticed',
  propose: ({ view }, { lack, uncovered = 0 }) => {
    const all = unnoticedIn(view, -lack);
    const dead = new Set(view.ended);
    const stays = new Set(all.slice(Math.max(0, all.length - uncovered)));
    const leftToGroups = [...stays].filter((instance) => dead.has(instance));
    return {
      unnoticed: all.filter((instance) => !stays.has(instance)),
      ...(leftToGroups.length > 0 && { leftToGroups }),
    };
  },
};
