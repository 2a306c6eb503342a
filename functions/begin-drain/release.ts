import type { Missed } from '../../aws/calls/optional-read.ts';
import { unlessTroubled } from '../../aws/calls/unless-troubled.ts';
import { type OpenSwap, sortByProgress } from '../../core/drain/look.ts';
import { foreseen } from '../../core/drain/shortfall.ts';
import type { ActionResult, CapacityOut } from '../../core/ports/capacity-provider.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Clock } from '../../core/ports/surroundings.ts';
import { seenOver } from '../../core/swap/progress.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { recordFindings, recordForward } from '../runtime/drain/record.ts';
import { hadEnded, type Releasable, takeOut } from '../runtime/drain/take-out.ts';

/** The result of taking a batch out of service. */
export type Release = {
  /** Not out of service yet, to be tried again. */
  readonly putOff: readonly Swap[];
  /** Deregistered, and not ended by their Auto Scaling group yet. */
  readonly unended: readonly Swap[];
  readonly open: readonly OpenSwap[];
  /** Every swap of the drain whose instance was not seen gone. */
  readonly alive: readonly Swap[];
  readonly begun: number;
  readonly failed: ActionResult['failed'];
};

export type ReleasePorts = {
  readonly provider: CapacityOut;
  readonly store: StateStore;
  readonly clock: Clock;
  readonly missed: Missed;
};

/**
 * Takes the `leaving` swaps out of service, looks at the state of the whole batch, and records both in one write per
 * swap. The record comes after the call: a crash between them repeats a call that changes nothing the second time. A
 * look that AWS refuses now is left to the next step.
 */
export const releaseLeaving = async (
  ports: ReleasePorts,
  order: DrainOrder,
  of: Releasable,
  own: readonly Swap[],
): Promise<Release> => {
  const { provider, store, clock } = ports;
  const { group } = of;
  const wanted = own.filter(({ state }) => state === 'leaving');
  const { leaving, begun, failed } = await takeOut(ports, order.drain, of, wanted);
  const underway = [...own.filter(({ state }) => state !== 'leaving'), ...begun];
  const progress = underway.length === 0 ? [] : await unlessTroubled(provider.inspectDrain(group, underway));
  const sorted = sortByProgress(underway, progress ?? []);
  const fresh = new Set(begun.map(({ instance }) => instance));
  const said = new Map(foreseen(sorted.open, group.drain.timeoutMs).map((swap) => [swap.instance, swap]));
  const opened = sorted.open.flatMap((one) =>
    fresh.has(one.swap.instance) ? [said.get(one.swap.instance) ?? one.swap] : [],
  );
  await recordForward(store, order.drain, [...opened, ...seenOver(hadEnded(sorted, fresh), clock.now())]);
  const handedOver = [...said.values()].filter(({ instance }) => !fresh.has(instance));
  await recordFindings(store, order.drain, handedOver);
  const putOff = leaving.filter(({ instance }) => !fresh.has(instance));
  const gone = new Set(sorted.gone);
  const refused = new Set(failed.map(({ instance }) => instance));
  return {
    putOff,
    unended: begun.filter(({ instance }) => refused.has(instance)),
    open: sorted.open,
    alive: [...putOff, ...underway.filter((swap) => !gone.has(swap))],
    begun: begun.length,
    failed,
  };
};
