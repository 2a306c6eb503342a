import { drainEndsByMs } from '../../core/drain/drain.ts';
import { type DrainError, lastingShortfall, unreleasedYet } from '../../core/drain/shortfall.ts';
import type { Group } from '../../core/group/group.ts';
import { traitsOf } from '../../core/removal/leave-reason.ts';
import { staysUntilReleased } from '../../core/swap/kept-in-service.ts';
import { isNeeded } from '../../core/swap/let-go.ts';
import type { Shortfall } from '../../core/swap/shortfall.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { type Batch, isLeft } from '../runtime/drain/batch.ts';
import { recordFindings } from '../runtime/drain/record.ts';
import type { EndDrainPorts } from './ports.ts';

const isUnreleased = (swap: Swap): boolean => swap.state === 'leaving' && staysUntilReleased(swap);

/** Swaps that joined after the drain had begun, and whose time is not up. This drain tried none of them. */
const joinedLate = (own: readonly Swap[], { drain }: Group, nowMs: number): readonly Swap[] =>
  own.filter(
    (swap) =>
      swap.state === 'leaving' &&
      swap.shortfall?.code !== 'still-in-service' &&
      drainEndsByMs(swap, drain.timeoutMs) > nowMs,
  );

const isOnHook = (swap: Swap): boolean => traitsOf(swap).endedBy === 'auto-scaling';

type Parts = {
  readonly mine: readonly Swap[];
  /** Swaps that joined late. The drain begins again for them. */
  readonly late: readonly Swap[];
  readonly left: readonly Swap[];
  /** Swaps of members that stay until they can be taken out of service. A new drain tries again. */
  readonly unreleased: readonly Swap[];
};

/**
 * The swaps that this drain ends, and those that it leaves as they are because their group was let go or does not act
 * before the drain had begun. EC2 takes these instances, or they stay. If the policy comes back first, they are
 * drained. In a group that was let go, instances on a hook are closed now, so that their Auto Scaling group continues.
 */
export const partsOf = (batch: Batch, nowMs: number, error: DrainError | undefined): Parts => {
  const { own, group, isLetGo } = batch;
  const stays = (swap: Swap): boolean => isLeft(batch, swap) && !(isLetGo && isOnHook(swap));
  const [left, mine] = [own.filter(stays), own.filter((swap) => !stays(swap))];
  const late = error === undefined && group !== undefined && !isLetGo ? joinedLate(mine, group, nowMs) : [];
  const inTime = mine.filter((swap) => !late.includes(swap));
  return {
    mine: inTime.filter((swap) => !isUnreleased(swap)),
    late,
    left,
    unreleased: inTime.filter(isUnreleased),
  };
};

const isOurChoice = (swap: Swap): boolean => swap.deadlineMs === undefined && !isOnHook(swap);

const whyLeft = ({ isLetGo, mode }: Batch): Shortfall =>
  isLetGo || mode === 'act' ? { code: 'let-go' } : { code: 'held-back', mode };

/** Records on the swaps of instances that stay why they stay. Returns all swaps, for the bus. */
export const leaveAsTheyAre = async (
  { store }: EndDrainPorts,
  drain: string,
  batch: Batch,
  swaps: readonly Swap[],
): Promise<readonly Swap[]> => {
  const said = swaps.map((swap): Swap => ({ ...swap, shortfall: lastingShortfall(swap) ?? whyLeft(batch) }));
  await recordFindings(
    store,
    drain,
    said.filter((swap) => isOurChoice(swap) && !isNeeded(swap)),
  );
  return said;
};

/**
 * Records the error of a failed drain on members that stay until they can be taken out of service. An error code of AWS
 * that is recorded already stays. Returns the swaps with a reason, for the event. A later look puts them on a new
 * drain.
 */
export const leaveInService = async (
  { store }: EndDrainPorts,
  drain: string,
  swaps: readonly Swap[],
  error: DrainError | undefined,
): Promise<readonly Swap[]> => {
  if (error === undefined) return swaps.filter(({ shortfall }) => shortfall !== undefined);
  const said = swaps.map((swap): Swap => {
    const { shortfall } = swap;
    if (shortfall === undefined) return { ...swap, shortfall: unreleasedYet(error.Error, error.Error) };
    if (shortfall.code !== 'still-in-service') return swap;
    return { ...swap, shortfall: unreleasedYet(shortfall.awsCode, error.Error) };
  });
  await recordFindings(store, drain, said);
  return said;
};
