import { unreleasedShortfall } from '../../core/drain/shortfall.ts';
import type { Group } from '../../core/group/group.ts';
import type { Released } from '../../core/ports/capacity-provider.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { Batch } from '../runtime/drain/batch.ts';
import { type Asked, askAgain } from '../runtime/drain/late.ts';
import type { DrainPorts } from '../runtime/drain/ports.ts';

const tryRelease = async ({ providerFor }: DrainPorts, group: Group, leaving: readonly Swap[]): Promise<Released> => {
  try {
    return await providerFor(group.holding).release(group, leaving);
  } catch (failure) {
    const code = failure instanceof Error ? failure.name : String(failure);
    return { done: [], failed: leaving.map(({ instance }) => ({ instance, code, retry: 'later' as const })) };
  }
};

/**
 * Compares members that could not be taken out of service so far once more, because the last attempt takes them out.
 * Those that wait go on a drain of their own with the next look.
 */
export const askFirst = async (
  { store, clock, providerFor }: DrainPorts,
  order: DrainOrder,
  batch: Batch,
  own: readonly Swap[],
): Promise<Asked> => {
  const { group, isLetGo } = batch;
  if (group === undefined || isLetGo) return { goes: own, waits: [], stays: [] };
  return askAgain({ store, clock, provider: providerFor(group.holding) }, order, { group, batch }, own);
};

/**
 * The last attempt to take instances out of service whose drain failed or ran out of time, so that at least no new work
 * reaches them. An error becomes their shortfall, because a drain must come to its end even if calls fail.
 */
export const releaseLate = async (ports: DrainPorts, group: Group, own: readonly Swap[]): Promise<readonly Swap[]> => {
  const leaving = own.filter(({ state }) => state === 'leaving');
  if (leaving.length === 0) return own;
  const { failed, deregisteredAtMs = {} } = await tryRelease(ports, group, leaving);
  const codes = new Map(failed.map(({ instance, code }) => [instance, code]));
  return own.map((swap): Swap => {
    const code = codes.get(swap.instance);
    const drainStartedAtMs = deregisteredAtMs[swap.instance];
    if (drainStartedAtMs !== undefined) return { ...swap, state: 'draining', drainStartedAtMs };
    return code === undefined ? swap : { ...swap, shortfall: unreleasedShortfall(code) };
  });
};
