import { inParallel } from '../../../aws/calls/in-parallel.ts';
import { unlessTroubled } from '../../../aws/calls/unless-troubled.ts';
import { wantedAtMs } from '../../../core/drain/begin.ts';
import type { StateStore } from '../../../core/ports/state-store.ts';
import { traitsOf } from '../../../core/removal/leave-reason.ts';
import type { LeavingFact } from '../../../core/swap/claim.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { isIdle } from '../../../core/view/unserved.ts';
import type { Member } from '../../../core/view/view.ts';

/** Swaps of members that EC2 warned about and has not taken yet. */
const openWarnings = (swaps: readonly Swap[]): readonly Swap[] =>
  swaps.filter(
    (swap) =>
      traitsOf(swap).endedBy === 'ec2' &&
      swap.deadlineMs !== undefined &&
      swap.state !== 'gone' &&
      swap.state !== 'withdrawn',
  );

/** Whether a member still runs after the deadline of its warning, and does no work. */
const isLeftIdle = ({ instance, deadlineMs = 0 }: Swap, members: readonly Member[]): boolean =>
  members.some((one) => one.instance === instance && one.launchedAtMs < deadlineMs && isIdle(one));

/**
 * The warnings in such swaps, as facts. They are not new, so pool memory learns nothing from them, and their drains
 * begin no later than they would have. After its deadline, a warning counts for a member that does no work: if EC2 did
 * not take this member, its swap says that it is to be put back.
 */
export const factsOfLost = (
  swaps: readonly Swap[],
  members: readonly Member[],
  nowMs: number,
): readonly LeavingFact[] =>
  swaps.flatMap((swap) => {
    const { instance, reason, warnedAtMs, claimedAtMs, heardAtMs = claimedAtMs, deadlineMs } = swap;
    if (deadlineMs === undefined || (deadlineMs <= nowMs && !isLeftIdle(swap, members))) return [];
    const atMs = warnedAtMs ?? claimedAtMs;
    return [{ instance, reason, atMs, heardAtMs, drainWantedAtMs: wantedAtMs(swap), deadlineMs }];
  });

const readsAtOnce = 50;

/**
 * Remembers the warnings that an environment has seen in the table. EC2 warns once, so a table that is restored or
 * emptied would lose them for good.
 */
export const rememberingWarnings = (store: Pick<StateStore, 'swapNow'>) => {
  const seen = new Map<string, readonly Swap[]>();
  const remember = (group: string, warned: readonly Swap[]): void => {
    if (warned.length === 0) seen.delete(group);
    else seen.set(group, warned);
  };
  const without = (group: string, others: readonly Swap[]): readonly Swap[] => {
    const known = new Set(others.map(({ instance }) => instance));
    return (seen.get(group) ?? []).filter(({ instance }) => !known.has(instance));
  };
  return {
    /**
     * The warnings that the table had, and that it has no longer. A swap leaves it for its history only. One that is in
     * neither was lost, whatever the state item says. It stays lost until it is claimed again.
     *
     * @param swaps the swaps that the table has now
     */
    lost: async (group: string, swaps: readonly Swap[]): Promise<readonly Swap[]> => {
      const missing = without(group, swaps);
      const stored = await inParallel(missing, readsAtOnce, (swap) =>
        unlessTroubled(store.swapNow(swap).then((now) => ({ isLost: now === undefined }))),
      );
      // What could not be read now is read again with the next look.
      const mayBeLost = missing.filter((_, index) => stored[index]?.isLost !== false);
      remember(group, [...openWarnings(swaps), ...mayBeLost]);
      return missing.filter((_, index) => stored[index]?.isLost);
    },
    /** A swap that this environment has written. */
    claimed: (swap: Swap): void => remember(swap.group, [...without(swap.group, [swap]), ...openWarnings([swap])]),
  };
};
