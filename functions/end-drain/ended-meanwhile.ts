import { brokenShortfall, type DrainError } from '../../core/drain/shortfall.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { recordFindings } from '../runtime/drain/record.ts';

const isUnsure = ({ shortfall }: Swap): boolean => shortfall?.code === 'ended-before-drain';

/**
 * Corrects the shortfalls of instances that ended while their drain broke. A look said that they had ended before they
 * were taken out of service. They may have been taken out: the record of that may be what failed. Returns all swaps.
 */
export const endedMeanwhile = async (
  store: StateStore,
  drain: string,
  gone: readonly Swap[],
  error: DrainError | undefined,
): Promise<readonly Swap[]> => {
  if (error === undefined) return gone;
  const [unsure, sure] = [gone.filter(isUnsure), gone.filter((swap) => !isUnsure(swap))];
  const said = unsure.map((swap): Swap => ({ ...swap, shortfall: brokenShortfall(error) }));
  await recordFindings(store, drain, said);
  return [...sure, ...said];
};
