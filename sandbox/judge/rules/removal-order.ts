import type { Chronicle } from '../chronicle.ts';
import type { Rule } from '../finding.ts';
import type { Life } from '../life.ts';
import { isDearer } from '../paid.ts';
import { type ScaleIn, scaleInsOf } from '../scale-in.ts';

/** Launch times have whole seconds. */
const launchedTogetherMs = 2_000;

/** Whether the order of removal surely names one before the other. */
const goesBefore = (chronicle: Chronicle, one: Life, other: Life, scaleIn: ScaleIn): boolean => {
  switch (scaleIn.policy.removalOrder) {
    case 'oldest-first':
      return one.launchedAtMs + launchedTogetherMs < other.launchedAtMs;
    case 'newest-first':
      return one.launchedAtMs > other.launchedAtMs + launchedTogetherMs;
    case 'dearest-first':
      return isDearer(chronicle, one, other, scaleIn);
    case 'same-order':
      return false;
  }
};

export const removalInOrder: Rule = {
  name: 'members leave in the order of removal',
  meaning:
    'When a group shrinks, no member that serves and is ready leaves before one that could go as well (of the same Auto Scaling group, of one above its minimum size, or of none) and that the order of the policy names first: the older or newer one, or the dearer one by stated prices and by spot prices where the policy has them read; without a stated price, on-demand goes before spot. Floors, shares and spares go before the order.',
  broken: (chronicle) =>
    scaleInsOf(chronicle).flatMap((scaleIn) => {
      const { choice, policy, others } = scaleIn;
      const first = others.find((one) => goesBefore(chronicle, one, choice.life, scaleIn));
      if (first === undefined) return [];
      const detail = `${choice.life.instance} is removed, and ${first.instance} stays, which goes before it by ${policy.removalOrder}`;
      return [{ group: choice.group, instance: choice.life.instance, atMs: choice.chosenAtMs, detail }];
    }),
};
