import { asGone, lastingShortfall } from '../drain/shortfall.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import { isKept } from './kept-members.ts';
import { hasOutlived } from './outlived.ts';
import type { Swap } from './swap.ts';

/** A drain that has not begun by then never begins, because the function that ordered it died. */
const unbegunMs = 120_000;
/** A warning, or a request to end an instance, no longer counts if nothing has happened by then. */
const givenUpMs = 600_000;

const isOnlyChosen = (swap: Swap): boolean =>
  swap.state === 'leaving' && traitsOf(swap).endedBy !== 'auto-scaling' && swap.deadlineMs === undefined;

/** Whether it stays because too few others served when its drain could begin. */
export const isNeeded = (swap: Swap): boolean => isOnlyChosen(swap) && swap.shortfall?.code === 'needed';

/**
 * Whether its drain ended before it began, because its group was let go or does not act, or needs it. Then nothing else
 * takes it out of service.
 */
export const wasLeftAlone = (swap: Swap): boolean =>
  isNeeded(swap) || (isOnlyChosen(swap) && (swap.shortfall?.code === 'let-go' || swap.shortfall?.code === 'held-back'));

/** Whether an instance stays after its group was let go, because its end was our choice or did not come. */
export const isLetOff = (swap: Swap, nowMs: number): boolean => {
  if (isKept(swap)) return (swap.keptUntilMs ?? 0) <= nowMs;
  if (swap.state === 'waiting' || wasLeftAlone(swap)) return true;
  if (swap.state === 'drained' && hasOutlived(swap, nowMs, givenUpMs)) return true;
  if (swap.state !== 'leaving' || traitsOf(swap).endedBy === 'auto-scaling') return false;
  const cameMs = swap.deadlineMs ?? swap.releaseAskedAtMs;
  return cameMs === undefined
    ? nowMs - (swap.drainOrderedAtMs ?? swap.claimedAtMs) >= unbegunMs
    : nowMs - cameMs >= givenUpMs;
};

/** A swap of a group that was let go, whose instance stays as it is. */
export const asLetOff = (swap: Swap): Swap => ({ ...swap, shortfall: lastingShortfall(swap) ?? { code: 'let-go' } });

/** A swap of a group that was let go, whose instance has ended: it was not drained, because the group is gone. */
export const asGoneAfterLetGo = (swap: Swap, nowMs: number): Swap => {
  const gone = asGone(swap, nowMs);
  return gone.shortfall?.code === 'ended-before-drain' ? { ...gone, shortfall: { code: 'let-go' } } : gone;
};
