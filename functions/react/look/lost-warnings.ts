import { traitsOf } from '../../../core/removal/leave-reason.ts';
import type { LeavingFact } from '../../../core/swap/claim.ts';
import type { Swap } from '../../../core/swap/swap.ts';

/** Swaps of members that EC2 warned about and has not taken yet. */
const openWarnings = (swaps: readonly Swap[]): readonly Swap[] =>
  swaps.filter(
    (swap) =>
      traitsOf(swap).endedBy === 'ec2' &&
      swap.deadlineMs !== undefined &&
      swap.state !== 'gone' &&
      swap.state !== 'withdrawn',
  );

/** The warnings in such swaps, as facts. They are not new, so pool memory learns nothing from them. */
export const factsOfLost = (swaps: readonly Swap[], nowMs: number): readonly LeavingFact[] =>
  swaps.flatMap(({ instance, reason, warnedAtMs, claimedAtMs, heardAtMs = claimedAtMs, deadlineMs }) =>
    deadlineMs === undefined || deadlineMs <= nowMs
      ? []
      : [{ instance, reason, atMs: warnedAtMs ?? claimedAtMs, heardAtMs, deadlineMs }],
  );

/** What a read shows of the group's table. */
type Read = {
  readonly swaps: readonly Swap[];
  /** Whether its items are older than those of an earlier read, or some are lost. */
  readonly isRestored: boolean;
};

/**
 * Remembers the warnings that an environment has seen in the table. EC2 warns once, so a table that is restored or
 * emptied would lose them for good.
 */
export const rememberingWarnings = () => {
  /** `isLost`: the table lacked it at an earlier read. It stays lost until it is claimed again. */
  const seen = new Map<string, readonly { readonly swap: Swap; readonly isLost: boolean }[]>();
  const remember = (group: string, swaps: readonly Swap[], lost: readonly Swap[]): void => {
    const all = [swaps.map((swap) => ({ swap, isLost: false })), lost.map((swap) => ({ swap, isLost: true }))].flat();
    if (all.length === 0) seen.delete(group);
    else seen.set(group, all);
  };
  return {
    /** The warnings that were in the table before and are missing now. */
    lost: (group: string, { swaps, isRestored }: Read): readonly Swap[] => {
      const stored = new Set(swaps.map(({ instance }) => instance));
      const lost = (seen.get(group) ?? []).flatMap(({ swap, isLost }) =>
        (isLost || isRestored) && !stored.has(swap.instance) ? [swap] : [],
      );
      remember(group, openWarnings(swaps), lost);
      return lost;
    },
    /** A swap that this environment has written. */
    claimed: (swap: Swap): void => {
      const others = (seen.get(swap.group) ?? []).filter((one) => one.swap.instance !== swap.instance);
      const fresh = openWarnings([swap]).map((one) => ({ swap: one, isLost: false }));
      if (fresh.length > 0) seen.set(swap.group, [...others, ...fresh]);
    },
  };
};
