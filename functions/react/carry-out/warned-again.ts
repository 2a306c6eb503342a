import { inParallel } from '../../../aws/calls/in-parallel.ts';
import { claimedAgain } from '../../../core/swap/claim.ts';
import type { NameDrain } from '../../../core/swap/drain-kind.ts';
import { asOutlived } from '../../../core/swap/outlived.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { announceStarted } from '../record/announce.ts';
import type { Run } from '../run.ts';
import { writesAtOnce } from './claims.ts';

/**
 * Claims members anew that EC2 warned again while this run put them back into service. The function that received that
 * warning found them out of service, so it ordered no drain. Now they work, and EC2 would take them at work.
 */
export const claimWarnedAgain = async (
  run: Pick<Run, 'group' | 'id' | 'ports'>,
  swaps: readonly Swap[],
  drainFor: NameDrain,
): Promise<readonly Swap[]> => {
  const { store, clock } = run.ports;
  const claimed = await inParallel(swaps, writesAtOnce, async (swap): Promise<readonly Swap[]> => {
    const now = await store.swapNow(swap);
    const again = now && claimedAgain(now, { nowMs: clock.now(), drainFor, decision: run.id });
    if (now === undefined || again === undefined || (await store.retire(asOutlived(now))) === 'conflict') return [];
    return (await store.claim(again)).kind === 'claimed' ? [again] : [];
  });
  await announceStarted(run, claimed.flat());
  return claimed.flat();
};
