import { unreleasedShortfall } from '../../core/drain/shortfall.ts';
import { heldBackStepMs } from '../../core/drain/steps.ts';
import type { ActionResult } from '../../core/ports/capacity-provider.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { mayStay } from '../../core/swap/kept-in-service.ts';
import { belowMinSize } from '../../core/swap/shortfall.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { bothLagMs } from '../../core/times/times.ts';
import { recordForward } from '../runtime/drain/record.ts';

const orderedAtMs = ({ drainOrderedAtMs, claimedAtMs }: Swap): number => drainOrderedAtMs ?? claimedAtMs;

/** Swaps that a release put off: those that a minimum size holds back, and the others. */
export type PutOff = { readonly heldBack: readonly Swap[]; readonly others: readonly Swap[] };

/**
 * Sorts swaps that a release put off. A member without a replacement that a minimum size holds back for longer than
 * describes lag is called off: the next look withdraws its swap and chooses anew who leaves.
 */
export const callOff = async (
  store: StateStore,
  drain: string,
  { putOff, failed }: { readonly putOff: readonly Swap[]; readonly failed: ActionResult['failed'] },
  nowMs: number,
): Promise<PutOff> => {
  const held = new Set(failed.filter(({ code }) => code === belowMinSize).map(({ instance }) => instance));
  const [heldBack, others] = [
    putOff.filter(({ instance }) => held.has(instance)),
    putOff.filter(({ instance }) => !held.has(instance)),
  ];
  const over = heldBack.filter((swap) => mayStay(swap) && nowMs - orderedAtMs(swap) >= bothLagMs);
  const shortfall = unreleasedShortfall(belowMinSize);
  await recordForward(
    store,
    drain,
    over.map((swap) => ({ ...swap, state: 'drained', shortfall })),
  );
  return { heldBack: heldBack.filter((swap) => !over.includes(swap)), others };
};

/** When to try again to release members that a minimum size holds back. No event shows when it lets them go. */
export const heldBackAtMs = (heldBack: readonly Swap[], nowMs: number): number =>
  Math.min(...heldBack.map((swap) => nowMs + heldBackStepMs(nowMs - orderedAtMs(swap))));
