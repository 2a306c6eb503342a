import { isDearer } from '../../capacity/paid.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Rule } from '../../finding.ts';
import { poolOf } from '../../policy/pools.ts';
import { nameOf } from '../../world/cloud.ts';
import { type Life, launchTimeOf } from '../../world/life.ts';
import { type ScaleIn, scaleInsOf } from './scale-in.ts';

/** Launch times have whole seconds. */
const launchedTogetherMs = 2_000;

/** Whether two are of the same offering and pool, and the first of them took no requests while it was looked at. */
const isIdleTwin = (chronicle: Chronicle, one: Life, other: Life, { choice, policy, shownSinceMs }: ScaleIn): boolean => {
  const { chosenAtMs } = choice;
  const isAlike = nameOf(one) === nameOf(other) && poolOf(one, policy, chosenAtMs) === poolOf(other, policy, chosenAtMs);
  const worked = one.services.some(({ fromMs, untilMs }) => fromMs <= chosenAtMs && untilMs >= shownSinceMs);
  return isAlike && !worked && chronicle.targetsOf(one, shownSinceMs).length > 0 && chronicle.targetsOf(one, chosenAtMs).length > 0;
};

/** An instance that is younger does not count as unhealthy (docs/policy.md, removal). */
const graceMs = 300_000;

/** Whether a target group that it should serve had found it unhealthy, and did so as long as it was looked at. */
const isUnhealthy = (chronicle: Chronicle, one: Life, { choice: { chosenAtMs }, shownSinceMs }: ScaleIn): boolean =>
  launchTimeOf(one) + graceMs + 2 * chronicle.times.clockMs + launchedTogetherMs < shownSinceMs &&
  chronicle.targetsOf(one, shownSinceMs).some((targetGroup) => {
    const last = one.services.filter((service) => service.targetGroup === targetGroup && service.fromMs <= chosenAtMs).at(-1);
    return last?.why === 'unhealthy' && last.untilMs <= shownSinceMs && chronicle.targetsOf(one, chosenAtMs).includes(targetGroup);
  });

/** Whether the order of removal surely names one before the other. */
const goesBefore = (chronicle: Chronicle, one: Life, other: Life, scaleIn: ScaleIn): boolean => {
  if (isUnhealthy(chronicle, one, scaleIn)) return true;
  switch (scaleIn.policy.removalOrder) {
    case 'oldest-first':
      return launchTimeOf(one) + launchedTogetherMs < launchTimeOf(other);
    case 'newest-first':
      return launchTimeOf(one) > launchTimeOf(other) + launchedTogetherMs;
    case 'dearest-first':
      return isDearer(chronicle, one, other, scaleIn) || isIdleTwin(chronicle, one, other, scaleIn);
    case 'same-order':
      return isIdleTwin(chronicle, one, other, scaleIn);
  }
};

export const removalInOrder: Rule = {
  name: 'members leave in the order of removal',
  meaning:
    'When a group shrinks, the members leave first that the order of the policy names first: the oldest, the newest or the dearest. Prices are the stated ones, and spot prices where the policy has them read; without a stated price, on-demand leaves before spot. The rule compares a member that serves and is ready only with members that could leave instead: those of the same Auto Scaling group, of one above its minimum size, or of none. A launch that moves a member is not one of them while that member stays. Of two in the same place with the same age and price, the one that serves in no target group leaves first. Whatever the order, a member that a target group finds unhealthy, and that is five minutes old, leaves before one that serves. Floors and spares come before the order: the rule then compares members of one market. So do shares: then it compares members of one offering.',
  broken: (chronicle) =>
    scaleInsOf(chronicle).flatMap((scaleIn) => {
      const { choice, policy, others } = scaleIn;
      const first = others.find((one) => goesBefore(chronicle, one, choice.life, scaleIn));
      if (first === undefined) return [];
      const detail = `${choice.life.instance} is removed, and ${first.instance} stays, which goes before it by ${policy.removalOrder}`;
      return [{ group: choice.group, instance: choice.life.instance, atMs: choice.chosenAtMs, detail }];
    }),
};
