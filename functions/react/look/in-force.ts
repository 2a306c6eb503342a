import type { Group } from '../../../core/group/group.ts';
import { asRenewed, missedLetGo } from '../../../core/group-state/restored.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { GroupState } from '../../../core/view/view.ts';
import { formerAsgs } from '../../runtime/former-asgs.ts';
import type { ReactPorts } from '../ports.ts';

/**
 * The input of a decision about a group: its policy in force, the state item that the decision replaces, and the swaps,
 * which are read with the state item.
 */
export type InForce = {
  readonly group: Group;
  readonly state: GroupState | undefined;
  readonly swaps: readonly Swap[];
  /** Swaps of warned members that this environment remembers and that a restored table lacks. */
  readonly lost?: readonly Swap[];
};

/**
 * Whether the state item may have missed a policy: it follows neither this policy nor the one before. So an older item
 * was restored, or a policy was written twice since the last look.
 */
const missedPolicy = (state: GroupState, { policyVersion }: Group): boolean => state.policyVersion < policyVersion - 1;

const withHolders = (state: GroupState, former: readonly string[]): GroupState =>
  former.length === 0 ? state : { ...state, holders: [...new Set([...(state.holders ?? []), ...former])] };

/**
 * Reads the state item and the swaps first, and the policy after them. Undefined when there is no policy. The order is
 * a fence: an invocation that follows a later policy, or lets the group go, writes the state item after that policy
 * changed. So either this policy is not older than the state item, or the write over that state item fails.
 *
 * @param isQuiet whether only time has passed. Then a policy is used that this environment read within the last five
 * minutes, if the state item follows its version. Before a decision has any effect, the policy is read again.
 */
export const readInForce = async (
  group: string,
  { store, believed, policies, clock }: Pick<ReactPorts, 'store' | 'believed' | 'policies' | 'clock'>,
  isQuiet = false,
): Promise<InForce | undefined> => {
  const { state: stored, ...read } = await store.stateAndSwaps(group);
  const found = stored && believed(group, stored);
  const known = isQuiet && found !== undefined ? policies.followedBy(group, found) : undefined;
  if (known !== undefined) return { group: known, state: found, ...read };
  const policy = await store.group(group);
  policies.keep(group, policy);
  if (policy === undefined) return undefined;
  const state = found && missedLetGo(found, policy) ? asRenewed(found, clock.now()) : found;
  if (state !== undefined && !missedPolicy(state, policy)) return { group: policy, state, ...read };
  const former = await formerAsgs(group, store);
  if (state !== undefined) return { group: policy, state: withHolders(state, former), ...read };
  return { group: former.length === 0 ? policy : { ...policy, former }, state, ...read };
};
