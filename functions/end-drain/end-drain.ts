import { belowMinSize } from '../../aws/errors.ts';
import { openHooks } from '../../core/drain/heartbeat.ts';
import { type Sorted, sortByProgress } from '../../core/drain/look.ts';
import {
  brokenShortfall,
  type DrainError,
  unendedShortfall,
  unfinishedShortfall,
  unseenShortfall,
} from '../../core/drain/shortfall.ts';
import { drainEndsByMs } from '../../core/drain.ts';
import type { Group } from '../../core/group.ts';
import { isKept, keptForMs } from '../../core/kept.ts';
import type { ActionResult, DrainOrder } from '../../core/ports.ts';
import type { Shortfall } from '../../core/shortfall.ts';
import { endsItself, type Swap } from '../../core/swap.ts';
import { gatherBatch } from '../runtime/drain/batch.ts';
import { onEach } from '../runtime/drain/on-each.ts';
import { asDrained, recordForward, recordKeptUntil, seenOver } from '../runtime/drain/record.ts';
import type { EndDrainPorts } from './ports.ts';
import { releaseLate } from './release-late.ts';
import { tellEnd } from './tell-end.ts';

/**
 * How a drain ended. `late` is how many instances could not be drained in full, `failed` what could not be ended and
 * why.
 */
export type EndOutcome = {
  readonly drained: number;
  readonly gone: number;
  readonly ended: number;
  readonly late: number;
  readonly failed: ActionResult['failed'];
};

/**
 * Instances that are ours to end still run, and ending them again may help: thrown so that the state machine repeats
 * the step.
 */
export class InstancesNotEnded extends Error {
  constructor(failed: ActionResult['failed']) {
    const codes = [...new Set(failed.map(({ code }) => code))].join(', ');
    super(
      `${failed.length} drained instances still run (${codes}); they are recorded as drained, and ending them is tried again.`,
    );
    this.name = 'InstancesNotEnded';
  }
}

type Ending = {
  readonly ports: EndDrainPorts;
  readonly order: DrainOrder;
  readonly error: DrainError | undefined;
  readonly group: Group | undefined;
};

const shortfallOf = (swap: Swap, { error, group }: Ending, wasSeen: boolean): Shortfall => {
  if (swap.shortfall !== undefined) return swap.shortfall;
  if (group === undefined) return { code: 'let-go' };
  if (error !== undefined) return brokenShortfall(error);
  return wasSeen || swap.state === 'leaving' ? unfinishedShortfall(swap, group.drain.timeoutMs) : unseenShortfall;
};

/** Nothing was taken off an instance whose group was let go, and nothing says that it was. */
const closedLate = (swap: Swap, group: Group | undefined, nowMs: number): Swap =>
  group === undefined ? { ...swap, state: 'drained' } : asDrained(swap, nowMs);

/**
 * The last look at those that are not known to have drained: what is said of them is what was seen. Undefined: AWS does
 * not tell, for whatever reason;
 * that is said of them too, since the end of a drain must not hang on what broke it.
 */
const lookOnce = async ({ ports, group }: Ending, own: readonly Swap[]): Promise<Sorted | undefined> => {
  const draining = own.filter(({ state }) => state === 'draining');
  if (group === undefined || draining.length === 0) return { open: [], drained: [], gone: [] };
  const look = ports.providerFor(group.holding).inspectDrain(group, draining);
  return look.then(
    (progress) => sortByProgress(draining, progress),
    () => undefined,
  );
};

/**
 * Records every swap that has not drained as drained all the same, and what fell short. Returns those that are still
 * this drain's to act on, the gone among them.
 */
const closeSwaps = async (ending: Ending, own: readonly Swap[]): Promise<readonly Swap[]> => {
  const { ports, order } = ending;
  const seen = await lookOnce(ending, own);
  const nowMs = ports.clock.now();
  const over = seen === undefined ? [] : seenOver(seen, nowMs);
  const settled = new Set(over.map(({ instance }) => instance));
  const late = own
    .filter(({ state, instance }) => state !== 'drained' && !settled.has(instance))
    .map((swap) =>
      closedLate({ ...swap, shortfall: shortfallOf(swap, ending, seen !== undefined) }, ending.group, nowMs),
    );
  const written = await recordForward(ports.store, order.drain, [...over, ...late]);
  const closed = [...own.filter(({ state }) => state === 'drained'), ...written];
  // A write that was refused may have been our own, repeated: only the stored swap knows whose the instance is now.
  return written.length === over.length + late.length
    ? closed
    : over
        .filter(({ state }) => state === 'gone')
        .concat((await gatherBatch(ports.store, order)).own.filter(({ state }) => state === 'drained'));
};

const hooksAtOnce = 8;

/** Completing the hook of an interrupted instance would cut connections that EC2 leaves alone until its deadline. */
const mayGoOn = ({ state, reason, shortfall, deadlineMs = 0 }: Swap, nowMs: number): boolean =>
  state === 'gone' || reason !== 'interruption' || shortfall === undefined || deadlineMs <= nowMs;

const completeHooks = ({ lifecycle, clock }: EndDrainPorts, swaps: readonly Swap[]): Promise<unknown> =>
  onEach(
    swaps
      .filter((swap) => mayGoOn(swap, clock.now()))
      .flatMap((swap) => openHooks(swap).map((hook) => ({ instance: swap.instance, hook }))),
    hooksAtOnce,
    ({ instance, hook }) => lifecycle.complete(instance, hook),
  );

const nothingToEnd: ActionResult = { done: [], failed: [] };

const endOurs = async ({ ports, group }: Ending, swaps: readonly Swap[]): Promise<ActionResult> => {
  const ours = swaps.filter((swap) => !endsItself(swap) && !isKept(swap));
  return group === undefined || ours.length === 0 ? nothingToEnd : ports.providerFor(group.holding).end(group, ours);
};

/**
 * Writes on each swap whose instance cannot be ended that it is kept, and why. Returns the swaps as they stand then.
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

/** By then this execution has ended, so that its name is known to be over. */
const afterEndMs = 2_000;

/** Instances that joined when nothing was left to begin, and whose time is not up. */
const joinedLate = (own: readonly Swap[], { drain }: Group, nowMs: number): readonly Swap[] =>
  own.filter((swap) => swap.state === 'leaving' && drainEndsByMs(swap, drain.timeoutMs) > nowMs);

/**
 * With drain-first the replacement comes after the drain, and who is kept has to take work again: the group is asked to
 * look at itself now, and not at the next tick.
 */
const wakeGroup = async ({ ports, order, group }: Ending, swaps: readonly Swap[]): Promise<void> => {
  if (group?.swap.order === 'drain-first' || swaps.some(isKept)) await ports.wakes.wake(order.group, ports.clock.now());
};

/**
 * Ends the drain of a batch, however it came to its end: what has not drained is recorded with its shortfall, hooks are
 * completed, instances that are ours to end are ended, and the bus is told. Everything is recorded before anything is
 * ended, so that a repeat finds the same swaps.
 *
 * @throws {InstancesNotEnded} when ending was throttled: repeat.
 */
export const endDrain = async (ports: EndDrainPorts, order: DrainOrder, error?: DrainError): Promise<EndOutcome> => {
  const { group, own: all, gone: before } = await gatherBatch(ports.store, order);
  const tooLate = error === undefined && group !== undefined ? joinedLate(all, group, ports.clock.now()) : [];
  // The next look puts them on a drain of their own.
  if (tooLate.length > 0) await ports.wakes.wake(order.group, ports.clock.now() + afterEndMs);
  const own = all.filter((swap) => !tooLate.includes(swap));
  if (own.length + before.length === 0) return { drained: 0, gone: 0, ended: 0, late: 0, failed: [] };
  const ending: Ending = { ports, order, error, group };
  const released = group === undefined ? own : await releaseLate(ports, group, own);
  const closed = await closeSwaps(ending, released);
  const drained = closed.filter(({ state }) => state === 'drained');
  const gone = [...before, ...closed.filter(({ state }) => state === 'gone')];
  // An Auto Scaling group lets the hooks of an instance wait that is gone already.
  await completeHooks(ports, [...drained, ...gone]);
  const { done, failed: unended } = await endOurs(ending, drained);
  // What the minimum size keeps goes as soon as its replacement has joined: the group lets it go then, and this drain
  // has no part in that.
  const failed = unended.filter(({ code }) => code !== belowMinSize);
  const later = failed.filter(({ retry }) => retry === 'later');
  // Who is kept is recorded first: a repeat does not ask for their end again, and so comes to those that their refusal
  // held up.
  const swaps = await recordKept(
    ending,
    drained,
    failed.filter(({ retry }) => retry === 'never'),
  );
  if (later.length > 0) throw new InstancesNotEnded(later);
  await wakeGroup(ending, swaps);
  await tellEnd(ports, order, { swaps, gone, error });
  return {
    drained: swaps.length,
    gone: gone.length,
    ended: done.length,
    late: swaps.filter(({ shortfall }) => shortfall !== undefined).length,
    failed,
  };
};
