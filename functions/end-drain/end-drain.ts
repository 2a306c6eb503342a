import type { EndStep } from '../../core/contract.ts';
import { orderedAtMs } from '../../core/drain/begin.ts';
import { drainEndsByMs } from '../../core/drain/drain.ts';
import { type Sorted, sortByProgress } from '../../core/drain/look.ts';
import {
  asDrainedInTime,
  brokenShortfall,
  type DrainError,
  endsUncutAtMs,
  foreseen,
  lastingShortfall,
  unfinishedShortfall,
  unseenShortfall,
} from '../../core/drain/shortfall.ts';
import type { Group } from '../../core/group/group.ts';
import type { ActionResult } from '../../core/ports/capacity-provider.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import { isCalledOff } from '../../core/swap/kept-in-service.ts';
import { asDrained, seenOver } from '../../core/swap/progress.ts';
import { belowMinSize, type Shortfall } from '../../core/swap/shortfall.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { drainAgainAtMs } from '../../core/times/again.ts';
import { type Batch, gatherBatch, hasBegun } from '../runtime/drain/batch.ts';
import { recordForward } from '../runtime/drain/record.ts';
import { stepAt } from '../runtime/drain/step.ts';
import { hadEnded } from '../runtime/drain/take-out.ts';
import { completeHooks } from './complete-hooks.ts';
import { endOurs, recordKept, refusedOf } from './end-ours.ts';
import { type Attempts, endedMeanwhile } from './ended-meanwhile.ts';
import { leaveAsTheyAre, leaveInService, partsOf } from './left-alone.ts';
import type { EndDrainPorts } from './ports.ts';
import { askFirst, type ReleasedLate, releaseLate } from './release-late.ts';
import { lateIn, tellEnd, tellLate } from './tell-end.ts';
import { instancesNotEnded, stepAfterEnd } from './undone.ts';
import { wakeGroup, wakeIfLost } from './wake.ts';

/**
 * What the end of a drain did, and what comes next. `late`: how many instances could not be drained in full. `failed`:
 * which AWS refuses to terminate, and why.
 */
export type EndOutcome = {
  readonly step: EndStep;
  readonly drained: number;
  readonly gone: number;
  readonly ended: number;
  readonly late: number;
  readonly failed: ActionResult['failed'];
};

type Ending = {
  readonly ports: EndDrainPorts;
  readonly order: DrainOrder;
  readonly error: DrainError | undefined;
  readonly group: Group | undefined;
  readonly isLetGo: boolean;
};

/** Whether its group was let go before its drain began, so that it keeps its work. */
const isUntouched = (swap: Swap, { group, isLetGo }: Pick<Ending, 'group' | 'isLetGo'>): boolean =>
  group === undefined || (isLetGo && !hasBegun(swap));

const shortfallOf = (swap: Swap, ending: Ending, wasSeen: boolean): Shortfall => {
  const { error, group } = ending;
  const known = lastingShortfall(swap);
  if (known !== undefined) return known;
  if (group === undefined || isUntouched(swap, ending)) return { code: 'let-go' };
  if (error !== undefined) return brokenShortfall(error);
  const isKnown = wasSeen && !swap.isUnread;
  return isKnown || swap.state === 'leaving' ? unfinishedShortfall(swap, group.drain.timeoutMs) : unseenShortfall;
};

/**
 * A swap whose drain is over and whose instance was not seen drained. If it kept its work (its group was let go, or AWS
 * refused), it has no time of draining.
 */
const closedLate = (swap: Swap, ending: Ending, wasSeen: boolean, nowMs: number): Swap => {
  const { error, group } = ending;
  const uncutMs =
    error === undefined && group !== undefined && !isUntouched(swap, ending)
      ? endsUncutAtMs(swap, group.drain.timeoutMs)
      : undefined;
  if (uncutMs !== undefined) return asDrainedInTime({ ...swap, drainedAtMs: uncutMs }, nowMs);
  const shortfall = shortfallOf(swap, ending, wasSeen);
  return shortfall.code === 'let-go' || shortfall.code === 'not-released'
    ? { ...swap, state: 'drained', shortfall }
    : { ...asDrained(swap, nowMs), shortfall };
};

/** What the last look found, and which instances it showed. */
type LastLook = { readonly sorted: Sorted; readonly shown: ReadonlySet<string> };

/**
 * The last look at swaps that are not known to have drained. Their shortfall says what it shows. A look that failed
 * with any error shows nothing. Then the shortfall says that, because a drain must come to its end even if calls fail.
 */
const lookOnce = async ({ ports, group }: Ending, own: readonly Swap[]): Promise<LastLook> => {
  const draining = own.filter(({ state }) => state === 'draining');
  if (group === undefined) return { sorted: sortByProgress([], []), shown: new Set() };
  const look = draining.length === 0 ? [] : ports.providerFor(group.holding).inspectDrain(group, draining);
  const progress = await Promise.resolve(look).catch(() => []);
  return { sorted: sortByProgress(draining, progress), shown: new Set(progress.map(({ instance }) => instance)) };
};

/**
 * Records every swap that has not drained as drained, with its shortfall. Returns those that still belong to this
 * drain, including those that are gone.
 */
const closeSwaps = async (
  ending: Ending,
  { swaps: own, begun }: ReleasedLate,
  before: readonly Swap[],
): Promise<readonly Swap[]> => {
  const { ports, order, group } = ending;
  const { sorted, shown } = await lookOnce(ending, own);
  const nowMs = ports.clock.now();
  const over = seenOver(hadEnded(sorted, begun), nowMs);
  const settled = new Set(over.map(({ instance }) => instance));
  const open = foreseen(sorted.open, group?.drain.timeoutMs ?? 0);
  const found = new Map(open.map((swap) => [swap.instance, swap]));
  const late = own
    .filter(({ state, instance }) => state !== 'drained' && !settled.has(instance))
    .map((swap) => closedLate(found.get(swap.instance) ?? swap, ending, shown.has(swap.instance), nowMs));
  const written = await recordForward(ports.store, order.drain, [...over, ...late]);
  const closed = [...own.filter(({ state }) => state === 'drained'), ...written];
  if (written.length === over.length + late.length) return closed;
  // A refused write may repeat our own write, or another function has just seen that the instance is gone. Only the
  // stored swap shows its drain and its state.
  const stored = await gatherBatch(ports.store, order);
  const known = new Set(before.map(({ instance }) => instance));
  return [
    ...stored.own.filter(({ state }) => state === 'drained'),
    ...stored.gone.filter(({ instance }) => !known.has(instance)),
  ];
};

/** What the last step knows of the steps before it, and of its own earlier attempts. */
export type Before = Attempts & {
  /** If the previous step could not take some members out of service: the end of the time that they had. */
  readonly overAtMs?: number | undefined;
  /** If this step is repeated because AWS could not carry out a call: since when it could not. */
  readonly failsSinceMs?: number | undefined;
  /** Whether an earlier attempt did everything, and could only not send the event about it. */
  readonly isUntold?: true | undefined;
};

/**
 * When this drain begins again for members that it leaves in service now: those that joined late, and those that may
 * leave when enough others serve. Undefined: it leaves none.
 */
const beginsAgainAtMs = (
  { late, timeoutMs }: { readonly late: readonly Swap[]; readonly timeoutMs: number },
  againAtMs: number | undefined,
  nowMs: number,
): number | undefined => {
  if (late.length === 0) return againAtMs;
  const endsByMs = Math.min(...late.map((swap) => drainEndsByMs(swap, timeoutMs)));
  return Math.min(drainAgainAtMs(nowMs, { sinceMs: orderedAtMs(late), endsByMs }), againAtMs ?? endsByMs);
};

/** Swaps without those whose hooks an earlier attempt completed: it did everything but send the event. */
const unsettled = (
  swaps: readonly Swap[],
  { own, before, isUntold }: Pick<Before, 'isUntold'> & Readonly<Record<'own' | 'before', readonly Swap[]>>,
): readonly Swap[] => {
  if (!isUntold) return swaps;
  const settled = new Set(
    [...own.filter(({ state }) => state === 'drained'), ...before].map(({ instance }) => instance),
  );
  return swaps.filter(({ instance }) => !settled.has(instance));
};

/** Ends a drain without open swaps. */
const endLate = async (
  ports: EndDrainPorts,
  order: DrainOrder,
  batch: Batch,
  { error, failsSinceMs }: Before & { readonly error: DrainError | undefined },
): Promise<EndOutcome> => {
  const { undone, ...told } = await tellLate(ports, order, error);
  if (told.gone + told.drained === 0) await wakeIfLost(ports, order, batch);
  return { step: stepAfterEnd(undone, ports.clock.now(), failsSinceMs), ...told, ended: 0, failed: [] };
};

/**
 * Ends the drain of a batch, for whatever reason it ended: records the shortfall of what has not drained, completes
 * hooks, terminates the instances that Holdfast has to terminate, and sends the event. Everything is recorded before
 * anything is terminated, so that a repeat finds the same swaps. The step that it returns repeats the end when AWS
 * could not carry out a call now, and begins the drain again for members that wait in service.
 */
export const endDrain = async (
  ports: EndDrainPorts,
  order: DrainOrder,
  error?: DrainError,
  { overAtMs = 0, failsSinceMs, isUntold, ...attempts }: Before = {},
): Promise<EndOutcome> => {
  const batch = await gatherBatch(ports.store, order);
  const { group, gone: before, isLetGo } = batch;
  const parts = partsOf(batch, Math.max(ports.clock.now(), overAtMs), error);
  const { goes: own, stays, againAtMs } = await askFirst(ports, order, batch, parts.mine);
  const left = [
    ...stays,
    ...(await leaveInService(ports, order.drain, parts.unreleased, error)),
    ...(await leaveAsTheyAre(ports, order.drain, batch, parts.left)),
  ];
  const late = { late: parts.late, timeoutMs: group?.drain.timeoutMs ?? 0 };
  const beginMs = beginsAgainAtMs(late, againAtMs, ports.clock.now());
  if (own.length + before.length + left.length === 0 && beginMs === undefined)
    return endLate(ports, order, batch, { error, failsSinceMs });
  const ending: Ending = { ports, order, error, group, isLetGo };
  const released = await releaseLate(ports, order, batch, own);
  const closed = await closeSwaps(ending, released, before);
  const drained = closed.filter(({ state }) => state === 'drained');
  const gone = await endedMeanwhile(ports.store, order.drain, { before, closed }, { error, ...attempts });
  // An Auto Scaling group keeps the hooks of an instance waiting even when the instance is gone.
  const held = await completeHooks(ports, unsettled([...drained, ...gone], { own, before, isUntold }));
  const { done, failed: unended } = await endOurs(
    ending,
    drained.filter((swap) => !isCalledOff(swap)),
  );
  // A member that the minimum size keeps leaves when its replacement has joined. Its Auto Scaling group ends it then,
  // without this drain.
  const refused = unended.filter(({ code }) => code !== belowMinSize);
  const later = refused.filter(({ retry }) => retry === 'later');
  // Kept members are recorded first, so that a repeat does not terminate them again and reaches the other members.
  const failed = refused.filter(({ retry }) => retry === 'never');
  const swaps = await recordKept(ending, drained, failed);
  const counts = { drained: swaps.length, gone: gone.length, ended: done.length, failed: refusedOf(failed) };
  if (beginMs !== undefined) return { step: stepAt('begin', beginMs), late: 0, ...counts };
  const undone = later.length > 0 ? { ...held, ...instancesNotEnded(later) } : held;
  if (undone === undefined) await wakeGroup(ending, [...swaps, ...gone]);
  const end = { swaps: [...swaps, ...left], gone, error };
  const untold = undone ?? (await tellEnd(ports, order, end));
  return {
    step: stepAfterEnd(untold, ports.clock.now(), failsSinceMs),
    late: lateIn(end),
    ...counts,
  };
};
