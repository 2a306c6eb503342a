import { beganTooLate } from '../../core/drain/drain.ts';
import { unreleasedShortfall } from '../../core/drain/shortfall.ts';
import type { CapacityOut, Released } from '../../core/ports/capacity-provider.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import { traitsOf } from '../../core/removal/leave-reason.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { Batch } from '../runtime/drain/batch.ts';
import { type Asked, askAgain } from '../runtime/drain/late.ts';
import type { DrainPorts } from '../runtime/drain/ports.ts';
import { takeOut } from '../runtime/drain/take-out.ts';

/** A provider whose failures count for the members that were to be released. */
const catching = (provider: CapacityOut): Pick<CapacityOut, 'release'> => ({
  release: (group, leaving, releasing) =>
    provider.release(group, leaving, releasing).catch((failure: unknown): Released => {
      const code = failure instanceof Error ? failure.name : String(failure);
      return { done: [], failed: leaving.map(({ instance }) => ({ instance, code, retry: 'later' })) };
    }),
});

/**
 * Compares members that could not be taken out of service so far once more, because the last attempt takes them out.
 * For those that wait, the drain begins again later.
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

/** The members of a batch after the last attempt to take them out of service. */
export type ReleasedLate = {
  readonly swaps: readonly Swap[];
  /** Those that this attempt took out, while EC2 leaves them some time. */
  readonly begun: ReadonlySet<string>;
};

/**
 * Whether a drain that is about to end has begun nevertheless: EC2 leaves the member for a while after that. Any other
 * member is ended now.
 */
const drainsOn = (swap: Swap): boolean => traitsOf(swap).endedBy === 'ec2' && !beganTooLate(swap);

/**
 * The last attempt to take instances out of service whose drain failed or ran out of time, so that at least no new work
 * reaches them. An error becomes their shortfall, because a drain must come to its end even if calls fail. A
 * group that was let go keeps its members.
 */
export const releaseLate = async (
  { store, clock, providerFor }: DrainPorts,
  order: DrainOrder,
  { group, state, isLetGo }: Batch,
  own: readonly Swap[],
): Promise<ReleasedLate> => {
  if (group === undefined || isLetGo) return { swaps: own, begun: new Set() };
  const wanted = own.filter(({ state }) => state === 'leaving');
  const ports = { store, clock, provider: catching(providerFor(group.holding)) };
  const { leaving, begun, failed } = await takeOut(ports, order.drain, { group, state }, wanted);
  const codes = new Map(failed.map(({ instance, code }) => [instance, code]));
  const out = new Map(begun.map((swap) => [swap.instance, swap]));
  const asked = new Map(leaving.map((swap) => [swap.instance, swap]));
  const after = (swap: Swap): Swap => {
    const { instance } = swap;
    const drains = out.get(instance);
    const code = codes.get(instance);
    if (drains !== undefined && (code !== undefined || drainsOn(drains))) return drains;
    const now = asked.get(instance) ?? swap;
    return code === undefined ? now : { ...now, shortfall: unreleasedShortfall(code) };
  };
  const swaps = own.map(after);
  const isBegun = (swap: Swap): boolean => swap.state === 'draining' && out.has(swap.instance);
  return { swaps, begun: new Set(swaps.filter(isBegun).map(({ instance }) => instance)) };
};
