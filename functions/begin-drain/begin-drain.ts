import { type BeginReason, beginsRegardless, nextServingLookMs, servingCount } from '../../core/drain/begin.ts';
import { nextHeartbeatMs } from '../../core/drain/heartbeat.ts';
import { nextDrainLookMs } from '../../core/drain/look.ts';
import { retryAtMs } from '../../core/drain/steps.ts';
import { drainEndsByMs } from '../../core/drain.ts';
import type { Group } from '../../core/group.ts';
import type { DrainOrder } from '../../core/ports.ts';
import type { Swap } from '../../core/swap.ts';
import type { DrainStep } from '../contract.ts';
import { type Batch, gatherBatch } from '../runtime/drain/batch.ts';
import { keepHooksAlive } from '../runtime/drain/heartbeats.ts';
import type { DrainPorts } from '../runtime/drain/ports.ts';
import { endStep, stepAt } from '../runtime/drain/step.ts';
import { type Release, releaseLeaving } from './release.ts';

/** What an attempt to begin came to. `because` is absent while the drain waits for replacements. */
export type BeginOutcome = {
  readonly step: DrainStep;
  readonly because?: BeginReason;
  readonly begun: number;
  readonly failed: Release['failed'];
};

const nothing = (step: DrainStep): BeginOutcome => ({ step, begun: 0, failed: [] });

type Verdict = { readonly kind: 'begin'; readonly because: BeginReason } | { readonly kind: 'later'; readonly lookAtMs: number };

/** Whether to begin now. Looks at the group only when that decides: never when time is up. */
const judge = async (ports: DrainPorts, order: DrainOrder, group: Group, { all, own }: Batch): Promise<Verdict> => {
  const nowMs = ports.clock.now();
  const regardless = beginsRegardless(order, own, nowMs);
  if (regardless) return { kind: 'begin', because: regardless };
  const [state, holdings] = await Promise.all([ports.store.state(group.name), ports.provider.describe(group)]);
  if (servingCount(holdings, all) >= (state?.desired ?? group.size.desired)) return { kind: 'begin', because: 'enough-serving' };
  const orderedAtMs = Math.max(...own.map((swap) => swap.drainOrderedAtMs ?? swap.claimedAtMs));
  return { kind: 'later', lookAtMs: nextServingLookMs(order, { holdings, swaps: all, orderedAtMs, nowMs }) };
};

/** Release that was put off is tried again while there is time; then the batch waits for its connections, if any. */
const stepAfter = (order: DrainOrder, timeoutMs: number, { putOff, open, alive }: Release, nowMs: number): DrainStep => {
  const endsBy = putOff.map((swap) => drainEndsByMs(swap, order, timeoutMs)).filter((endsByMs) => endsByMs > nowMs);
  if (endsBy.length > 0) return stepAt('begin', Math.min(retryAtMs(nowMs, Math.min(...endsBy)), nextHeartbeatMs(alive, nowMs)));
  const lookAtMs = nextDrainLookMs(open, { order, timeoutMs, nowMs, alive });
  return lookAtMs === undefined ? endStep : stepAt('check', lookAtMs);
};

/**
 * Begins the drain of a batch: waits for enough members to serve (at the latest until the order's latest start), then takes the batch out of service
 * and records it as draining. Idempotent: what a crash left undone is done again, and what is recorded is not repeated.
 */
export const beginDrain = async (ports: DrainPorts, order: DrainOrder): Promise<BeginOutcome> => {
  const batch = await gatherBatch(ports.store, order);
  const { group, own } = batch;
  if (group === undefined || own.length === 0) return nothing(endStep);
  const verdict = await judge(ports, order, group, batch);
  const alive: readonly Swap[] = await keepHooksAlive(ports, own, order.drain);
  const nowMs = ports.clock.now();
  if (verdict.kind === 'later') return nothing(stepAt('begin', Math.min(verdict.lookAtMs, nextHeartbeatMs(alive, nowMs))));
  const release = await releaseLeaving(ports, order, group, alive);
  return {
    step: stepAfter(order, group.drain.timeoutMs, release, ports.clock.now()),
    because: verdict.because,
    begun: release.begun,
    failed: release.failed,
  };
};
