import { wasNotDone } from '../../aws/calls/errors.ts';
import { unlessTroubled } from '../../aws/calls/unless-troubled.ts';
import { type OpenSwap, sortByProgress } from '../../core/drain/look.ts';
import { foreseen } from '../../core/drain/shortfall.ts';
import type { Group } from '../../core/group/group.ts';
import type { ActionResult, CapacityOut, Released } from '../../core/ports/capacity-provider.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Clock } from '../../core/ports/surroundings.ts';
import { seenOver } from '../../core/swap/progress.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { GroupState } from '../../core/view/view.ts';
import { onEach } from '../runtime/drain/on-each.ts';
import { recordFindings, recordForward, writesAtOnce } from '../runtime/drain/record.ts';

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

/** The group whose members a drain takes out of service, and its state item. */
export type Releasable = { readonly group: Group; readonly state: GroupState | undefined };

const noAction: Released = { done: [], failed: [] };

/** Swaps whose drain has begun: their instances were taken out of service. The others are put off. */
const begunBy = (
  leaving: readonly Swap[],
  { done, deregisteredAtMs = {} }: Released,
  startedAtMs: number,
): readonly Swap[] => {
  const released = new Set(done);
  return leaving.flatMap(({ shortfall: _past, ...swap }): readonly Swap[] => {
    const drainStartedAtMs = released.has(swap.instance) ? startedAtMs : deregisteredAtMs[swap.instance];
    return drainStartedAtMs === undefined ? [] : [{ ...swap, state: 'draining', drainStartedAtMs }];
  });
};

/** The record about members that is written right before their termination through their Auto Scaling group. */
type Noted = {
  /** When each was noted. */
  readonly askedAtMs: Map<string, number>;
  /** Those that belong to another drain by now, or whose swap moved on. */
  readonly lost: Set<string>;
};

/**
 * Records which instances their release is about to terminate, immediately before it, so that a function that finds
 * them ended can read the cause. Returns those that may be terminated. An instance that could not be recorded waits for
 * the next attempt.
 */
const noteAsked =
  ({ store, clock }: ReleasePorts, drain: string, leaving: readonly Swap[], { askedAtMs, lost }: Noted) =>
  async (instances: readonly string[]): Promise<readonly string[]> => {
    const releaseAskedAtMs = clock.now();
    const going = new Set(instances);
    const swaps = leaving.filter(({ instance }) => going.has(instance));
    await onEach(swaps, writesAtOnce, async (swap) => {
      const change = store.advance(swap, { from: ['leaving'], drain, set: { releaseAskedAtMs } });
      const noted = await unlessTroubled(change);
      if (noted === 'done') askedAtMs.set(swap.instance, releaseAskedAtMs);
      if (noted === 'conflict') lost.add(swap.instance);
    });
    return instances.filter((instance) => askedAtMs.has(instance));
  };

/** Removes that record if AWS did not carry out the request. If AWS may have carried it out, the record stays. */
const takeBack = async (
  { store }: ReleasePorts,
  drain: string,
  leaving: readonly Swap[],
  failed: ActionResult['failed'],
): Promise<readonly Swap[]> => {
  const codes = new Map(failed.map(({ instance, code }) => [instance, code]));
  return onEach(leaving, writesAtOnce, async (swap) => {
    if (swap.releaseAskedAtMs === undefined || !wasNotDone(codes.get(swap.instance))) return swap;
    const { releaseAskedAtMs: _, ...rest } = swap;
    await store.advance(swap, { from: ['leaving'], drain, set: {}, clear: ['releaseAskedAtMs'] });
    return rest;
  });
};

/** Takes members out of service. Returns those that still belong to this drain, and what became of each. */
const releaseNow = async (
  ports: ReleasePorts,
  drain: string,
  { group, state }: Releasable,
  wanted: readonly Swap[],
): Promise<{ readonly leaving: readonly Swap[]; readonly result: Released }> => {
  if (wanted.length === 0) return { leaving: [], result: noAction };
  const noted: Noted = { askedAtMs: new Map(), lost: new Set() };
  const beforeEnding = noteAsked(ports, drain, wanted, noted);
  const releasing = { uncovered: state?.uncovered ?? 0, beforeEnding };
  const result = (await unlessTroubled(ports.provider.release(group, wanted, releasing))) ?? noAction;
  const leaving = wanted.flatMap((swap): readonly Swap[] => {
    if (noted.lost.has(swap.instance)) return [];
    const releaseAskedAtMs = noted.askedAtMs.get(swap.instance);
    return [releaseAskedAtMs === undefined ? swap : { ...swap, releaseAskedAtMs }];
  });
  return { leaving, result };
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
  const startedAtMs = clock.now();
  const wanted = own.filter(({ state }) => state === 'leaving');
  const { leaving: asked, result } = await releaseNow(ports, order.drain, of, wanted);
  const leaving = await takeBack(ports, order.drain, asked, result.failed);
  const begun = begunBy(leaving, result, startedAtMs);
  const underway = [...own.filter(({ state }) => state !== 'leaving'), ...begun];
  const progress = underway.length === 0 ? [] : await unlessTroubled(provider.inspectDrain(group, underway));
  const sorted = sortByProgress(underway, progress ?? []);
  const fresh = new Set(begun.map(({ instance }) => instance));
  const said = new Map(foreseen(sorted.open, group.drain.timeoutMs).map((swap) => [swap.instance, swap]));
  const opened = sorted.open.flatMap((one) =>
    fresh.has(one.swap.instance) ? [said.get(one.swap.instance) ?? one.swap] : [],
  );
  // An instance that had ended or stopped when the drain began was never taken out of service in time.
  const asTheyWere = (swaps: readonly Swap[]): readonly Swap[] =>
    swaps.map((swap): Swap => (fresh.has(swap.instance) ? { ...swap, state: 'leaving' } : swap));
  const over = { ...sorted, gone: asTheyWere(sorted.gone), stopped: asTheyWere(sorted.stopped) };
  await recordForward(store, order.drain, [...opened, ...seenOver(over, clock.now())]);
  const handedOver = [...said.values()].filter(({ instance }) => !fresh.has(instance));
  await recordFindings(store, order.drain, handedOver);
  const putOff = leaving.filter(({ instance }) => !fresh.has(instance));
  const gone = new Set(sorted.gone);
  return {
    putOff,
    open: sorted.open,
    alive: [...putOff, ...underway.filter((swap) => !gone.has(swap))],
    begun: begun.length,
    failed: result.failed,
  };
};
