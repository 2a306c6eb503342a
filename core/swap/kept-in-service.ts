import { isOpen as isUnanswered } from '../launch/reservation-life.ts';
import type { Holdings } from '../ports/capacity-provider.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import type { GroupState } from '../view/view.ts';
import { belowMinSize } from './shortfall.ts';
import { isHard, type Swap } from './swap.ts';

type Look = {
  readonly swaps: readonly Swap[];
  readonly holdings: Pick<Holdings, 'members' | 'asgs'>;
  readonly state: Pick<GroupState, 'desired' | 'reservations'>;
};

const isLeaving = ({ state }: Swap): boolean => state !== 'gone' && state !== 'withdrawn';

/**
 * Whether a member stays when it cannot be taken out of service: its end is our choice alone, and nothing was
 * launched in its place. It may no longer be a surplus, so the next decision chooses anew.
 */
export const mayStay = (swap: Swap): boolean =>
  !traitsOf(swap).isReplaced && !isHard(swap) && (swap.hooks ?? []).length === 0;

/**
 * Whether a member serves on while it cannot be taken out of service. This holds for members that Holdfast alone ends,
 * because EC2 would terminate them at once. An Auto Scaling group takes its members out of service itself.
 */
export const staysUntilReleased = (swap: Swap): boolean =>
  traitsOf(swap).endedBy === 'holdfast' && swap.asg === undefined && (swap.hooks ?? []).length === 0;

/** A member that could not be taken out of service gets its next drain within this time. */
const triedWithinMs = 300_000;

/**
 * Whether a new drain may try to take a member out of service that its last drain could not take out. The pause between
 * two drains is the time for which the member had been wanted out of service at the last order, five minutes at most.
 * So a right that is missing for days costs few calls. A member that EC2 takes by now cannot wait.
 */
export const isTriedAgain = (swap: Swap, nowMs: number): boolean => {
  const { shortfall, claimedAtMs, chosenAtMs, drainOrderedAtMs = claimedAtMs } = swap;
  if (shortfall?.code !== 'still-in-service' || !staysUntilReleased(swap)) return true;
  const waitMs = drainOrderedAtMs - (chosenAtMs ?? claimedAtMs);
  return nowMs - drainOrderedAtMs >= Math.min(triedWithinMs, waitMs);
};

/** Whether a member still serves because the minimum size of its Auto Scaling group did not let it go. */
export const isHeldBack = ({ state, shortfall }: Swap): boolean =>
  state === 'drained' && shortfall?.code === 'not-released' && shortfall.awsCode === belowMinSize;

/** Whether a swap counts as drained, and its member was never taken out of service and serves on. */
export const servesOn = ({ state, shortfall, drainStartedAtMs }: Swap): boolean =>
  state === 'drained' && shortfall?.code === 'not-released' && drainStartedAtMs === undefined;

/** Whether a member that was never taken out of service stays, even if others join. */
export const isCalledOff = (swap: Swap): boolean => servesOn(swap) && mayStay(swap);

/** Whether others will join: something is requested, or a member does not serve yet, or too few stay. */
const isAnyoneToCome = ({ swaps, holdings: { members }, state: { desired, reservations } }: Look): boolean => {
  const leaving = new Set(swaps.filter(isLeaving).map(({ instance }) => instance));
  const staying = members.filter(({ instance }) => !leaving.has(instance));
  return reservations.some(isUnanswered) || staying.length < desired || staying.some(({ admitted }) => !admitted);
};

/**
 * Members that were to be replaced, in an Auto Scaling group whose minimum is above the size of the group. No member
 * joins in their place, so the minimum never lets them go. They stay in service.
 */
const replacedInVain = (held: readonly Swap[], look: Look): readonly Swap[] => {
  if (held.length === 0 || isAnyoneToCome(look)) return [];
  const full = new Set(look.holdings.asgs.filter(({ desired, min }) => desired <= min).flatMap(({ holds }) => holds));
  return held.filter(({ instance }) => full.has(instance));
};

/** Members that their Auto Scaling groups did not let go, and that stay in service. */
export const keptInService = (look: Look): ReadonlySet<string> => {
  const held = look.swaps.filter(isHeldBack);
  const kept = [
    ...look.swaps.filter(isCalledOff),
    ...replacedInVain(
      held.filter((swap) => traitsOf(swap).waitsForSurge),
      look,
    ),
  ];
  const alive = new Set(look.holdings.members.map(({ instance }) => instance));
  return new Set(kept.map(({ instance }) => instance).filter((instance) => alive.has(instance)));
};
