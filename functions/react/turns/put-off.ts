import { isFromAws } from '../../../aws/calls/errors.ts';
import { type PutOff, putOffLooks } from '../../../core/limits/common-looks.ts';
import type { InForce } from '../look/in-force.ts';
import type { Facts } from '../messages/facts.ts';
import type { ReactPorts } from '../ports.ts';
import { canHandOver } from './hand-over.ts';

/**
 * Whether signals report only the end of members that were leaving already, and refills that Auto Scaling groups could
 * not launch. A group that waits for its turn cannot do anything about these before its turn. A member that waits to
 * leave, or that stays, counts as there: its end is news, which a describe may not show for a while.
 */
const isExpected = ({ isTick, leaving, ran, ended }: Facts, swaps: InForce['swaps']): boolean => {
  if (isTick || leaving.length + ran.length > 0) return false;
  const left = swaps.filter(({ state }) => state !== 'waiting' && state !== 'withdrawn');
  const leavers = new Set(left.map(({ instance }) => instance));
  return ended.every((instance) => leavers.has(instance));
};

/** A group of a batch, and what is in force for it. */
type Heard = { readonly facts: Facts; readonly inForce: InForce | undefined };

/** No group is put off. */
const nobody: Pick<PutOff, 'groups' | 'fresh' | 'lookAtMs'> = { groups: new Set(), fresh: new Set(), lookAtMs: 0 };

/**
 * Which groups of a batch wait for the next common look, because their turn at the account's buckets comes later. So
 * when thousands of members end, there is one look every ten seconds, and not one for each batch of signals. The budget
 * item notes that the look is arranged. If the item cannot be read or written now, no group waits for a common look.
 */
export const putOff = async (
  batch: readonly Heard[],
  { store, clock }: Pick<ReactPorts, 'store' | 'clock'>,
): Promise<typeof nobody> => {
  const may = batch.filter(
    ({ facts, inForce }) =>
      inForce !== undefined && canHandOver(facts, inForce.group) && isExpected(facts, inForce.swaps),
  );
  if (may.length === 0) return nobody;
  try {
    const found = putOffLooks(await store.budget(), new Set(may.map(({ facts }) => facts.group)), clock.now());
    // After a lost race there is no note, so another batch arranges the look too.
    if (found.fresh.size > 0) await store.putBudget(found.budget);
    return found;
  } catch (error) {
    if (!isFromAws(error)) throw error;
    return nobody;
  }
};
