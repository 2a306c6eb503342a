import { unendedShortfall } from '../../core/drain/shortfall.ts';
import type { Group } from '../../core/group/group.ts';
import { howHeld } from '../../core/group/holding.ts';
import { parseOfferingKey } from '../../core/pool/offering.ts';
import type { ActionResult, CapacityOut } from '../../core/ports/capacity-provider.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Clock } from '../../core/ports/surroundings.ts';
import { traitsOf } from '../../core/removal/leave-reason.ts';
import { keptForMs } from '../../core/swap/kept-members.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { recordForward, recordKeptUntil } from '../runtime/drain/record.ts';

/** The code of EC2 for a termination that the owner of an instance protects it from. */
const refusal = 'OperationNotPermitted';

/**
 * Whether its owner may have protected it, and Holdfast would ask EC2 to end it. EC2 protects no spot instance. Auto
 * Scaling ends protected instances too, and a policy may have moved away from the Auto Scaling group of a member.
 */
const mayBeProtected = ({ holding }: Group, swap: Swap): boolean =>
  !howHeld({ holding }).isInAsgs &&
  swap.asg === undefined &&
  traitsOf(swap).endedBy === 'holdfast' &&
  swap.deadlineMs === undefined &&
  swap.state === 'leaving' &&
  parseOfferingKey(swap.offering)?.market === 'on-demand';

/**
 * Keeps members that EC2 would refuse to end in service, and records that they are kept. The refusal comes at the end
 * of a drain, when such a member has lost its work for nothing. Returns what stays of the batch.
 */
export const keepProtected = async (
  { provider, store, clock }: { readonly provider: CapacityOut; readonly store: StateStore; readonly clock: Clock },
  { drain }: DrainOrder,
  group: Group,
  own: readonly Swap[],
): Promise<{ readonly leaving: readonly Swap[]; readonly failed: ActionResult['failed'] }> => {
  const asked = own.filter((swap) => mayBeProtected(group, swap)).map(({ instance }) => instance);
  if (asked.length === 0) return { leaving: own, failed: [] };
  const { protected: guarded, failed } = await provider.protectedAmong(asked);
  if (guarded.length === 0) return { leaving: own, failed };
  const found = new Set(guarded);
  const keptUntilMs = clock.now() + keptForMs;
  const kept = own
    .filter(({ instance }) => found.has(instance))
    .map(
      (swap): Swap => ({ ...swap, state: 'drained', keptUntilMs, shortfall: unendedShortfall(refusal, keptUntilMs) }),
    );
  await recordKeptUntil(store, drain, await recordForward(store, drain, kept));
  return {
    leaving: own.filter(({ instance }) => !found.has(instance)),
    failed: [...failed, ...guarded.map((instance) => ({ instance, code: refusal, retry: 'never' as const }))],
  };
};
