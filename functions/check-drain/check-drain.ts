import { unlessTroubled } from '../../aws/calls/unless-troubled.ts';
import type { DrainStep } from '../../core/contract.ts';
import { drainEndsByMs } from '../../core/drain/drain.ts';
import { openHooks } from '../../core/drain/heartbeat.ts';
import { type LookAt, nextDrainLook, type OpenSwap, sortByProgress, stillWaiting } from '../../core/drain/look.ts';
import { foreseen } from '../../core/drain/shortfall.ts';
import type { DrainProgress } from '../../core/ports/drain-target.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import { seenOver } from '../../core/swap/progress.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { gatherBatch, isLeft } from '../runtime/drain/batch.ts';
import { keepHooksAlive } from '../runtime/drain/heartbeats.ts';
import type { DrainPorts } from '../runtime/drain/ports.ts';
import { recordFindings, recordForward } from '../runtime/drain/record.ts';
import { checkStep, endStep, stepAt } from '../runtime/drain/step.ts';

/** The result of a look at a batch. */
export type CheckOutcome = {
  readonly step: DrainStep;
  readonly open: number;
  readonly drained: number;
  readonly gone: number;
};

const stepAfter = (open: readonly OpenSwap[], look: LookAt): DrainStep => {
  const { timeoutMs, nowMs, alive } = look;
  const unreleased = alive.filter(({ state }) => state === 'leaving');
  if (unreleased.some((swap) => drainEndsByMs(swap, timeoutMs) > nowMs)) return stepAt('begin', nowMs);
  return checkStep(nextDrainLook(open, look), unreleased.length > 0 ? nowMs : undefined);
};

const hookCount = (swaps: readonly Swap[]): number => swaps.flatMap(openHooks).length;

/** Whether only heartbeats are due. A hook that is over would show that its member has ended. */
const isForHeartbeats = (own: readonly Swap[], kept: readonly Swap[]): boolean =>
  own.every(({ state }) => state !== 'leaving') &&
  own.some(({ state }) => state === 'draining') &&
  hookCount(kept) === hookCount(own);

/**
 * Looks at the connections of a batch, keeps its hooks alive, records what has drained or gone, and returns when to
 * look again. Takes nothing out of service, so any number of repeats is harmless.
 *
 * @param plannedMs when the next look is due, if this step comes before that for heartbeats
 */
export const checkDrain = async (ports: DrainPorts, order: DrainOrder, plannedMs?: number): Promise<CheckOutcome> => {
  const batch = await gatherBatch(ports.store, order);
  const { group } = batch;
  const own = batch.own.filter((swap) => !isLeft(batch, swap));
  if (group === undefined || own.length === 0) return { step: endStep, open: 0, drained: 0, gone: 0 };
  const { timeoutMs } = group.drain;
  const sentMs = ports.clock.now();
  const kept = await keepHooksAlive(ports, own, order.drain, timeoutMs);
  if (plannedMs !== undefined && isForHeartbeats(own, kept)) {
    const look = { timeoutMs, nowMs: ports.clock.now(), sentMs, alive: kept };
    return { step: checkStep(stillWaiting(own, plannedMs, look)), open: own.length, drained: 0, gone: 0 };
  }
  const draining = kept.filter(({ state }) => state === 'draining');
  const inspect = (): Promise<readonly DrainProgress[]> =>
    ports.providerFor(group.holding).inspectDrain(group, draining);
  // An instance that AWS reports nothing about is still open, and is looked at again.
  const progress = draining.length === 0 ? [] : await unlessTroubled(inspect());
  const sorted = sortByProgress(draining, progress ?? []);
  const nowMs = ports.clock.now();
  await recordForward(ports.store, order.drain, seenOver(sorted, nowMs));
  await recordFindings(ports.store, order.drain, foreseen(sorted.open, timeoutMs));
  const gone = new Set(sorted.gone);
  const alive = kept.filter((swap) => !gone.has(swap));
  const step = stepAfter(sorted.open, { timeoutMs, nowMs, sentMs, alive });
  return {
    step,
    open: sorted.open.length,
    drained: sorted.drained.length + sorted.stopped.length,
    gone: sorted.gone.length,
  };
};
