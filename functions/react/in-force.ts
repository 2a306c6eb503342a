import type { Group } from '../../core/group.ts';
import type { GroupState } from '../../core/view.ts';
import type { ReactPorts } from './ports.ts';

/** What a group is decided with: its policy in force, and the state item that the decision is to be written over. */
export type InForce = { readonly group: Group; readonly state: GroupState | undefined };

/**
 * Reads the state item first and the policy after it; undefined when there is no policy. The order is a fence: whoever
 * follows a later policy, or lets the group go, writes the state item after that policy came or went. So either this
 * policy is not older than the state item, or the write over that state item is lost.
 */
export const readInForce = async (group: string, { store }: ReactPorts): Promise<InForce | undefined> => {
  const state = await store.state(group);
  const policy = await store.group(group);
  return policy && { group: policy, state };
};
