import { brokenShortfall, type DrainError } from '../../core/drain/shortfall.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { recordFindings } from '../runtime/drain/record.ts';

const isUnsure = ({ shortfall }: Swap): boolean => shortfall?.code === 'ended-before-drain';

/** An attempt of a step died. Step Functions repeats it, and does not say why it died. */
export const attemptBroke: DrainError = {
  Error: 'AttemptFailed',
  Cause: 'an attempt to take members out of service broke off, perhaps without a record',
};

/**
 * Corrects the shortfalls of instances that ended while their drain, or an attempt of it, failed. By a look, they
 * ended before they were taken out of service. But they may have been taken out, if the write that failed was the
 * record of that. Returns all swaps.
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
