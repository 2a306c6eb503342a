import { type BeginReason, beginsRegardless, nextServingLookMs, servingCount } from '../../core/drain/begin.ts';
import { latestDrainStart } from '../../core/drain.ts';
import type { Group } from '../../core/group.ts';
import type { DrainOrder } from '../../core/ports.ts';
import type { Batch } from '../runtime/drain/batch.ts';
import type { ReleasePorts } from './release.ts';

/** Whether a drain begins now, or when to look again. */
export type Verdict =
  | { readonly kind: 'begin'; readonly because: BeginReason }
  | { readonly kind: 'later'; readonly lookAtMs: number; readonly latestStartMs: number };

type Case = {
  readonly order: DrainOrder;
  readonly group: Group;
  readonly batch: Batch;
  /** The order was made without a look at the deregistration delays. */
  readonly isEstimate: boolean;
};

const orderedAtMs = ({ own }: Batch): number => Math.max(...own.map((swap) => swap.drainOrderedAtMs ?? swap.claimedAtMs));

/** The latest start by the deregistration delays that these instances really have. Without a deadline the order's word stands. */
const latestStart = async ({ provider, clock }: ReleasePorts, { order, group, batch, isEstimate }: Case): Promise<number> => {
  const { awaitServingUntilMs = clock.now(), deadlineMs } = order;
  if (!isEstimate || deadlineMs === undefined) return awaitServingUntilMs;
  const progress = await provider.inspectDrain(group, batch.own);
  const delays = progress.map(({ drained, deregistrationDelayMs }) => (drained ? 0 : deregistrationDelayMs));
  if (delays.includes(undefined)) return awaitServingUntilMs;
  const deregistrationDelayMs = Math.max(0, ...delays.map((delayMs) => delayMs ?? 0));
  return latestDrainStart({ nowMs: orderedAtMs(batch), deadlineMs, deregistrationDelayMs, timeoutMs: group.drain.timeoutMs });
};

/** Judges a batch. Looks at the group only when that decides: never when time is up, and at the deregistration delays once. */
export const judge = async (ports: ReleasePorts, one: Case): Promise<Verdict> => {
  const { order, group, batch } = one;
  const nowMs = ports.clock.now();
  const regardless = beginsRegardless(order, batch.own, nowMs);
  if (regardless) return { kind: 'begin', because: regardless };
  const [state, holdings] = await Promise.all([ports.store.state(group.name), ports.provider.describe(group)]);
  if (servingCount(holdings, batch.all) >= (state?.desired ?? group.size.desired)) return { kind: 'begin', because: 'enough-serving' };
  const latestStartMs = await latestStart(ports, one);
  if (latestStartMs <= nowMs) return { kind: 'begin', because: 'latest-start' };
  const look = { holdings, swaps: batch.all, orderedAtMs: orderedAtMs(batch), nowMs };
  return { kind: 'later', latestStartMs, lookAtMs: nextServingLookMs({ awaitServingUntilMs: latestStartMs }, look) };
};
