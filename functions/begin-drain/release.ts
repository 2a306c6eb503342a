import { type OpenSwap, sortByProgress } from '../../core/drain/look.ts';
import { foreseen, unreleasedShortfall } from '../../core/drain/shortfall.ts';
import type { Group } from '../../core/group.ts';
import type { ActionResult, CapacityOut, Clock, DrainOrder, StateStore } from '../../core/ports.ts';
import type { Swap } from '../../core/swap.ts';
import { recordForward, seenOver } from '../runtime/drain/record.ts';

/** What became of taking a batch out of service. */
export type Release = {
  /** Not taken out of service yet, to be tried again. */
  readonly putOff: readonly Swap[];
  readonly open: readonly OpenSwap[];
  /** Every swap of the drain whose instance was not seen gone. */
  readonly alive: readonly Swap[];
  readonly begun: number;
  readonly failed: ActionResult['failed'];
};

export type ReleasePorts = { readonly provider: CapacityOut; readonly store: StateStore; readonly clock: Clock };

const noAction: ActionResult = { done: [], failed: [] };

/** Swaps whose drain has begun by a release: taken out of service, or known never to be. One that the answer does not name is put off. */
const begunBy = (leaving: readonly Swap[], { done, failed }: ActionResult, startedAtMs: number): readonly Swap[] => {
  const released = new Set(done);
  const hopeless = new Map(failed.filter(({ retry }) => retry === 'never').map(({ instance, code }) => [instance, code]));
  return leaving.flatMap((swap): readonly Swap[] => {
    const code = hopeless.get(swap.instance);
    if (code === undefined && !released.has(swap.instance)) return [];
    return [{ ...swap, state: 'draining', drainStartedAtMs: startedAtMs, ...(code !== undefined && { shortfall: unreleasedShortfall(code) }) }];
  });
};

/**
 * Takes the `leaving` swaps out of service, looks where the whole batch stands, and records both in one write per swap.
 * The record comes after the call: a crash between them repeats a call that changes nothing the second time.
 */
export const releaseLeaving = async (ports: ReleasePorts, order: DrainOrder, group: Group, own: readonly Swap[]): Promise<Release> => {
  const { provider, store, clock } = ports;
  const startedAtMs = clock.now();
  const leaving = own.filter(({ state }) => state === 'leaving');
  const result = leaving.length === 0 ? noAction : await provider.release(group, leaving);
  const begun = begunBy(leaving, result, startedAtMs);
  const underway = [...own.filter(({ state }) => state !== 'leaving'), ...begun];
  const sorted = sortByProgress(underway, underway.length === 0 ? [] : await provider.inspectDrain(group, underway));
  const fresh = new Set(begun.map(({ instance }) => instance));
  const said = new Map(foreseen(sorted.open, group.drain.timeoutMs).map((swap) => [swap.instance, swap]));
  const opened = sorted.open.filter(({ swap }) => fresh.has(swap.instance)).map(({ swap }) => said.get(swap.instance) ?? swap);
  // What is over already as the drain begins was never taken out of service in time.
  const over = sorted.gone.map((swap): Swap => (fresh.has(swap.instance) ? { ...swap, state: 'leaving' } : swap));
  await recordForward(store, order.drain, [...opened, ...seenOver({ ...sorted, gone: over }, clock.now())]);
  const putOff = leaving.filter(({ instance }) => !fresh.has(instance));
  const gone = new Set(sorted.gone);
  return { putOff, open: sorted.open, alive: [...putOff, ...underway.filter((swap) => !gone.has(swap))], begun: begun.length, failed: result.failed };
};
