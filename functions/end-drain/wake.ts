import { unlessTroubled } from '../../aws/calls/unless-troubled.ts';
import type { Group } from '../../core/group/group.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import { isKept } from '../../core/swap/kept-members.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { Batch } from '../runtime/drain/batch.ts';
import type { EndDrainPorts } from './ports.ts';

/** Has the group looked at before its next tick. Where it cannot be requested now, the tick is soon enough. */
const wakeBeforeTick = ({ wakes, clock }: EndDrainPorts, { group }: DrainOrder): Promise<void> =>
  unlessTroubled(wakes.wake([group], clock.now()));

/** What a drain ends, and for which group. */
type Ended = { readonly ports: EndDrainPorts; readonly order: DrainOrder; readonly group: Group | undefined };

/**
 * With drain-first the replacement comes after the drain, and a kept member has to serve again. So the group is
 * converged now and not at the next tick.
 */
export const wakeGroup = async ({ ports, order, group }: Ended, swaps: readonly Swap[]): Promise<void> => {
  if ((group?.swap.order === 'drain-first' && swaps.length > 0) || swaps.some(isKept))
    await wakeBeforeTick(ports, order);
};

/**
 * A drain is ordered for swaps that are stored. If none names it any more, another drain took them over, or the table
 * was restored or emptied. A look then claims lost warnings again. They cannot wait for the tick.
 */
export const wakeIfLost = async (
  ports: EndDrainPorts,
  order: DrainOrder,
  { own, gone, isLetGo }: Batch,
): Promise<void> => {
  if (own.length + gone.length === 0 && !isLetGo) await wakeBeforeTick(ports, order);
};
