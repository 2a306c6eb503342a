import type { Group } from '../../../core/group/group.ts';
import type { GroupState } from '../../../core/view/view.ts';
import type { ReactPorts } from '../ports.ts';

/** What a group is decided with: its policy in force, and the state item that the decision is written over. */
export type InForce = { readonly group: Group; readonly state: GroupState | undefined };

/**
 * Auto Scaling groups of earlier policies, as the registry knew them when the policy came into force. They are in the
 * state item too, but that may be lost.
 */
const formerOf = async (group: string, store: ReactPorts['store']): Promise<readonly string[]> =>
  (await store.registry()).find((entry) => entry.group === group)?.former ?? [];

/**
 * Reads the state item first and the policy after it. Undefined when there is no policy. The order is a fence: an
 * invocation that follows a later policy, or lets the group go, writes the state item after that policy changed. So
 * either this policy is not older than the state item, or the write over that state item fails.
 */
export const readInForce = async (group: string, { store, believed }: ReactPorts): Promise<InForce | undefined> => {
  const stored = await store.state(group);
  const state = stored && believed(group, stored);
  const policy = await store.group(group);
  if (policy === undefined || state !== undefined) return policy && { group: policy, state };
  const former = await formerOf(group, store);
  return { group: former.length === 0 ? policy : { ...policy, former }, state };
};
