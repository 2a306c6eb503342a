import type { Chronicle } from '../chronicle.ts';
import type { Rule } from '../finding.ts';
import type { Life } from '../life.ts';
import { isDearer } from '../paid.ts';
import type { Policy } from '../policy.ts';
import { scaleInsOf } from '../scale-in.ts';
import type { Choice } from './needless-removal.ts';

/** Launch times have whole seconds. */
const launchedTogetherMs = 2_000;

/** Whether the order of removal surely names one before the other. */
const goesBefore = (chronicle: Chronicle, one: Life, other: Life, policy: Policy, choice: Choice): boolean => {
  switch (policy.removalOrder) {
    case 'oldest-first':
      return one.launchedAtMs + launchedTogetherMs < other.launchedAtMs;
    case 'newest-first':
      return one.launchedAtMs > other.launchedAtMs + launchedTogetherMs;
    case 'dearest-first':
      return isDearer(chronicle, one, other, policy, choice);
    case 'same-order':
      return false;
  }
};

export const removalInOrder: Rule = {
  name: 'members leave in the order of removal',
  meaning:
    'When a group shrinks, no member that serves and is ready leaves before one of the same Auto Scaling group (or of none) that the order of the policy names first: the older or newer one, or the dearer one by stated prices and by spot prices where the policy has them read; without a stated price, on-demand goes before spot. Floors, shares and spares go before the order.',
  broken: (chronicle) =>
    scaleInsOf(chronicle).flatMap(({ choice, policy, others }) => {
      const first = others.find((one) => goesBefore(chronicle, one, choice.life, policy, choice));
      if (first === undefined) return [];
      const detail = `${choice.life.instance} is removed, and ${first.instance} stays, which goes before it by ${policy.removalOrder}`;
      return [{ group: choice.group, instance: choice.life.instance, atMs: choice.chosenAtMs, detail }];
    }),
};
