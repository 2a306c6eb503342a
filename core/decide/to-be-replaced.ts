import { withinAdvice } from '../limits/advice-budget.ts';
import { isGivenUp } from '../removal/leave-reason.ts';
import type { Swap } from '../swap/swap.ts';
import { hopelessIn } from '../view/unserved.ts';
import type { Situation } from './rule.ts';

type Seen = Pick<Situation, 'view' | 'headcount'>;

/**
 * Waiting swaps that a launch is made ahead for. A member that was given up because it never served may serve by now
 * where its health cannot be read, so it counts again once a look shows that it does not.
 */
export const toBeReplaced = ({ view, headcount }: Seen): readonly Swap[] => {
  const mayServe = new Set(headcount.staying.flatMap((member) => (member.mayServe ? [member.instance] : [])));
  return withinAdvice(headcount.waiting, view).filter((swap) => !(isGivenUp(swap) && mayServe.has(swap.instance)));
};

/**
 * Protected members that never served, while others wait for a replacement that serves, with `launch-first`. They can
 * neither serve nor leave, so they are no replacements: what is launched in their place is no surplus.
 */
export const neverToServe = ({ view, headcount }: Seen): number => {
  const waiting = toBeReplaced({ view, headcount });
  if (view.group.swap.order !== 'launch-first' || waiting.every(isGivenUp)) return 0;
  const [hopeless, leaving] = [hopelessIn(view), new Set(waiting.map(({ instance }) => instance))];
  return headcount.staying.filter(
    (member) => member.protected && hopeless.has(member.instance) && !leaving.has(member.instance),
  ).length;
};
