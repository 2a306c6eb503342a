import type { Group } from '../../../core/group/group.ts';
import { isLetGo } from '../../../core/group-state/state.ts';
import type { GroupState } from '../../../core/view/view.ts';

/** How long a policy is used that was read once. A message about a later one comes long before. */
const knownForMs = 300_000;
/** More policies than this are not worth their memory. */
const mostKnown = 1_000;

/** Policies that an environment read lately. Lost with the environment. */
export type KnownPolicies = {
  /**
   * The policy that a state item follows, if it was read lately. Whoever follows a later policy, or lets the group go,
   * writes the state item, so that the version differs or the item says so.
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
