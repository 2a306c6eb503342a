import type { Chronicle } from '../../chronicle.ts';
import type { Rule } from '../../finding.ts';
import type { HistoryEvent } from '../../history.ts';
import { detachedByUser } from '../../members/detached.ts';
import { isFunction } from '../../world/life.ts';

type Joined = Extract<HistoryEvent, { readonly kind: 'joined' }>;

/** Whether a function attached an instance that its user had detached from the same Auto Scaling group, where both were shown to the function. */
const isAgain = (chronicle: Chronicle, { instance, asg, by, atMs }: Joined): boolean => {
  const life = chronicle.life(instance);
  return life !== undefined && detachedByUser(chronicle, life, by, atMs)?.asg === asg;
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
