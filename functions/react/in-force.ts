import type { Group } from '../../core/group.ts';
import type { GroupState } from '../../core/view.ts';
import type { ReactPorts } from './ports.ts';

/** What a group is decided with: its policy in force, and the state item that the decision is written over. */
export type InForce = { readonly group: Group; readonly state: GroupState | undefined };

/**
 * Reads the state item first and the policy after it. Undefined when there is no policy. The order is a fence: an
 * invocation that follows a later policy, or lets the group go, writes the state item after that policy changed. So
 * either this policy is not older than the state item, or the write over that state item fails.
 */
export const readInForce = async (group: string, { store }: ReactPorts): Promise<InForce | undefined> => {
  const state = await store.state(group);
  const policy = await store.group(group);
  return policy && { group: policy, state };
};
