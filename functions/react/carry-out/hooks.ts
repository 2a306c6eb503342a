import { inParallel } from '../../../aws/calls/in-parallel.ts';
import type { LeavingFact } from '../../../core/swap/claim.ts';
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
