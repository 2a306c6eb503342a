import { codeOf } from '../../aws/calls/errors.ts';
import { type Sorted, sortByProgress } from '../../core/drain/look.ts';
import {
  asDrainedInTime,
  brokenShortfall,
  type DrainError,
  endsUncutAtMs,
  foreseen,
  lastingShortfall,
  unendedShortfall,
  unfinishedShortfall,
  unseenShortfall,
} from '../../core/drain/shortfall.ts';
import type { Group } from '../../core/group/group.ts';
import type { ActionResult } from '../../core/ports/capacity-provider.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import { isCalledOff } from '../../core/swap/kept-in-service.ts';
import { isKept, keptForMs } from '../../core/swap/kept-members.ts';
import { asDrained, seenOver } from '../../core/swap/progress.ts';
import { belowMinSize, type Shortfall } from '../../core/swap/shortfall.ts';
import { endsItself, type Swap } from '../../core/swap/swap.ts';
import { type Batch, gatherBatch, hasBegun } from '../runtime/drain/batch.ts';
import { recordForward, recordKeptUntil } from '../runtime/drain/record.ts';
import { hadEnded } from '../runtime/drain/take-out.ts';
import { completeHooks, onlyForNow } from './complete-hooks.ts';
import { type Attempts, endedMeanwhile } from './ended-meanwhile.ts';
import { leaveAsTheyAre, leaveInService, partsOf } from './left-alone.ts';
import type { EndDrainPorts } from './ports.ts';
import { askFirst, type ReleasedLate, releaseLate } from './release-late.ts';
import { tellEnd, tellLate } from './tell-end.ts';
import { InstancesNotEnded } from './to-repeat.ts';
import { wakeAfterEnd, wakeGroup, wakeIfLost } from './wake.ts';

/** `late`: how many instances could not be drained in full. `failed`: which could not be terminated, and why. */
export type EndOutcome = {
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
  return wasSeen || swap.state === 'leaving' ? unfinishedShortfall(swap, group.drain.timeoutMs) : unseenShortfall;
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

const nothingToEnd: ActionResult = { done: [], failed: [] };

const endOurs = async ({ ports, group }: Ending, swaps: readonly Swap[]): Promise<ActionResult> => {
  const ours = swaps.filter((swap) => !endsItself(swap) && !isKept(swap));
  if (group === undefined || ours.length === 0) return nothingToEnd;
  const end = ports.providerFor(group.holding).end(group, ours);
  return end.catch((error: unknown): ActionResult => {
    const code = codeOf(onlyForNow(error));
    return { done: [], failed: ours.map(({ instance }) => ({ instance, code, retry: 'later' })) };
  });
};

/**
 * Records on each swap whose instance cannot be terminated that it is kept, and why. Returns the swaps as stored
 * afterwards.
 */
const recordKept = async (
  { ports, order }: Ending,
  swaps: readonly Swap[],
  failed: ActionResult['failed'],
): Promise<readonly Swap[]> => {
  const codes = new Map(failed.map(({ instance, code }) => [instance, code]));
  const keptUntilMs = ports.clock.now() + keptForMs;
  const now = swaps.map((swap) => {
    const code = codes.get(swap.instance);
    return code === undefined ? swap : { ...swap, keptUntilMs, shortfall: unendedShortfall(code, keptUntilMs) };
  });
  await recordKeptUntil(
    ports.store,
    order.drain,
    now.filter(({ instance }) => codes.has(instance)),
  );
  return now;
};

/** What the last step knows of the steps before it, and of its own earlier attempts. */
export type Before = Attempts & {
  /** If the previous step could not take some members out of service: the end of the time that they had. */
  readonly overAtMs?: number | undefined;
};

/** Ends a drain without open swaps. */
const endLate = async (
  ports: EndDrainPorts,
  order: DrainOrder,
  batch: Batch,
  error: DrainError | undefined,
): Promise<EndOutcome> => {
  const told = await tellLate(ports, order, error);
  if (told.gone === 0) await wakeIfLost(ports, order, batch);
  return { ...told, drained: 0, ended: 0, failed: [] };
};

/**
 * Ends the drain of a batch, for whatever reason it ended: records the shortfall of what has not drained, completes
 * hooks, terminates the instances that Holdfast has to terminate, and sends the event. Everything is recorded before
 * anything is terminated, so that a repeat finds the same swaps.
 *
 * @throws {InstancesNotEnded} when terminating was throttled: repeat the step. The error of a hook that AWS could not
 *   complete now is thrown too.
 * @throws {EndNotTold} when the event could not be sent: repeat the step.
 */
export const endDrain = async (
  ports: EndDrainPorts,
  order: DrainOrder,
  error?: DrainError,
  { overAtMs = 0, ...attempts }: Before = {},
): Promise<EndOutcome> => {
  const batch = await gatherBatch(ports.store, order);
  const { group, gone: before, isLetGo } = batch;
  const parts = partsOf(batch, Math.max(ports.clock.now(), overAtMs), error);
  const { goes: own, waits, stays } = await askFirst(ports, order, batch, parts.mine);
  if (parts.late.length + waits.length > 0) await wakeAfterEnd(ports, order);
  const left = [
    ...stays,
    ...(await leaveInService(ports, order.drain, parts.unreleased, error)),
    ...(await leaveAsTheyAre(ports, order.drain, batch, parts.left)),
  ];
  if (own.length + before.length + left.length === 0) return endLate(ports, order, batch, error);
  const ending: Ending = { ports, order, error, group, isLetGo };
  const released = await releaseLate(ports, order, batch, own);
  const closed = await closeSwaps(ending, released, before);
  const drained = closed.filter(({ state }) => state === 'drained');
  const gone = await endedMeanwhile(ports.store, order.drain, { before, closed }, { error, ...attempts });
  // An Auto Scaling group keeps the hooks of an instance waiting even when the instance is gone.
  const held = await completeHooks(ports, [...drained, ...gone]);
  const { done, failed: unended } = await endOurs(
    ending,
    drained.filter((swap) => !isCalledOff(swap)),
  );
  // A member that the minimum size keeps leaves when its replacement has joined. Its Auto Scaling group ends it then,
  // without this drain.
  const failed = unended.filter(({ code }) => code !== belowMinSize);
  const later = failed.filter(({ retry }) => retry === 'later');
  // Kept members are recorded first, so that a repeat does not terminate them again and reaches the other members.
  const swaps = await recordKept(
    ending,
    drained,
    failed.filter(({ retry }) => retry === 'never'),
  );
  if (later.length > 0) throw new InstancesNotEnded(later);
  if (held !== undefined) throw held;
  await wakeGroup(ending, [...swaps, ...gone]);
  await tellEnd(ports, order, { swaps: [...swaps, ...left], gone, error });
  return {
    drained: swaps.length,
    gone: gone.length,
    ended: done.length,
    late: [...swaps, ...left].filter(({ shortfall }) => shortfall !== undefined).length,
    failed,
  };
};
