import { isOpen as isUnanswered } from '../launch/reservation-life.ts';
import type { Holdings } from '../ports/capacity-provider.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import type { GroupState } from '../view/view.ts';
import { belowMinSize } from './shortfall.ts';
import type { Swap } from './swap.ts';

type Look = {
  readonly swaps: readonly Swap[];
  readonly holdings: Pick<Holdings, 'members' | 'asgs'>;
  readonly state: Pick<GroupState, 'desired' | 'reservations'>;
};

const isLeaving = ({ state }: Swap): boolean => state !== 'gone' && state !== 'withdrawn';

/** Whether a member serves on because the minimum size of its Auto Scaling group did not let it go. */
const isHeldBack = ({ state, reason, shortfall }: Swap): boolean =>
  state === 'drained' &&
  traitsOf({ reason }).waitsForSurge &&
  shortfall?.code === 'not-released' &&
  shortfall.awsCode === belowMinSize;

/** Whether others will join: something is requested, or a member does not serve yet, or too few stay. */
const isAnyoneToCome = ({ swaps, holdings: { members }, state: { desired, reservations } }: Look): boolean => {
  const leaving = new Set(swaps.filter(isLeaving).map(({ instance }) => instance));
  const staying = members.filter(({ instance }) => !leaving.has(instance));
  return reservations.some(isUnanswered) || staying.length < desired || staying.some(({ admitted }) => !admitted);
};

/**
 * Members that were to be replaced, and whose Auto Scaling group keeps more than the group wants: nobody joins in their
 * place, so the minimum size never lets them go. They serve on.
 */
export const keptInService = (look: Look): ReadonlySet<string> => {
  const held = look.swaps.filter(isHeldBack);
  if (held.length === 0 || isAnyoneToCome(look)) return new Set();
  const { members, asgs } = look.holdings;
  const full = new Set(asgs.filter(({ desired, min }) => desired <= min).flatMap(({ holds }) => holds));
  const alive = new Set(members.map(({ instance }) => instance).filter((instance) => full.has(instance)));
  return new Set(held.map(({ instance }) => instance).filter((instance) => alive.has(instance)));
};
