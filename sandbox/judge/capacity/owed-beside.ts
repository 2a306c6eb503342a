import type { Chronicle } from '../chronicle.ts';
import { ownLaunches, reservationOf } from '../members/staying.ts';
import type { Policy } from '../policy/policy.ts';
import { isFunction, type Life } from '../world/life.ts';
import { isOnDemand, mayBeOwed } from './limits.ts';

type Launch = ReturnType<typeof ownLaunches>[number];

/** Whether one function requested both at the same moment. */
const areBeside = (one: Life, other: Life): boolean =>
  one !== other &&
  one.askedAtMs !== undefined &&
  one.askedAtMs === other.askedAtMs &&
  isFunction(one.by) &&
  isFunction(other.by) &&
  one.by.invocation === other.by.invocation;

/** Decision and round of a launch: one function chose everything that carries the same ones before it requested any of it. */
const roundOf = (life: Life): string | undefined => reservationOf(life)?.replace(/-\d+$/, '');

/** Launches that one decision placed in one round, and that were requested at the same moment, without this one. */
export const placedBeside = (chronicle: Chronicle, life: Life): readonly Life[] => {
  const round = roundOf(life);
  return round === undefined ? [] : chronicle.lives.filter((other) => areBeside(life, other) && roundOf(other) === round);
};

/** Whether a launch may be owed on demand, by its place in the order in which EC2 launched, or by that of any launch beside it. */
export type IsOwed = (policy: Policy, launch: Launch) => boolean;

/**
 * Of these wrong launches, those that stay wrong whichever of the launches that their function requested at the same moment were owed on demand. EC2 may
 * launch these in any order. So a wrong launch may have been owed in the place of one that is right without being owed.
 */
export const wrongInAnyOrder = (
  chronicle: Chronicle,
  wrong: readonly Launch[],
  isRight: (launch: Launch, isOwed: IsOwed) => boolean,
): readonly Launch[] => {
  const isOwedBeside: IsOwed = (policy, launch) => mayBeOwed(chronicle, policy, launch, (other) => !areBeside(launch.life, other));
  const placesBeside = (launch: Launch): number =>
    ownLaunches(chronicle).filter(
      (other) =>
        areBeside(launch.life, other.life) &&
        chronicle.policiesIn(launch.group, launch.sinceMs, launch.life.launchedAtMs).some((policy) => mayBeOwed(chronicle, policy, other)) &&
        isRight(other, () => false),
    ).length;
  return wrong.filter((launch, index) => {
    if (!isOnDemand(launch.life) || !isRight(launch, isOwedBeside)) return true;
    return wrong.slice(0, index).filter(({ life }) => areBeside(life, launch.life)).length >= placesBeside(launch);
  });
};
