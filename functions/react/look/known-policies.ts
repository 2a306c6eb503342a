import type { Group } from '../../../core/group/group.ts';
import { isLetGo } from '../../../core/group-state/state.ts';
import type { GroupState } from '../../../core/view/view.ts';

/** How long a policy that was read once is used. A message about a later version arrives long before. */
const knownForMs = 300_000;
/** More policies than this are not worth their memory. */
const mostKnown = 1_000;

/** Policies that an environment read within the last five minutes. They are lost with the environment. */
export type KnownPolicies = {
  /**
   * The policy that a state item follows, if it was read within the last five minutes. A function that follows a later
   * policy, or lets the group go, writes the state item. Then the version differs, or the item shows that the group was
   * let go.
   */
  followedBy(group: string, state: GroupState): Group | undefined;
  keep(group: string, policy: Group | undefined): void;
};

export const createKnownPolicies = (now: () => number): KnownPolicies => {
  const known = new Map<string, { readonly policy: Group; readonly readAtMs: number }>();
  return {
    followedBy(group, state) {
      const found = known.get(group);
      if (found === undefined || now() - found.readAtMs >= knownForMs || isLetGo(state)) return undefined;
      return found.policy.policyVersion === state.policyVersion ? found.policy : undefined;
    },
    keep(group, policy) {
      if (policy === undefined) {
        known.delete(group);
        return;
      }
      if (known.size >= mostKnown) known.clear();
      known.set(group, { policy, readAtMs: now() });
    },
  };
};
