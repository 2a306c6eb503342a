import { allSettled } from '../../../aws/calls/in-parallel.ts';
import type { Group } from '../../../core/group/group.ts';
import { withFormer } from '../../../core/group/holders.ts';
import { type Mode, mayBegin, modeOf } from '../../../core/group/mode.ts';
import type { DrainOrder } from '../../../core/ports/drains.ts';
import type { StateStore } from '../../../core/ports/state-store.ts';
import { isKept } from '../../../core/swap/kept-members.ts';
import { isNeeded } from '../../../core/swap/let-go.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { GroupState } from '../../../core/view/view.ts';

/** The swaps of a drain as they are stored now. */
export type Batch = {
  /** The group in force now. For a group that was let go, by its latest policy. */
  readonly group: Group | undefined;
  /** Its policy is gone. Members out of service come to their end, and no other member is taken out. */
  readonly isLetGo: boolean;
  readonly mode: Mode;
  readonly state: GroupState | undefined;
  /** Every swap of the group whose instance leaves, or has left. */
  readonly all: readonly Swap[];
  /** The swaps of this drain that are not gone, without those that another drain took over. */
  readonly own: readonly Swap[];
  /** The swaps of this drain whose instance is gone, at any time since its start: a drain may take two days. */
  readonly gone: readonly Swap[];
};

/** Whether it was taken out of service, or is known never to be. */
export const hasBegun = ({ state }: Pick<Swap, 'state'>): boolean => state === 'draining' || state === 'drained';

/** Whether it stays in service: its group was let go, does not act or needs it, and its drain has not begun. */
export const isLeft = ({ isLetGo, mode }: Pick<Batch, 'isLetGo' | 'mode'>, swap: Swap): boolean =>
  !hasBegun(swap) && (isLetGo || !mayBegin(mode, swap) || isNeeded(swap));

/**
 * Reads a batch: two reads, whatever its size, and one more once the group was let go. The group includes the names of
 * earlier policies. Each swap names its drain, so swaps that joined after the start are included.
 */
export const gatherBatch = async (store: StateStore, order: DrainOrder): Promise<Batch> => {
  const [inForce, { state, swaps: all }] = await allSettled([
    store.group(order.group),
    store.stateAndSwaps(order.group, order.drain),
  ]);
  const group = inForce ?? (await store.lastGroup(order.group));
  const ours = all.filter(({ drain }) => drain === order.drain);
  return {
    group: group && withFormer(group, state),
    isLetGo: inForce === undefined,
    mode: inForce === undefined ? 'act' : modeOf(inForce),
    state,
    all: all.filter((swap) => !isKept(swap) && !isNeeded(swap)),
    own: ours.filter(({ state }) => state !== 'gone' && state !== 'waiting'),
    gone: ours.filter(({ state }) => state === 'gone'),
  };
};
