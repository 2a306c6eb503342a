import { tags } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Rule } from '../../finding.ts';
import type { HistoryEvent } from '../../history.ts';
import { lookedSince } from '../../members/staying.ts';
import { isFunction, tagsAt } from '../../world/life.ts';

type Joined = Extract<HistoryEvent, { readonly kind: 'joined' }>;

/** Whether a function attached an instance that its user had detached from the same Auto Scaling group, where both were shown to the function. */
const isAgain = (chronicle: Chronicle, { instance, asg, by, atMs }: Joined): boolean => {
  const life = chronicle.life(instance);
  const last = life?.stays.findLast(({ fromMs }) => fromMs < atMs);
  if (life === undefined || last?.asg !== asg || last.how !== 'detached' || last.by?.kind !== 'user') return false;
  const { lagMs, asgLagMs, clockMs } = chronicle.times;
  const shownSinceMs = lookedSince(chronicle, by, atMs) - Math.max(lagMs, asgLagMs) - 2 * clockMs;
  return last.untilMs < shownSinceMs && tagsAt(life, shownSinceMs)[tags.joined] !== undefined;
};

export const detachedStayOut: Rule = {
  name: 'who is detached stays out',
  meaning:
    'Holdfast does not attach an instance again that its user detached from the same Auto Scaling group. This holds once describes show that, and the tag of the instance says that it had joined.',
  broken: (chronicle) =>
    chronicle
      .of('joined')
      .filter((joined) => isFunction(joined.by) && isAgain(chronicle, joined))
      .map(({ instance, asg, atMs }) => ({ instance, asg, atMs, detail: `${instance} was attached to ${asg} again, and its user had detached it` })),
};
