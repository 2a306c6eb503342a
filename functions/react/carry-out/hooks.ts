import { isFromAws, retryOf } from '../../../aws/calls/errors.ts';
import { eachInParallel, type Failed } from '../../../aws/calls/in-parallel.ts';
import { metrics } from '../../../core/contract.ts';
import { openHooks } from '../../../core/drain/heartbeat.ts';
import type { LeavingFact } from '../../../core/swap/claim.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { ReactPorts } from '../ports.ts';

const hooksAtOnce = 8;

/**
 * Completes the hooks of these instances. Returns the first failure, so that callers do their other work first and
 * throw it then. After the throw, the message about the hook is delivered again.
 */
export const completeHooks = (
  leaving: readonly Pick<LeavingFact, 'instance' | 'hook'>[],
  { lifecycle }: Pick<ReactPorts, 'lifecycle'>,
): Promise<Failed> =>
  eachInParallel(leaving, hooksAtOnce, async ({ instance, hook }) =>
    hook === undefined ? undefined : lifecycle.complete(instance, hook),
  );

/**
 * Completes the hooks that Auto Scaling groups still wait for at these instances. Returns the swaps whose hooks AWS may
 * complete at a later look. If AWS denies the call for good, a log entry and a metric report it, and the hook expires.
 */
export const completeHooksOf = async (
  swaps: readonly Swap[],
  { lifecycle, telemetry }: Pick<ReactPorts, 'lifecycle' | 'telemetry'>,
): Promise<ReadonlySet<Swap>> => {
  const later = new Set<Swap>();
  await eachInParallel(swaps, hooksAtOnce, async (swap) => {
    const hooks = openHooks(swap).map((hook) => ({ instance: swap.instance, hook }));
    const { failure } = await completeHooks(hooks, { lifecycle });
    if (failure === undefined) return;
    if (isFromAws(failure.error) && retryOf(failure.error) === 'later') later.add(swap);
    telemetry.count(metrics.actionsFailed);
    telemetry.logger.error('A lifecycle hook could not be completed.', { instance: swap.instance, ...failure });
  });
  return later;
};
