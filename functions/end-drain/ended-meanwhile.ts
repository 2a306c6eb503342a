import { brokenShortfall, type DrainError } from '../../core/drain/shortfall.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { recordFindings } from '../runtime/drain/record.ts';

const isUnsure = ({ shortfall }: Swap): boolean => shortfall?.code === 'ended-before-drain';

/** What is known of attempts that failed. Step Functions repeats a step, and does not say why an attempt failed. */
export type Attempts = {
  /** Whether an attempt to take members out of service broke off. */
  readonly brokeOff?: true | undefined;
  /** Whether an earlier attempt of the last step failed. It too takes members out of service. */
  readonly isRepeat?: true | undefined;
};

const attemptBroke: DrainError = {
  Error: 'AttemptFailed',
  Cause: 'an attempt to take members out of service broke off, perhaps without a record',
};

const corrected = async (
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

/**
 * Corrects the shortfalls of instances that ended while their drain, or an attempt of it, failed. By a look, they
 * ended before they were taken out of service. But they may have been taken out, if the write that failed was the
 * record of that. Returns every swap of the drain whose instance is gone.
 *
 * @param before those that were gone before this step
 * @param closed those that this step has closed
 */
export const endedMeanwhile = async (
  store: StateStore,
  drain: string,
  { before, closed }: { readonly before: readonly Swap[]; readonly closed: readonly Swap[] },
  { error, brokeOff, isRepeat }: Attempts & { readonly error: DrainError | undefined },
): Promise<readonly Swap[]> => {
  const found = closed.filter(({ state }) => state === 'gone');
  return [
    ...(await corrected(store, drain, before, error ?? (brokeOff && attemptBroke))),
    ...(await corrected(store, drain, found, error ?? ((brokeOff || isRepeat) && attemptBroke))),
  ];
};
