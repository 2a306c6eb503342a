import { type BeginReason, beginsRegardless, latestStartOf, nextServingLookMs, orderedAtMs, servingCount } from '../../core/drain/begin.ts';
import type { Group } from '../../core/group.ts';
import { withFormer } from '../../core/holders.ts';
import type { Batch } from '../runtime/drain/batch.ts';
import type { ReleasePorts } from './release.ts';

/** Whether a drain begins now, or when to look again. `delayMs`: the longest deregistration delay of the batch, once known. */
export type Verdict =
  | { readonly kind: 'begin'; readonly because: BeginReason }
  | { readonly kind: 'later'; readonly lookAtMs: number; readonly delayMs: number | undefined };

type Case = { readonly group: Group; readonly batch: Batch; readonly knownDelayMs: number | undefined };

/** The longest deregistration delay that these instances really have; undefined while it cannot be told. */
const longestDelay = async ({ provider }: ReleasePorts, { group, batch, knownDelayMs }: Case): Promise<number | undefined> => {
  if (knownDelayMs !== undefined) return knownDelayMs;
  const progress = await provider.inspectDrain(group, batch.own);
  const delays = progress.map(({ drained, deregistrationDelayMs }) => (drained ? 0 : deregistrationDelayMs));
  return delays.includes(undefined) ? undefined : Math.max(0, ...delays.map((delayMs) => delayMs ?? 0));
};

/** Judges a batch. Looks at the group only when that decides: never when time is up, and at the deregistration delays once. */
export const judge = async (ports: ReleasePorts, one: Case): Promise<Verdict> => {
  const { group, batch, knownDelayMs } = one;
  const nowMs = ports.clock.now();
  const regardless = beginsRegardless(latestStartOf(group, batch.own, knownDelayMs), batch.own, nowMs);
  if (regardless) return { kind: 'begin', because: regardless };
  const state = await ports.store.state(group.name);
  const holdings = await ports.provider.describe(withFormer(group, state));
  if (servingCount(holdings, batch.all) >= (state?.desired ?? group.size.desired)) return { kind: 'begin', because: 'enough-serving' };
  const delayMs = await longestDelay(ports, one);
  const latestStartMs = latestStartOf(group, batch.own, delayMs) ?? nowMs;
  if (latestStartMs <= nowMs) return { kind: 'begin', because: 'latest-start' };
  const look = { holdings, swaps: batch.all, orderedAtMs: orderedAtMs(batch.own), nowMs };
  return { kind: 'later', delayMs, lookAtMs: nextServingLookMs(latestStartMs, look) };
};
