import type { Group } from '../../core/group/group.ts';
import { canonicalText } from '../../core/policy/canonical.ts';
import type { PolicyVersion } from '../../core/policy/ports.ts';
import type { Candidate } from './judge.ts';
import type { AcceptPolicyPorts } from './ports.ts';

type Before = {
  readonly inForce: PolicyVersion | undefined;
  /** Whether the policy of the group was deleted, by its registry entry. */
  readonly letGo: boolean;
};

/** What every later version says of the return of the policy. */
const backOf = ({ backWith, backAtMs }: Partial<Group> = {}): Partial<Group> => ({
  ...(backWith !== undefined && { backWith }),
  ...(backAtMs !== undefined && { backAtMs }),
});

/**
 * Version numbers never go back, not even when a group is deleted and written again. A version that an interrupted run
 * stored is used again. The policy of a group that was let go always gets a new number: a state item that was stored
 * under an earlier one then shows that it lacks the time without a policy.
 */
export const putInForce = async (
  candidate: Candidate,
  { inForce, letGo, warnings }: Before & { readonly warnings: readonly string[] },
  { store, clock }: AcceptPolicyPorts,
): Promise<PolicyVersion> => {
  const latest = await store.latest(candidate.group);
  const isBack = inForce === undefined && letGo;
  const isLater = latest !== undefined && latest.version > (inForce?.version ?? 0);
  const leftOver = !isBack && isLater && sameContent(latest, candidate);
  const number = Math.max(latest?.version ?? 0, inForce?.version ?? 0) + 1;
  const acceptedAtMs = clock.now();
  const back = isBack ? { backWith: number, backAtMs: acceptedAtMs } : backOf(inForce?.resolved);
  const version: PolicyVersion = leftOver
    ? latest
    : {
        ...candidate,
        resolved: { ...candidate.resolved, policyVersion: number, ...back },
        version: number,
        acceptedAtMs,
      };
  const added = leftOver ? 'done' : await store.addVersion(version);
  const replacing = { ...version, untold: [...(inForce?.untold ?? []), { version: version.version, warnings }] };
  if (added === 'conflict' || (await store.putInForce(replacing)) === 'conflict') {
    throw new Error(
      `Another run wrote a version of group ${candidate.group} at the same time. ` +
        'Nothing was lost: the item is read again on the next delivery.',
    );
  }
  return replacing;
};

const withoutNumbers = ({ resolved: { backWith: _back, backAtMs: _since, ...group } }: Candidate) => ({
  ...group,
  policyVersion: 0,
});

/**
 * Whether two versions have the same effect: the same resolved group, whatever its number and the layout of its
 * document.
 */
export const sameContent = (a: Candidate, b: Candidate): boolean =>
  canonicalText(withoutNumbers(a)) === canonicalText(withoutNumbers(b));
