import { notAsked, wasNotDone } from '../../aws/calls/errors.ts';
import { unlessTroubled } from '../../aws/calls/unless-troubled.ts';
import { type OpenSwap, sortByProgress } from '../../core/drain/look.ts';
import { foreseen, unreleasedShortfall } from '../../core/drain/shortfall.ts';
import type { Group } from '../../core/group/group.ts';
import { howHeld } from '../../core/group/holding.ts';
import type { ActionResult, CapacityOut } from '../../core/ports/capacity-provider.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Clock } from '../../core/ports/surroundings.ts';
import { traitsOf } from '../../core/removal/leave-reason.ts';
import { seenOver } from '../../core/swap/progress.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { onEach } from '../runtime/drain/on-each.ts';
import { recordForward, recordShortfalls, writesAtOnce } from '../runtime/drain/record.ts';

/** The result of taking a batch out of service. */
export type Release = {
  /** Not out of service yet, to be tried again. */
  readonly putOff: readonly Swap[];
  readonly open: readonly OpenSwap[];
  /** Every swap of the drain whose instance was not seen gone. */
  readonly alive: readonly Swap[];
  readonly begun: number;
  readonly failed: ActionResult['failed'];
};

export type ReleasePorts = { readonly provider: CapacityOut; readonly store: StateStore; readonly clock: Clock };

const noAction: ActionResult = { done: [], failed: [] };

/**
 * Swaps whose drain has begun: their instances were taken out of service, or can never be. A swap that the result does
 * not name is put off.
 */
const begunBy = (leaving: readonly Swap[], { done, failed }: ActionResult, startedAtMs: number): readonly Swap[] => {
  const released = new Set(done);
  const hopeless = new Map(
    failed.filter(({ retry }) => retry === 'never').map(({ instance, code }) => [instance, code]),
  );
  return leaving.flatMap((swap): readonly Swap[] => {
    const code = hopeless.get(swap.instance);
    if (code === undefined && !released.has(swap.instance)) return [];
    return [
      {
        ...swap,
        state: 'draining',
        drainStartedAtMs: startedAtMs,
        ...(code !== undefined && { shortfall: unreleasedShortfall(code) }),
      },
    ];
  });
};

/**
 * Whether leaving service terminates the instance: a member of an Auto Scaling group leaves through the group, which
 * terminates it, also where the policy holds its members elsewhere by now. The group already terminates a member that
 * waits on a hook.
 */
const endsByRelease = (group: Group, swap: Swap): boolean =>
  (howHeld(group).isInAsgs || swap.asg !== undefined) && traitsOf(swap).endedBy !== 'auto-scaling';

/**
 * Records which instances are about to be terminated by their release. Returns those that still belong to this drain.
 */
const noteAsked = async (
  { store, clock }: ReleasePorts,
  drain: string,
  group: Group,
  leaving: readonly Swap[],
): Promise<readonly Swap[]> => {
  const releaseAskedAtMs = clock.now();
  const noted = await onEach(leaving, writesAtOnce, async (swap) =>
    endsByRelease(group, swap) ? store.advance(swap, { from: ['leaving'], drain, set: { releaseAskedAtMs } }) : 'done',
  );
  return leaving
    .filter((_, index) => noted[index] === 'done')
    .map((swap) => (endsByRelease(group, swap) ? { ...swap, releaseAskedAtMs } : swap));
};

const unanswered = (leaving: readonly Swap[]): ActionResult => ({
  done: [],
  failed: leaving.map(({ instance }) => ({ instance, code: notAsked, retry: 'later' })),
});

/**
 * Removes that record for instances that were not released: they were not requested, or refused. A request that may
 * have been carried out keeps it.
 */
const takeBack = async (
  { store }: ReleasePorts,
  drain: string,
  putOff: readonly Swap[],
  failed: ActionResult['failed'],
): Promise<readonly Swap[]> => {
  const codes = new Map(failed.map(({ instance, code }) => [instance, code]));
  return onEach(putOff, writesAtOnce, async (swap) => {
    if (swap.releaseAskedAtMs === undefined || !wasNotDone(codes.get(swap.instance))) return swap;
    const { releaseAskedAtMs: _, ...rest } = swap;
    await store.advance(swap, { from: ['leaving'], drain, set: {}, clear: ['releaseAskedAtMs'] });
    return rest;
  });
};

const untilWhen = ({ busyUntilMs }: OpenSwap): Pick<Swap, 'busyUntilMs'> =>
  busyUntilMs === undefined ? {} : { busyUntilMs };

/** How many members nothing could give when the group was last decided, where these are held by Auto Scaling groups. */
const uncoveredIn = async ({ store }: ReleasePorts, group: Group, leaving: readonly Swap[]): Promise<number> =>
  leaving.some((swap) => endsByRelease(group, swap)) ? ((await store.state(group.name))?.uncovered ?? 0) : 0;

/**
 * Takes the `leaving` swaps out of service, looks at the state of the whole batch, and records both in one write per
 * swap. The record comes after the call: a crash between them repeats a call that changes nothing the second time. A
 * look that AWS refuses now is left to the next step.
 */
export const releaseLeaving = async (
  ports: ReleasePorts,
  order: DrainOrder,
  group: Group,
  own: readonly Swap[],
): Promise<Release> => {
  const { provider, store, clock } = ports;
  const startedAtMs = clock.now();
  const wanted = own.filter(({ state }) => state === 'leaving');
  const leaving = await noteAsked(ports, order.drain, group, wanted);
  const uncovered = await uncoveredIn(ports, group, leaving);
  const result =
    leaving.length === 0
      ? noAction
      : ((await unlessTroubled(provider.release(group, leaving, uncovered))) ?? unanswered(leaving));
  const begun = begunBy(leaving, result, startedAtMs);
  const underway = [...own.filter(({ state }) => state !== 'leaving'), ...begun];
  const progress = underway.length === 0 ? [] : await unlessTroubled(provider.inspectDrain(group, underway));
  const sorted = sortByProgress(underway, progress ?? []);
  const fresh = new Set(begun.map(({ instance }) => instance));
  const said = new Map(foreseen(sorted.open, group.drain.timeoutMs).map((swap) => [swap.instance, swap]));
  const opened = sorted.open.flatMap((one) =>
    fresh.has(one.swap.instance) ? [{ ...(said.get(one.swap.instance) ?? one.swap), ...untilWhen(one) }] : [],
  );
  // An instance that had ended or stopped when the drain began was never taken out of service in time.
  const asTheyWere = (swaps: readonly Swap[]): readonly Swap[] =>
    swaps.map((swap): Swap => (fresh.has(swap.instance) ? { ...swap, state: 'leaving' } : swap));
  const over = { ...sorted, gone: asTheyWere(sorted.gone), stopped: asTheyWere(sorted.stopped) };
  await recordForward(store, order.drain, [...opened, ...seenOver(over, clock.now())]);
  const handedOver = [...said.values()].filter(({ instance }) => !fresh.has(instance));
  await recordShortfalls(store, order.drain, handedOver);
  const putOff = await takeBack(
    ports,
    order.drain,
    leaving.filter(({ instance }) => !fresh.has(instance)),
    result.failed,
  );
  const gone = new Set(sorted.gone);
  return {
    putOff,
    open: sorted.open,
    alive: [...putOff, ...underway.filter((swap) => !gone.has(swap))],
    begun: begun.length,
    failed: result.failed,
  };
};
