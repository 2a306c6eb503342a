import { openHooks } from '../../core/drain/heartbeat.ts';
import { worksUntilTaken } from '../../core/drain/shortfall.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { onEach } from '../runtime/drain/on-each.ts';
import type { EndDrainPorts } from './ports.ts';
import { hooksNotCompleted, onlyForNow, type Undone } from './undone.ts';

const hooksAtOnce = 8;

/** What works until EC2 takes it keeps its hooks. The look that finds it ended completes them. */
const mayGoOn = (swap: Swap, nowMs: number): boolean =>
  swap.state === 'gone' || !worksUntilTaken(swap, nowMs) || (swap.deadlineMs ?? 0) <= nowMs;

/** Returns which hooks AWS could not complete now, if any. Such a failure does not hold up other hooks. */
export const completeHooks = async (
  { lifecycle, clock }: EndDrainPorts,
  swaps: readonly Swap[],
): Promise<Undone | undefined> => {
  const troubles = await onEach(
    swaps
      .filter((swap) => mayGoOn(swap, clock.now()))
      .flatMap((swap) => openHooks(swap).map((hook) => ({ instance: swap.instance, hook }))),
    hooksAtOnce,
    ({ instance, hook }) =>
      lifecycle.complete(instance, hook).then(
        () => undefined,
        (error) => ({ error: onlyForNow(error), expiresAtMs: hook.expiresAtMs }),
      ),
  );
  const held = troubles.filter((trouble) => trouble !== undefined);
  return held.length === 0 ? undefined : hooksNotCompleted(held, clock.now());
};
