import { isFromAws, retryOf } from '../../aws/calls/errors.ts';
import { openHooks } from '../../core/drain/heartbeat.ts';
import { worksUntilTaken } from '../../core/drain/shortfall.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { onEach } from '../runtime/drain/on-each.ts';
import type { EndDrainPorts } from './ports.ts';

const hooksAtOnce = 8;

/** What works until EC2 takes it keeps its hooks. The look that finds it ended completes them. */
const mayGoOn = (swap: Swap, nowMs: number): boolean =>
  swap.state === 'gone' || !worksUntilTaken(swap, nowMs) || (swap.deadlineMs ?? 0) <= nowMs;

/** Returns an error that a repeat may solve. Any other error is thrown. */
export const onlyForNow = (error: unknown): unknown => {
  if (isFromAws(error) && retryOf(error) === 'later') return error;
  throw error;
};

/** Returns why AWS could not complete a hook now, if any. Such an error does not hold up other hooks. */
export const completeHooks = async ({ lifecycle, clock }: EndDrainPorts, swaps: readonly Swap[]): Promise<unknown> => {
  const troubles = await onEach(
    swaps
      .filter((swap) => mayGoOn(swap, clock.now()))
      .flatMap((swap) => openHooks(swap).map((hook) => ({ instance: swap.instance, hook }))),
    hooksAtOnce,
    ({ instance, hook }) => lifecycle.complete(instance, hook).then(() => undefined, onlyForNow),
  );
  return troubles.find((trouble) => trouble !== undefined);
};
