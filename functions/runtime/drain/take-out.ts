import { wasNotDone } from '../../../aws/calls/errors.ts';
import { unlessTroubled } from '../../../aws/calls/unless-troubled.ts';
import type { Sorted } from '../../../core/drain/look.ts';
import type { Group } from '../../../core/group/group.ts';
import type { ActionResult, CapacityOut, Released } from '../../../core/ports/capacity-provider.ts';
import type { StateStore } from '../../../core/ports/state-store.ts';
import type { Clock } from '../../../core/ports/surroundings.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { GroupState } from '../../../core/view/view.ts';
import { onEach } from './on-each.ts';
import { writesAtOnce } from './record.ts';

/** The group whose members a drain takes out of service, and its state item. */
export type Releasable = { readonly group: Group; readonly state: GroupState | undefined };

type TakeOutPorts = {
  readonly provider: Pick<CapacityOut, 'release'>;
  readonly store: StateStore;
  readonly clock: Clock;
};

const nothingDone: Released = { done: [], failed: [] };

/** The record about members that is written right before their termination through their Auto Scaling group. */
type Noted = {
  /** When each was noted. */
  readonly askedAtMs: Map<string, number>;
  /** Those that belong to another drain by now, or whose swap moved on. */
  readonly lost: Set<string>;
  /** Those that were to be terminated, with and without such a record. */
  readonly ending: Set<string>;
};

/**
 * Records which instances their release is about to terminate, immediately before it, so that a function that finds
 * them ended can read the cause. Returns those that may be terminated. An instance that could not be recorded waits for
 * the next attempt.
 */
const noteAsked =
  ({ store, clock }: TakeOutPorts, drain: string, leaving: readonly Swap[], { askedAtMs, lost, ending }: Noted) =>
  async (instances: readonly string[]): Promise<readonly string[]> => {
    const releaseAskedAtMs = clock.now();
    const going = new Set(instances);
    for (const instance of instances) ending.add(instance);
    const swaps = leaving.filter(({ instance }) => going.has(instance));
    await onEach(swaps, writesAtOnce, async (swap) => {
      const change = store.advance(swap, { from: ['leaving'], drain, set: { releaseAskedAtMs } });
      const noted = await unlessTroubled(change);
      if (noted === 'done') askedAtMs.set(swap.instance, releaseAskedAtMs);
      if (noted === 'conflict') lost.add(swap.instance);
    });
    return instances.filter((instance) => askedAtMs.has(instance));
  };

/**
 * Removes that record if AWS did not carry out the request. If AWS may have carried it out, the record stays. So does
 * one of an earlier attempt: the failure of this one says nothing about that.
 */
const takeBack = async (
  { store }: TakeOutPorts,
  drain: string,
  { before, leaving }: { readonly before: readonly Swap[]; readonly leaving: readonly Swap[] },
  failed: ActionResult['failed'],
): Promise<readonly Swap[]> => {
  const codes = new Map(failed.map(({ instance, code }) => [instance, code]));
  const askedBefore = new Set(
    before.flatMap(({ instance, releaseAskedAtMs }) => (releaseAskedAtMs === undefined ? [] : [instance])),
  );
  const isFirst = ({ instance, releaseAskedAtMs }: Swap): boolean =>
    releaseAskedAtMs !== undefined && !askedBefore.has(instance);
  return onEach(leaving, writesAtOnce, async (swap) => {
    if (!isFirst(swap) || !wasNotDone(codes.get(swap.instance))) return swap;
    const { releaseAskedAtMs: _, ...rest } = swap;
    await store.advance(swap, { from: ['leaving'], drain, set: {}, clear: ['releaseAskedAtMs'] });
    return rest;
  });
};

/**
 * Records since when members are out of some target groups, where others did not let them go yet. So a later look knows
 * until when the connections of each last. The record of an earlier try stays.
 */
const noteLeft = async (
  { store }: TakeOutPorts,
  drain: string,
  leaving: readonly Swap[],
  { leftTargetGroups = {} }: Released,
  atMs: number,
): Promise<readonly Swap[]> =>
  onEach(leaving, writesAtOnce, async (swap) => {
    const before = swap.leftTargetGroupsAtMs ?? {};
    const fresh = (leftTargetGroups[swap.instance] ?? []).filter((arn) => before[arn] === undefined);
    if (fresh.length === 0) return swap;
    const leftTargetGroupsAtMs = { ...before, ...Object.fromEntries(fresh.map((arn) => [arn, atMs])) };
    await unlessTroubled(store.advance(swap, { from: ['leaving'], drain, set: { leftTargetGroupsAtMs } }));
    return { ...swap, leftTargetGroupsAtMs };
  });

/** What became of the members that were to be taken out of service. */
type TakenOut = {
  /** Those that still belong to this drain, as they were before. */
  readonly leaving: readonly Swap[];
  /** Those of them that are out of service now, as `draining`. */
  readonly begun: readonly Swap[];
  readonly failed: ActionResult['failed'];
};

/**
 * Takes members out of service, at the begin of a drain and at its end alike: no more are ended through their Auto
 * Scaling group than have a replacement, and the end of each is recorded first.
 */
export const takeOut = async (
  ports: TakeOutPorts,
  drain: string,
  { group, state }: Releasable,
  wanted: readonly Swap[],
): Promise<TakenOut> => {
  if (wanted.length === 0) return { leaving: [], begun: [], failed: [] };
  const startedAtMs = ports.clock.now();
  const noted: Noted = { askedAtMs: new Map(), lost: new Set(), ending: new Set() };
  const releasing = {
    uncovered: state?.uncovered ?? 0,
    ...(state && { wanted: state.desired + (group.spare ?? 0) }),
    beforeEnding: noteAsked(ports, drain, wanted, noted),
  };
  const result = (await unlessTroubled(ports.provider.release(group, wanted, releasing))) ?? nothingDone;
  const asked = wanted.flatMap((swap): readonly Swap[] => {
    if (noted.lost.has(swap.instance)) return [];
    const releaseAskedAtMs = noted.askedAtMs.get(swap.instance);
    return [releaseAskedAtMs === undefined ? swap : { ...swap, releaseAskedAtMs }];
  });
  const { done, failed, deregisteredAtMs = {} } = result;
  const leaving = await noteLeft(
    ports,
    drain,
    await takeBack(ports, drain, { before: wanted, leaving: asked }, failed),
    result,
    startedAtMs,
  );
  const unnoted = (instance: string): boolean => noted.ending.has(instance) && !noted.askedAtMs.has(instance);
  const released = new Set(done.filter((instance) => !unnoted(instance)));
  const begun = leaving.flatMap(({ shortfall: _past, ...swap }): readonly Swap[] => {
    const drainStartedAtMs = released.has(swap.instance) ? startedAtMs : deregisteredAtMs[swap.instance];
    return drainStartedAtMs === undefined ? [] : [{ ...swap, state: 'draining', drainStartedAtMs }];
  });
  return { leaving, begun, failed };
};

/**
 * What a look found right after members were taken out of service. One that had ended or stopped by then had no drain:
 * no call shows whether it ended before it was taken out, or in the moment until that look.
 */
export const hadEnded = (seen: Sorted, begun: ReadonlySet<string>): Sorted => {
  const asTheyWere = (swaps: readonly Swap[]): readonly Swap[] =>
    swaps.map((swap): Swap => (begun.has(swap.instance) ? { ...swap, state: 'leaving' } : swap));
  return { ...seen, gone: asTheyWere(seen.gone), stopped: asTheyWere(seen.stopped) };
};
