import { drainEndsByMs } from '../../core/drain/drain.ts';
import { failedDrainOf, unreleasedShortfall, unreleasedYet } from '../../core/drain/shortfall.ts';
import type { Group } from '../../core/group/group.ts';
import { namedTargetGroups } from '../../core/group/holders.ts';
import { howHeld } from '../../core/group/holding.ts';
import type { ActionResult } from '../../core/ports/capacity-provider.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { mayStay, staysUntilReleased } from '../../core/swap/kept-in-service.ts';
import { belowMinSize } from '../../core/swap/shortfall.ts';
import { isHard, type Swap } from '../../core/swap/swap.ts';
import { drainAgainAtMs } from '../../core/times/again.ts';
import { bothLagMs } from '../../core/times/times.ts';
import { recordFindings, recordForward } from '../runtime/drain/record.ts';

const orderedAtMs = ({ drainOrderedAtMs, claimedAtMs }: Swap): number => drainOrderedAtMs ?? claimedAtMs;

/**
 * Whether one call takes a member out of service: it goes through its Auto Scaling group, which deregisters it. Where
 * several calls do, a release that failed may have been carried out in part.
 */
const isOneCall = (group: Pick<Group, 'holding' | 'drain'>): boolean =>
  howHeld(group).isInAsgs && namedTargetGroups(group).length === 0;

/**
 * What a release put off, without what is called off. Members that nothing replaces, and that could not be taken out of
 * service for so long that no describe lags behind any more, are called off: a minimum size holds them back, or AWS
 * does not carry out the call. The reason for the choice may no longer hold. The next look withdraws their swaps and
 * decides anew who leaves.
 */
export const callOff = async (
  store: StateStore,
  { group, drain }: { readonly group: Pick<Group, 'holding' | 'drain'>; readonly drain: string },
  { putOff, failed }: { readonly putOff: readonly Swap[]; readonly failed: ActionResult['failed'] },
  nowMs: number,
): Promise<readonly Swap[]> => {
  const codes = new Map(failed.flatMap(({ instance, code, retry }) => (retry === 'never' ? [] : [[instance, code]])));
  const over = putOff.flatMap((swap): readonly Swap[] => {
    const code = codes.get(swap.instance);
    const isLong = mayStay(swap) && nowMs - orderedAtMs(swap) >= bothLagMs;
    if (code === undefined || !isLong || (code !== belowMinSize && !isOneCall(group))) return [];
    return [{ ...swap, state: 'drained', shortfall: unreleasedShortfall(code) }];
  });
  await recordForward(store, drain, over);
  const calledOff = new Set(over.map(({ instance }) => instance));
  return putOff.filter(({ instance }) => !calledOff.has(instance));
};

/**
 * Records why members could not be taken out of service, on the swaps of those that stay until they are out. A code
 * that is recorded already is not written again.
 */
export const noteUnreleased = async (
  store: StateStore,
  drain: string,
  putOff: readonly Swap[],
  failed: ActionResult['failed'],
): Promise<void> => {
  const codes = new Map(failed.map(({ instance, code }) => [instance, code]));
  const noted = putOff.flatMap((swap): readonly Swap[] => {
    const code = codes.get(swap.instance);
    if (code === undefined || !staysUntilReleased(swap)) return [];
    const isKnown = swap.shortfall?.code === 'still-in-service' && swap.shortfall.awsCode === code;
    return isKnown ? [] : [{ ...swap, shortfall: unreleasedYet(code, failedDrainOf(swap)) }];
  });
  await recordFindings(store, drain, noted);
};

/**
 * Since when it has been wanted out of service. A member that stays until it is out gets one drain after another, so
 * its time counts from the choice. The tries become rarer with that time.
 */
const wantedSinceMs = (swap: Swap): number =>
  staysUntilReleased(swap) ? (swap.chosenAtMs ?? swap.claimedAtMs) : orderedAtMs(swap);

/**
 * When to try again to take members out of service. Near a deadline they are tried more often. No event shows when AWS,
 * or a minimum size, lets a member go.
 */
export const releasesAgainAtMs = (putOff: readonly Swap[], timeoutMs: number, nowMs: number): number =>
  Math.min(
    ...putOff.map((swap) =>
      drainAgainAtMs(nowMs, {
        sinceMs: wantedSinceMs(swap),
        ...(isHard(swap) && { endsByMs: drainEndsByMs(swap, timeoutMs) }),
      }),
    ),
  );
