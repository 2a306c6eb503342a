import { inParallel } from '../../../aws/calls/in-parallel.ts';
import { openHooks } from '../../../core/drain/heartbeat.ts';
import { worksUntilTaken } from '../../../core/drain/shortfall.ts';
import type { LeavingFact } from '../../../core/swap/claim.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { ReactPorts } from '../ports.ts';

const hooksAtOnce = 8;

/** Completes hooks of instances that will not get a drain. */
export const answerHooks = (
  leaving: readonly Pick<LeavingFact, 'instance' | 'hook'>[],
  { lifecycle }: Pick<ReactPorts, 'lifecycle'>,
): Promise<unknown> =>
  inParallel(leaving, hooksAtOnce, async ({ instance, hook }) =>
    hook === undefined ? undefined : lifecycle.complete(instance, hook),
  );

/** Completes the hooks that Auto Scaling groups still wait for at these instances. */
export const answerHooksOf = (swaps: readonly Swap[], ports: Pick<ReactPorts, 'lifecycle'>): Promise<unknown> =>
  answerHooks(
    swaps.flatMap((swap) => openHooks(swap).map((hook) => ({ instance: swap.instance, hook }))),
    ports,
  );

/**
 * Whether a drain left the hooks open at its end, because connections went on until EC2 took the instance. No drain is
 * left to complete them.
 */
export const isLeftOnHook = (swap: Swap): boolean => swap.state === 'drained' && worksUntilTaken(swap, 0);
