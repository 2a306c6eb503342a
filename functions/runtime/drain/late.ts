import { unlessTroubled } from '../../../aws/calls/unless-troubled.ts';
import { servingCount } from '../../../core/drain/begin.ts';
import { asksAgain, asksAgainAtMs, type Late, sortLate } from '../../../core/drain/late.ts';
import type { Group } from '../../../core/group/group.ts';
import { withFormer } from '../../../core/group/holders.ts';
import { desiredNow } from '../../../core/group/outside-size.ts';
import type { CapacityOut } from '../../../core/ports/capacity-provider.ts';
import type { DrainOrder } from '../../../core/ports/drains.ts';
import type { StateStore } from '../../../core/ports/state-store.ts';
import type { Clock } from '../../../core/ports/surroundings.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { changesIn } from '../../../core/view/changes.ts';
import type { Batch } from './batch.ts';
import { recordFindings } from './record.ts';

type LatePorts = { readonly provider: CapacityOut; readonly store: StateStore; readonly clock: Clock };

/** A batch and its group. `turnAtMs`: when a look may be made, for late members. Undefined: now. */
type Case = {
  readonly group: Group;
  readonly batch: Batch;
  readonly turnAtMs?: (late: readonly Swap[]) => Promise<number | undefined>;
};

/** The members of a batch, and when to look again for those that wait. */
export type Asked = Late & { readonly againAtMs?: number };

const waiting = (all: readonly Swap[], waits: readonly Swap[], againAtMs: number): Asked => ({
  goes: all.filter((swap) => !waits.includes(swap)),
  waits,
  stays: [],
  againAtMs,
});

/**
 * Reads whether enough others serve, if Holdfast alone chose members of a batch long ago. Records on those that are not
 * replaced and are needed that they stay. The next look withdraws their swaps. A look that AWS refuses now is made
 * again later, and these members serve until then.
 */
export const askAgain = async (
  { provider, store, clock }: LatePorts,
  order: DrainOrder,
  { group, batch, turnAtMs = async () => undefined }: Case,
  own: readonly Swap[],
): Promise<Asked> => {
  const late = own.filter((swap) => asksAgain(swap, clock.now()));
  if (late.length === 0) return { goes: own, waits: [], stays: [] };
  const laterMs = await turnAtMs(late);
  if (laterMs !== undefined) return waiting(own, late, laterMs);
  const { state, all: swaps } = batch;
  const holdings = await unlessTroubled(provider.describe(withFormer(group, state), changesIn(state, { swaps })));
  const nowMs = clock.now();
  if (holdings === undefined) return waiting(own, late, asksAgainAtMs(late, nowMs));
  const desired = desiredNow(group, state, holdings, nowMs);
  const sorted = sortLate(late, { group, holdings, swaps, desired, denials: state?.denials });
  const shortfall = { code: 'needed', serving: servingCount(holdings, swaps), desired } as const;
  const stays = sorted.stays.map((swap): Swap => ({ ...swap, shortfall }));
  await recordFindings(store, order.drain, stays);
  const kept = new Set([...sorted.waits, ...sorted.stays]);
  return {
    goes: own.filter((swap) => !kept.has(swap)),
    waits: sorted.waits,
    stays,
    ...(sorted.waits.length > 0 && { againAtMs: asksAgainAtMs(sorted.waits, nowMs) }),
  };
};
