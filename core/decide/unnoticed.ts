import { traitsOf } from '../removal/leave-reason.ts';
import { isHeldBack } from '../swap/kept-in-service.ts';
import { isHard, type Swap } from '../swap/swap.ts';
import { unnoticed as unnoticedIn } from '../view/asg-ledger.ts';
import type { Rule, Situation } from './rule.ts';

/**
 * Members that serve on because the minimum size of their group held them back, and that must not go yet: since others
 * have joined, the minimum lets them go, but these do not serve.
 */
const neededStill = ({ view, arbiter }: Situation): ReadonlySet<string> => {
  const { order, maxSurge } = view.group.swap;
  const isNeeded = (swap: Swap): boolean => {
    const below = order === 'drain-first' && traitsOf(swap).waitsForSurge ? maxSurge : 0;
    return isHeldBack(swap) && !isHard(swap) && arbiter.releasable.left() + below < 0;
  };
  return new Set(view.swaps.filter(isNeeded).map(({ instance }) => instance));
};

/**
 * Leaving instances that their Auto Scaling group still counts and would replace, although we replace them. Instances
 * that nothing can replace now stay in their groups. Otherwise the desired capacity would fall with them, and only
 * Holdfast could raise it again.
 */
export const unnoticed: Rule = {
  name: 'unnoticed',
  propose: (situation, { lack, uncovered = 0 }) => {
    const { view } = situation;
    const dead = new Set(view.ended);
    const needed = neededStill(situation);
    const all = unnoticedIn(view, -lack).filter((instance) => dead.has(instance) || !needed.has(instance));
    const stays = new Set(all.slice(Math.max(0, all.length - uncovered)));
    const leftToGroups = [...stays].filter((instance) => dead.has(instance));
    return {
      unnoticed: all.filter((instance) => !stays.has(instance)),
      ...(leftToGroups.length > 0 && { leftToGroups }),
    };
  },
};
