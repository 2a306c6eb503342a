import type { DrainError } from '../../core/drain/shortfall.ts';
import { drainEndsByMs } from '../../core/drain.ts';
import type { Group } from '../../core/group.ts';
import { traitsOf } from '../../core/leave-reason.ts';
import type { Swap } from '../../core/swap.ts';
import { type Batch, hasBegun } from '../runtime/drain/batch.ts';
import { recordShortfalls } from '../runtime/drain/record.ts';
import type { EndDrainPorts } from './ports.ts';

/** Swaps that joined when nothing was left to begin, and whose time is not up. */
const joinedLate = (own: readonly Swap[], { drain }: Group, nowMs: number): readonly Swap[] =>
  own.filter((swap) => swap.state === 'leaving' && drainEndsByMs(swap, drain.timeoutMs) > nowMs);

type Parts = { readonly mine: readonly Swap[]; readonly untouched: readonly Swap[] };

/**
 * Those that this drain ends, and those that it leaves as they are because their group was let go before it had begun:
 * EC2 takes them, or nobody does. Should the policy come back before that, they are drained after all. Only what a hook
 * holds is closed now, so that its Auto Scaling group goes on.
 */
export const partsOf = ({ own, group, isLetGo }: Batch, nowMs: number, error: DrainError | undefined): Parts => {
  if (isLetGo) {
    const isLeft = (swap: Swap): boolean => !hasBegun(swap) && traitsOf(swap).endedBy !== 'auto-scaling';
    return { mine: own.filter((swap) => !isLeft(swap)), untouched: own.filter(isLeft) };
  }
  const tooLate = error === undefined && group !== undefined ? joinedLate(own, group, nowMs) : [];
  return { mine: own.filter((swap) => !tooLate.includes(swap)), untouched: tooLate };
};

const isOurChoice = ({ deadlineMs }: Swap): boolean => deadlineMs === undefined;

/** Says of those that nobody is to take any more that they stay. Returns all, for the bus. */
export const leaveAsTheyAre = async ({ store }: EndDrainPorts, drain: string, swaps: readonly Swap[]) => {
  const said = swaps.map((swap): Swap => ({ ...swap, shortfall: swap.shortfall ?? { code: 'let-go' } }));
  await recordShortfalls(store, drain, said.filter(isOurChoice));
  return said;
};
