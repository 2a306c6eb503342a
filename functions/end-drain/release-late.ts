import { unreleasedShortfall } from '../../core/drain/shortfall.ts';
import type { Group } from '../../core/group/group.ts';
import type { ActionResult } from '../../core/ports/capacity-provider.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { DrainPorts } from '../runtime/drain/ports.ts';

const tryRelease = async (
  { providerFor }: DrainPorts,
  group: Group,
  leaving: readonly Swap[],
): Promise<ActionResult> => {
  try {
    return await providerFor(group.holding).release(group, leaving);
  } catch (failure) {
    const code = failure instanceof Error ? failure.name : String(failure);
    return { done: [], failed: leaving.map(({ instance }) => ({ instance, code, retry: 'later' as const })) };
  }
};

/**
 * The last attempt to take instances out of service whose drain failed or ran out of time, so that at least no new work
 * reaches them. An error becomes their shortfall, because a drain must come to its end even if calls fail.
 */
export const releaseLate = async (ports: DrainPorts, group: Group, own: readonly Swap[]): Promise<readonly Swap[]> => {
  const leaving = own.filter(({ state }) => state === 'leaving');
  if (leaving.length === 0) return own;
  const { failed } = await tryRelease(ports, group, leaving);
  const codes = new Map(failed.map(({ instance, code }) => [instance, code]));
  return own.map((swap) => {
    const code = codes.get(swap.instance);
    return code === undefined ? swap : { ...swap, shortfall: unreleasedShortfall(code) };
  });
};
